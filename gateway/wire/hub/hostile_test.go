package hub_test

import (
	"fmt"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

func TestTextOf_KeepsWhatIsAppendedOutOfTheDocument(t *testing.T) {
	document := []byte(`"ab","cd"`)
	text, _ := hub.TextOf(document[:4])
	_ = append(text, "xyz"...)
	if string(document) != `"ab","cd"` {
		t.Errorf("the document is now %s", document)
	}
}

// TestHostile_BodiesAndAnswersAreWhatTheySay keeps the benchmarks below from
// measuring refusals: short ones can be read, and are written.
func TestHostile_BodiesAndAnswersAreWhatTheySay(t *testing.T) {
	for _, h := range hostiles() {
		body := []byte(h.body(20))
		if !wire.Valid(body) {
			t.Errorf("%s, %s is no JSON", h.caller, h.name)
		}
		before := string(body)
		var r hub.Request
		if err := shapes()[rank(h.caller)].Decode(body, &r); err != nil {
			t.Errorf("%s, %s: %v", h.caller, h.name, err)
			continue
		}
		for _, host := range hosts() {
			if _, err := r.Check(host.Shape(), host.up.Fates()); err != nil {
				continue
			}
			if out, err := host.up.Encode(nil, &r, hub.Target{Model: "m"}); err == nil && !wire.Valid(out) || err != nil && h.name != "lost" {
				t.Errorf("%s, %s for %s: %v", h.caller, h.name, host.Shape(), err)
			}
		}
		if string(body) != before {
			t.Errorf("%s, %s has been written over", h.caller, h.name)
		}
	}
	for _, h := range hostileAnswers() {
		var a hub.Answer
		if err := h.play(h.events(20), hostileTools(20), &a); err != nil || len(a.Items) == 0 && h.name != "open texts" && h.name != "nested parts" {
			t.Errorf("%s, %s: %v, %d items", h.host, h.name, err, len(a.Items))
		}
	}
}

// hostileTools is a request with n tools, in an order that is not that of the calls.
func hostileTools(n int) *hub.Request {
	r := &hub.Request{Streamed: true}
	for i := range n {
		r.Tools = append(r.Tools, hub.Tool{Name: hub.Text(fmt.Sprintf("t%d", n-1-i))})
	}
	return r
}

// BenchmarkHostile is the time that hostile bodies and answers take for each of the
// things that they hold (ns/each). It stays about the same from the small to the
// large: where it grows with n, what is done grows with its square.
func BenchmarkHostile(b *testing.B) {
	for _, n := range []int{2_500, 10_000, 40_000} {
		for _, h := range hostiles() {
			b.Run(fmt.Sprintf("%s/%s/%d", h.caller, h.name, n), func(b *testing.B) { benchmarkHostile(b, &h, n) })
		}
		for _, h := range hostileAnswers() {
			b.Run(fmt.Sprintf("answer_of_%s/%s/%d", h.host, h.name, n), func(b *testing.B) { benchmarkHostileAnswer(b, &h, n) })
		}
	}
}

// benchmarkHostile reads a body and writes it for all hosts.
func benchmarkHostile(b *testing.B, h *hostile, n int) {
	body, caller := []byte(h.body(n)), shapes()[rank(h.caller)]
	for b.Loop() {
		var r hub.Request
		if err := caller.Decode(body, &r); err != nil {
			b.Fatal(err)
		}
		for _, host := range hosts() {
			_, _ = host.up.Encode(nil, &r, hub.Target{Model: "m"})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/each")
}

// benchmarkHostileAnswer reads an answer and writes it for all callers.
func benchmarkHostileAnswer(b *testing.B, h *hostileAnswer, n int) {
	events, r := h.events(n), hostileTools(n)
	for b.Loop() {
		for _, caller := range shapes() {
			encoder := caller.Encoder(&hub.Reply{Request: r, ID: replyID, Model: replyModel})
			if h.streamed {
				_ = h.play(events, r, &lastWritten{encoder: encoder})
				continue
			}
			var a hub.Answer
			_ = h.play(events, r, &a)
			encoder.AppendAnswer(nil, &a)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/each")
}
