package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// TestTranslatedGone_TheUpstreamIsCancelledAndWhatIsKnownIsRecorded is cases B64 and
// B89 (a) and (b): however the caller goes, whole or streamed, before the answer or
// within it.
func TestTranslatedGone_TheUpstreamIsCancelledAndWhatIsKnownIsRecorded(t *testing.T) {
	r, up := newTongues(t)
	r.others()
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	calls := 0
	for _, p := range pairs() {
		for name, leave := range leavings() {
			for _, begun := range []bool{false, true} {
				if begun && !p.caller.streamed {
					continue
				}
				u := p.upstream
				texts, want := u.answer(7, 3), [2]int64{}
				if begun {
					up.Play(gatewaytest.Join(u.head(), gatewaytest.Chunk(texts[0], texts[1]), gatewaytest.Hang()))
					if u.tellsInput {
						want[0] = 7
					}
					if u.shape == store.ShapeAnthropic {
						want[1] = 1
					}
				} else {
					up.Play(gatewaytest.Hang())
				}
				c := gatewaytest.Dial(t, r.addr)
				c.Send(p.asks().request(key))
				sent := up.Request(calls)
				if begun {
					r.hears(c.Response(), "hel", 1)
				}
				leave(c)
				<-sent.Gone()
				calls++
				e := r.events(calls)[calls-1]
				if e.ErrorKind != "client_closed" || e.Tokens.Input != want[0] || e.Tokens.Output != want[1] || e.Status != map[bool]int{false: 499, true: 200}[begun] {
					t.Errorf("%s, %s, begun %v: recorded %+v", p.name(), name, begun, e)
				}
				until(t, "the call is over", func() bool { return r.server.InFlight() == 0 })
				r.mustBeIdle(p.name())
			}
		}
	}
	for id, state := range r.server.KeyStates() {
		if state.State != "closed" {
			t.Errorf("key %s is %s: a caller that leaves is nobody's fault", id, state.State)
		}
	}
	if n := len(up.Requests()); n != calls {
		t.Errorf("%d attempts for %d calls", n, calls)
	}
}

// TestTranslatedGone_IsDrainedWhereTheHostSaysSo is case B89 (c): what comes behind
// all content is still read.
func TestTranslatedGone_IsDrainedWhereTheHostSaysSo(t *testing.T) {
	r, up := newTongues(t)
	r.drained(time.Minute, "openai", "openai-responses", "anthropic", "gemini", "ollama")
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	calls := 0
	for _, p := range pairs() {
		more := make(chan struct{})
		u := p.upstream
		texts := u.answer(7, 3)
		if p.caller.streamed {
			up.Play(gatewaytest.Join(u.head(), gatewaytest.Chunk(texts[0], texts[1]), gatewaytest.Wait(more), gatewaytest.Chunk(texts[2:]...), gatewaytest.LastChunk()))
		} else {
			up.Play(u.saysAfter(7, 3, gatewaytest.Wait(more)))
		}
		c := gatewaytest.Dial(t, r.addr)
		c.Send(p.asks().request(key))
		sent := up.Request(calls)
		if p.caller.streamed {
			r.hears(c.Response(), "hel", 1)
		}
		c.Reset()
		until(t, "the drain has begun", func() bool { return r.server.Drains() == 1 })
		close(more)
		calls++
		e := r.events(calls)[calls-1]
		if e.ErrorKind != "client_closed" || e.Tokens.Input != 7 || e.Tokens.Output != 3 || e.CostNanos == nil || *e.CostNanos != 66_000 || e.Attempts[0].Status != 200 || e.ShapeOut != string(u.shape) {
			t.Errorf("%s: recorded %+v", p.name(), e)
		}
		<-sent.Ended()
		until(t, "the call is over", func() bool { return r.server.InFlight() == 0 && r.server.Drains() == 0 })
		r.mustBeIdle(p.name())
	}
}

// A caller that has stopped reading is cut once a write has waited too long.
func TestTranslatedGone_ACallerThatNeverReadsIsCut(t *testing.T) {
	for _, p := range []pair{{kindsNamed("chat stream")[0], kindsNamed("messages stream")[0]}, {kindsNamed("messages stream")[0], kindsNamed("ollama stream")[0]}, {kindsNamed("chat whole")[0], kindsNamed("messages whole")[0]}} {
		r, up := newTongues(t)
		r.server.SetPatience(50*time.Millisecond, time.Second)
		key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
		u := p.upstream
		words := strings.Repeat("word ", 1<<12)
		if p.caller.streamed {
			piece := strings.NewReplacer(`"hello"`, `"`+words+`"`, `"hel"`, `"`+words+`"`, `"lo"`, `"`+words+`"`).Replace(u.answer(7, 3)[1])
			up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+u.contentType), gatewaytest.Raw(u.answer(7, 3)[0]), gatewaytest.Fill(3000, piece), gatewaytest.Hang()))
		} else {
			before, behind, _ := strings.Cut(u.answer(7, 3)[0], "hello")
			up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json"), gatewaytest.Raw(before), gatewaytest.Fill(60<<20/len(words), words), gatewaytest.Raw(behind), gatewaytest.Close()))
		}
		c := gatewaytest.Dial(t, r.addr)
		c.Narrow()
		c.Send(p.asks().request(key))
		sent := up.Request(0)
		if p.caller.streamed {
			<-sent.Gone()
		}
		until(t, "the call is over", func() bool { return r.server.InFlight() == 0 })
		r.mustBeIdle("a caller that never reads")
		if e := r.events(1)[0]; p.caller.streamed && e.ErrorKind != "client_closed" {
			t.Errorf("%s: recorded %+v", p.name(), e)
		}
	}
}

// The stop of Relay cuts what runs, tells it, and gives everything back.
func TestTranslatedGone_TheStopOfRelayIsToldInTheCallersShape(t *testing.T) {
	r, up := newTongues(t)
	r.policy(sliding(limiter.MeterConcurrency, 1000, time.Minute))
	key := r.key("k", store.RelayKeySpec{})
	var callers []*gatewaytest.Client
	for i, p := range pairs() {
		up.Play(p.upstream.saysAfter(7, 3, gatewaytest.Hang()))
		c := gatewaytest.Dial(t, r.addr)
		c.Send(p.asks().request(key))
		callers = append(callers, c)
		up.Request(i)
	}
	until(t, "all are in flight", func() bool { return r.server.InFlight() == len(callers) })
	r.stop(gateway.ErrStopping)
	until(t, "all are cut", func() bool { return r.server.InFlight() == 0 })
	r.mustBeIdle("the stop")
	for i, c := range callers {
		p := pairs()[i]
		a := c.Answer()
		if last := p.caller.lastEvent(a.Body); !strings.Contains(last, "Relay is stopping") || !holdsError(last) || a.Err != nil || p.caller.terminal != "" && strings.Contains(a.Body, p.caller.terminal) {
			t.Errorf("%s: got %d %q, %v", p.name(), a.Status, a.Body, a.Err)
		}
	}
	until(t, "the upstream's connections are closed", func() bool { return up.Open() == 0 })
}
