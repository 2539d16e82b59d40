package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// impatient makes a rig fill silences after so long.
func impatient(after time.Duration) func(*gateway.Options) {
	return func(o *gateway.Options) { o.StreamKeepAlive = after }
}

// stream opens a stream and returns its body.
func (r *rig) stream(k kind, key string, headers ...string) (*gatewaytest.Client, *http.Response) {
	r.tb.Helper()
	c := gatewaytest.Dial(r.tb, r.addr)
	c.Send(k.request(key, headers...))
	answer := c.Response()
	if answer.StatusCode != 200 {
		text, _ := readAll(answer.Body)
		r.tb.Fatalf("the stream began with %d %s", answer.StatusCode, text)
	}
	return c, answer
}

// hearsAlive reads the body until so many silences of it have been filled.
func (r *rig) hearsAlive(answer *http.Response, k kind, times int) (all string) {
	r.tb.Helper()
	one := make([]byte, 1)
	for k.filled(all) < times {
		n, err := answer.Body.Read(one)
		if all += string(one[:n]); err != nil && k.filled(all) < times {
			r.tb.Fatalf("after %q: %v", all, err)
		}
	}
	return all
}

// hears reads the body until it has held the text so many times.
func (r *rig) hears(answer *http.Response, text string, times int) (all string) {
	r.tb.Helper()
	for range times {
		read, err := gatewaytest.ReadUntil(answer.Body, text)
		if all += read; err != nil {
			r.tb.Fatalf("after %q: %v", all, err)
		}
	}
	return all
}

func TestKeepAlive_FillsTheSilencesOfAStream(t *testing.T) {
	for _, k := range talkingKinds() {
		r, up := newStand(t, impatient(5*time.Millisecond))
		key := r.key("laptop", store.RelayKeySpec{})
		for name, parts := range map[string][2]gatewaytest.Script{
			"before the head":        {gatewaytest.Join(), gatewaytest.Join(k.opening(), k.closing())},
			"before the first event": {k.head(), gatewaytest.Join(gatewaytest.Chunk(k.answer(7, 3)[0]), k.closing())},
			"after the first event":  {k.opening(), k.closing()},
			"within an event": {
				gatewaytest.Join(k.opening(), gatewaytest.Chunk(k.part())),
				gatewaytest.Join(gatewaytest.Chunk(strings.TrimPrefix(k.answer(7, 3)[1], k.part())), gatewaytest.Chunk(k.answer(7, 3)[2:]...), gatewaytest.LastChunk()),
			},
		} {
			t.Run(k.name+" "+name, func(t *testing.T) {
				more, before := make(chan struct{}), len(up.Requests())
				up.Play(gatewaytest.Join(parts[0], gatewaytest.Wait(more), parts[1]))
				_, answer := r.stream(k, key)
				heard := r.hearsAlive(answer, k, 3)
				close(more)
				rest, err := readAll(answer.Body)
				if got := k.unfilled(heard + rest); got != k.sent() || err != nil {
					t.Errorf("got %q (%v), want %q", heard+rest, err, k.sent())
				}
				for name, want := range map[string]string{"Content-Type": k.contentType, "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no", "X-Relay-Attempts": "1", "X-Relay-Model": k.model} {
					if got := answer.Header.Get(name); got != want {
						t.Errorf("header %s is %q, want %q", name, got, want)
					}
				}
				if e := r.events(before + 1)[before]; e.Status != 200 || e.ErrorKind != "" || e.Tokens.Output != 3 || e.Host == "" {
					t.Errorf("event %+v", e)
				}
			})
		}
	}
}

