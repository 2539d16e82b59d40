package gateway_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// strictly holds answers back until their usage event is on disk.
func strictly(patience time.Duration) func(*gateway.Options) {
	return func(o *gateway.Options) { o.StrictUsage = patience }
}

// stored returns the events that are on disk, without waiting for others.
func (r *rig) stored() []store.Event {
	r.tb.Helper()
	page, _, err := r.db.Events(store.EventQuery{})
	if err != nil {
		r.tb.Fatal(err)
	}
	return page
}

func TestStrictUsage_EveryAnswerHasItsEventOnDisk(t *testing.T) {
	r := newUnrecordedRig(t, strictly(time.Minute))
	r.startUsage()
	up := gatewaytest.New(t, answer, stream, gatewaytest.JSON(400, upstreamError))
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(3)}})
	for i, want := range []struct {
		body   string
		status int
		text   string
	}{
		{chatBody, 200, "hello"}, {streamBody, 200, "[DONE]"}, {chatBody, 400, "said by upstream"}, {chatBody, 429, "3 of 3 requests"},
		{`{"model":`, 400, "parse_error"},
	} {
		r.want(r.call(key, want.body), want.status, want.text)
		if got := r.stored(); len(got) != i+1 || got[0].Status != want.status {
			t.Errorf("after answer %d there are %d events, the last %+v", i, len(got), got[0])
		}
	}
}

func TestStrictUsage_HoldsTheTerminalEventBackAndNothingElse(t *testing.T) {
	r := newUnrecordedRig(t, strictly(time.Minute))
	r.host("up", gatewaytest.New(t, stream), 1)
	c := gatewaytest.Dial(t, r.addr)
	c.Send(request(r.key("laptop", store.RelayKeySpec{}), streamBody))
	body := c.Response().Body
	if got, err := gatewaytest.ReadUntil(body, finishEvent); err != nil {
		t.Fatalf("before anything is on disk the caller got %q: %v", got, err)
	}
	if n := len(r.stored()); n != 0 {
		t.Fatalf("%d events are on disk", n)
	}
	r.startUsage()
	if rest, err := gatewaytest.ReadUntil(body, doneEvent); err != nil || rest != doneEvent {
		t.Errorf("then the caller got %q: %v", rest, err)
	}
	if n := len(r.stored()); n != 1 {
		t.Errorf("%d events are on disk", n)
	}
}

func TestStrictUsage_CutsAnAnswerWhoseEventTheDiskDoesNotTake(t *testing.T) {
	var log bytes.Buffer
	r := newUnrecordedRig(t, func(o *gateway.Options) {
		o.StrictUsage, o.Log = time.Millisecond, zerolog.New(zerolog.SyncWriter(&log))
	})
	r.host("up", gatewaytest.New(t, answer, stream, gatewaytest.JSON(400, upstreamError)), 1)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(3), Concurrency: int64p(1)}})

	a := r.call(key, chatBody)
	r.want(a, 503, `"code":"usage_unavailable"`)
	if strings.Contains(a.Body, "hello") || a.Header.Get("X-Should-Retry") != "false" {
		t.Errorf("got %+v", a)
	}
	a = r.call(key, streamBody)
	if !strings.HasPrefix(a.Body, deltaEvent+finishEvent+"data: {\"error\"") || !strings.Contains(a.Body, "usage_unavailable") || strings.Contains(a.Body, "[DONE]") {
		t.Errorf("got %q", a.Body)
	}
	r.want(r.call(key, chatBody), 400, "said by upstream") // a refusal gives nothing away
	r.want(r.call(key, chatBody), 429, "3 of 3 requests")

	r.startUsage()
	all := r.events(4)
	if len(all) != 4 || all[0].Tokens.Output != 20 || all[1].Tokens.Output != 20 {
		t.Errorf("once the disk takes them, the events are %+v", all)
	}
	if n := strings.Count(log.String(), "answer is cut"); n != 4 {
		t.Errorf("told %d times in %s", n, log.String())
	}
}

// The request is over when its caller has gone: goroutines that were left would
// fail the package.
func TestStrictUsage_WaitsForNoCallerThatHasGone(t *testing.T) {
	r := newUnrecordedRig(t, strictly(time.Hour))
	r.host("up", gatewaytest.New(t, stream), 1)
	gone := gatewaytest.Dial(t, r.addr)
	gone.Send(request(r.key("laptop", store.RelayKeySpec{}), streamBody))
	if _, err := gatewaytest.ReadUntil(gone.Response().Body, finishEvent); err != nil {
		t.Error(err)
	}
	gone.Reset()
}