// Before anything has been sent the next key is tried, whatever went wrong.
func TestKeepAlive_TakesNoFailoverAwayBeforeItsTime(t *testing.T) {
	for _, k := range streamKinds() {
		r, up := newStand(t, impatient(time.Hour))
		r.second(hosts()...)
		key := r.key("laptop", store.RelayKeySpec{})
		up.Play(gatewaytest.Join(k.head(), gatewaytest.Chunk(k.filler, k.filler), gatewaytest.Reset()), k.says(7, 3))
		if a := r.ask(k, key); a.Status != 200 || a.Body != k.sent() || a.Header.Get("X-Relay-Attempts") != "2" {
			t.Errorf("%s: got %d %q", k.name, a.Status, a.Body)
		}
	}
}

// second gives the hosts another key each.
func (r *rig) second(hosts ...string) {
	r.tb.Helper()
	for _, host := range hosts {
		put(r, host+"-2", store.HostKeySpec{HostID: r.record(store.KindHost, host), Source: store.KeySource{Kind: "env", Env: "SECOND_" + host}})
	}
}

// After it everything that goes wrong ends the stream with an error event of
// the caller's shape, and no other key is tried.
func TestKeepAlive_MakesALateFaultAnErrorEvent(t *testing.T) {
	object := `{"error":{"message":"said by upstream","type":"t","code":`
	for _, k := range streamKinds() {
		if !k.begins {
			continue // see TestKeepAlive_OfAStreamThatCannotBeginLeavesTheNextKeyItsTurn
		}
		r, up := newStand(t, impatient(5*time.Millisecond))
		r.second(hosts()...)
		key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
		for name, f := range map[string]struct {
			then      gatewaytest.Script
			text, why string
		}{
			"reset":             {gatewaytest.Reset(), "closed the connection before it answered", "upstream_unavailable"},
			"401":               {gatewaytest.JSON(401, object+`"c"}}`), "does not accept the provider key", "upstream_auth"},
			"429":               {gatewaytest.JSON(429, object+`"c"}}`), "said by upstream", "upstream_error"},
			"400":               {gatewaytest.JSON(400, object+`"c"}}`), "said by upstream", "upstream_error"},
			"503":               {gatewaytest.JSON(503, object+`"c"}}`), "answered with status 503: said by upstream", "upstream_unavailable"},
			"redirect":          {gatewaytest.Head(302, "Location: http://192.0.2.1/", "Content-Length: 0"), "redirect", "upstream_redirect"},
			"no JSON":           {gatewaytest.JSON(200, "<html>"), "no JSON object", "upstream_invalid_response"},
			"an error with 200": {gatewaytest.JSON(200, object+`503}}`), "said by upstream", "upstream_error"},
			"whole after all":   {gatewaytest.JSON(200, k.whole().answer(7, 3)[0]), "answered whole", "upstream_invalid_response"},
			"no event":          {k.streams(k.filler), "broke its stream off before its end", "truncated"},
			"an error event":    {k.streams(k.first(object + `503}}`)), "said by upstream", "upstream_error"},
		} {
			t.Run(k.name+" "+name, func(t *testing.T) {
				more, before := make(chan struct{}), len(up.Requests())
				up.Play(gatewaytest.Join(gatewaytest.Wait(more), f.then))
				_, answer := r.stream(k, key)
				heard := ""
				if k.alive != "" {
					heard = r.hearsAlive(answer, k, 1)
				}
				close(more)
				rest, err := readAll(answer.Body)
				begins := `"error":{`
				if k.shape == store.ShapeOllama {
					begins = `"error":` // of a text, or of what the upstream has said
				}
				got := k.unfilled(heard + rest)
				k.mustParse(t, name, got)
				if !strings.Contains(got, f.text) || !strings.Contains(got, begins) || strings.Contains(got, k.terminal) || err != nil {
					t.Errorf("got %q, %v; want an error event with %q", got, err, f.text)
				}
				if n := len(up.Requests()) - before; n != 1 {
					t.Errorf("the upstream saw %d requests, want 1", n)
				}
				if e := r.events(before + 1)[before]; e.Status != 200 || e.ErrorKind != f.why {
					t.Errorf("event %+v, want %q", e, f.why)
				}
				r.mustBeIdle(name)
				r.reset(k.host()+"-1", k.host()+"-2")
			})
		}
	}
}

// A long event is passed on in pieces. What fills silences would tear it, so it
// waits; another stream, silent as long, tells that the time had come.
func TestKeepAlive_NeverStandsWithinAnEvent(t *testing.T) {
	for _, k := range streamKinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t, impatient(2*time.Millisecond))
			long := k.event(`{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("long ", 40_000) + `"}}]}`)
			ticks := k.ticking()
			more, clock := make(chan struct{}), make(chan struct{})
			up.Play(
				gatewaytest.Join(k.opening(), gatewaytest.Chunk(long[:150_000]), gatewaytest.Wait(more), gatewaytest.Chunk(long[150_000:]), k.closing()),
				gatewaytest.Join(ticks.opening(), gatewaytest.Wait(clock), ticks.closing()))
			key := r.key("laptop", store.RelayKeySpec{})
			_, answer := r.stream(k, key)
			heard := r.hears(answer, "long long long", 1)
			_, ticking := r.stream(ticks, key)
			r.hearsAlive(ticking, ticks, 10)
			close(more)
			close(clock)
			if _, err := readAll(ticking.Body); err != nil {
				t.Error(err)
			}
			rest, err := readAll(answer.Body)
			body := heard + rest
			at := strings.Index(body, long[:100])
			if at < 0 || err != nil || !strings.HasPrefix(body[at:], long) {
				t.Errorf("the event is torn: %v, %d bytes", err, len(body))
			}
			if got := k.unfilled(body); got != strings.Replace(k.sent(), k.answer(7, 3)[1], long+k.answer(7, 3)[1], 1) {
				t.Errorf("the stream around it is %d bytes", len(got))
			}
		})
	}
}

func TestKeepAlive_PassesTheUpstreamsOwnCommentsOnWhenItsTimeHasCome(t *testing.T) {
	for _, k := range talkingKinds() {
		r, up := newStand(t, impatient(5*time.Millisecond))
		more := make(chan struct{})
		up.Play(gatewaytest.Join(k.head(), gatewaytest.Chunk(": PROCESSING\n\n"), gatewaytest.Wait(more), gatewaytest.Chunk(k.answer(7, 3)[0]), k.closing()))
		_, answer := r.stream(k, r.key("laptop", store.RelayKeySpec{}))
		r.hears(answer, ": PROCESSING\n\n", 1)
		close(more)
		if rest, err := readAll(answer.Body); k.unfilled(rest) != k.sent() || err != nil {
			t.Errorf("%s: got %q, %v", k.name, rest, err)
		}
	}
}

// A byte order mark means something at the beginning of a stream only.
func TestKeepAlive_LeavesOutTheMarkThatWouldStandBehindIt(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	for _, k := range streamKinds() {
		r, up := newStand(t, impatient(5*time.Millisecond))
		more := make(chan struct{})
		up.Play(gatewaytest.Join(k.head(), gatewaytest.Wait(more), gatewaytest.Chunk(mark+k.answer(7, 3)[0]), k.closing()), gatewaytest.Join(k.head(), gatewaytest.Chunk(mark+k.answer(7, 3)[0]), k.closing()))
		key := r.key("laptop", store.RelayKeySpec{})
		if k.alive == "" {
			close(more)
			r.ask(k, key)
		} else {
			_, answer := r.stream(k, key)
			r.hearsAlive(answer, k, 1)
			close(more)
			if rest, err := readAll(answer.Body); k.unfilled(rest) != k.sent() || err != nil {
				t.Errorf("%s: got %q, %v", k.name, rest, err)
			}
		}
		if a := r.ask(k, key); k.unfilled(a.Body) != mark+k.sent() {
			t.Errorf("%s: without a silence before it: %q", k.name, a.Body)
		}
	}
}
