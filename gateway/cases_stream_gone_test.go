package gateway_test

import (
	"fmt"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// leavings are the ways in which callers go.
func leavings() map[string]func(*gatewaytest.Client) {
	return map[string]func(*gatewaytest.Client){
		"close": (*gatewaytest.Client).Close, "reset": (*gatewaytest.Client).Reset, "half-close": (*gatewaytest.Client).CloseWrite,
	}
}

// drained makes the hosts read answers on for callers that have gone.
func (r *rig) drained(most time.Duration, hosts ...string) {
	r.tb.Helper()
	for _, host := range hosts {
		edit(r, host, func(h *store.Host) { h.Spec.DrainOnDisconnect = store.Duration(most) })
	}
}

func TestGone_TheUpstreamIsCancelledAndWhatIsKnownIsRecorded(t *testing.T) {
	for _, k := range kinds() {
		for name, leave := range leavings() {
			for _, begun := range []bool{false, true} {
				if begun && !k.streamed {
					continue
				}
				t.Run(fmt.Sprint(k.name, " ", name, " ", begun), func(t *testing.T) {
					r, up := newStand(t)
					r.second(hosts()...)
					key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
					if begun {
						up.Play(gatewaytest.Join(k.opening(), gatewaytest.Hang()))
					} else {
						up.Play(gatewaytest.Hang())
					}
					up.Otherwise(k.says(7, 3))
					c := gatewaytest.Dial(t, r.addr)
					c.Send(k.request(key))
					sent := up.Request(0)
					if begun {
						r.hears(c.Response(), k.ends, 1)
					}
					leave(c)
					<-sent.Gone()
					e := r.events(1)[0]
					want := int64(0)
					if begun && k.tellsInput {
						want = 7
					}
					if e.ErrorKind != "client_closed" || e.Tokens.Input != want || e.Tokens.Output > 1 {
						t.Errorf("event %+v", e)
					}
					if status := map[bool]int{false: 499, true: 200}[begun]; e.Status != status {
						t.Errorf("status %d, want %d", e.Status, status)
					}
					until(t, "the call is over", func() bool { return r.server.InFlight() == 0 })
					r.mustBeIdle(name)
					for id, state := range r.server.KeyStates() {
						if state.State != "closed" {
							t.Errorf("key %s is %s: a caller that leaves is nobody's fault", id, state.State)
						}
					}
					if n := len(up.Requests()); n != 1 {
						t.Errorf("%d attempts, want 1: nobody waits for another", n)
					}
					r.want(r.ask(k, key), 200, "")
				})
			}
		}
	}
}

// A caller that has stopped reading is cut once a write has waited too long.
func TestGone_ACallerThatNeverReadsIsCut(t *testing.T) {
	for _, k := range representatives() { // the rest passes the same way, and each takes seconds
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			r.server.SetPatience(50*time.Millisecond, time.Second)
			key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
			const much = 60 << 20 // more than the buffers of both sockets hold
			if k.streamed {
				up.Play(gatewaytest.Join(k.opening(), gatewaytest.Raw(fmt.Sprintf("%x\r\n", much)), gatewaytest.Fill(much/16, k.much()), gatewaytest.Hang()))
			} else {
				text := k.answer(7, 3)[0]
				up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", much+len(text))), gatewaytest.Fill(much/16, "                "), gatewaytest.Raw(text)))
			}
			c := gatewaytest.Dial(t, r.addr)
			c.Send(k.request(key))
			up.Request(0)
			until(t, "the call is over", func() bool { return len(up.Requests()) == 1 && r.server.InFlight() == 0 })
			r.mustBeIdle("a caller that never reads")
			if k.streamed {
				<-up.Request(0).Gone()
				if e := r.events(1)[0]; e.ErrorKind != "client_closed" {
					t.Errorf("event %+v", e)
				}
			}
			up.Otherwise(k.says(7, 3))
			r.want(r.ask(k, key), 200, "")
		})
	}
}

// Drained answers are read to their end, and their usage is recorded.
func TestDrain_ReadsTheAnswerOnForItsUsage(t *testing.T) {
	for _, k := range kinds() {
		for name, leave := range leavings() {
			t.Run(k.name+" "+name, func(t *testing.T) {
				r, up := newStand(t)
				r.drained(time.Minute, hosts()...)
				more := make(chan struct{})
				up.Play(k.saysAfter(7, 3, gatewaytest.Wait(more)))
				up.Otherwise(k.says(7, 3))
				key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
				c := gatewaytest.Dial(t, r.addr)
				c.Send(k.request(key))
				sent := up.Request(0)
				if k.streamed {
					r.hears(c.Response(), k.ends, 1)
				}
				leave(c)
				until(t, "the drain has begun", func() bool { return r.server.Drains() == 1 })
				close(more)
				e := r.events(1)[0]
				if e.ErrorKind != "client_closed" || e.Tokens.Input+e.Tokens.Output != 10 || e.CostNanos == nil || e.Attempts[0].Status != 200 {
					t.Errorf("event %+v", e)
				}
				<-sent.Ended()
				select {
				case <-sent.Gone():
					t.Error("the upstream was cancelled")
				default:
				}
				until(t, "the call is over", func() bool { return r.server.InFlight() == 0 })
				if n := r.server.Drains(); n != 0 {
					t.Errorf("%d drains are left", n)
				}
				r.mustBeIdle("a drain")
				r.want(r.ask(k, key), 200, "")
			})
		}
	}
}

func TestDrain_EndsWhenItsTimeIsOver(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		r.drained(20*time.Millisecond, hosts()...)
		up.Play(k.saysAfter(7, 3, gatewaytest.Hang()))
		key := r.key("laptop", store.RelayKeySpec{})
		c := gatewaytest.Dial(t, r.addr)
		c.Send(k.request(key))
		sent := up.Request(0)
		c.Close()
		<-sent.Gone()
		if e := r.events(1)[0]; e.ErrorKind != "client_closed" {
			t.Errorf("%s: event %+v", k.name, e)
		}
		until(t, "the call is over", func() bool { return r.server.InFlight() == 0 && r.server.Drains() == 0 })
		for id, state := range r.server.KeyStates() {
			if state.State != "closed" {
				t.Errorf("%s: key %s is %s", k.name, id, state.State)
			}
		}
	}
}

func TestDrain_NoMoreThan64RunAtOnce(t *testing.T) {
	r, up := newStand(t)
	r.drained(time.Minute, "up")
	k, key := kinds()[1], r.key("laptop", store.RelayKeySpec{})
	more := make(chan struct{})
	up.Otherwise(k.saysAfter(7, 3, gatewaytest.Wait(more)))
	const calls = 70
	var callers []*gatewaytest.Client
	for range calls {
		c, answer := r.stream(k, key)
		r.hears(answer, k.ends, 1)
		callers = append(callers, c)
	}
	for _, c := range callers {
		c.Reset()
	}
	until(t, "the rest is cancelled", func() bool { return r.server.Drains() == 64 && r.server.InFlight() == 64 })
	until(t, "six are cancelled", func() bool {
		gone := 0
		for _, sent := range up.Requests() {
			select {
			case <-sent.Gone():
				gone++
			default:
			}
		}
		return gone == calls-64
	})
	close(more)
	until(t, "the drains are over", func() bool { return r.server.InFlight() == 0 && r.server.Drains() == 0 })
	counted := 0
	for _, e := range r.events(calls) {
		if e.ErrorKind != "client_closed" {
			t.Errorf("event %+v", e)
		}
		if e.Tokens.Output == 3 {
			counted++
		}
	}
	if counted != 64 {
		t.Errorf("the usage of %d is known, want 64", counted)
	}
}

// Nobody waits for a drain, least of all the end of the process.
func TestDrain_IsCutByTheStopOfRelay(t *testing.T) {
	r, up := newStand(t)
	r.drained(time.Minute, "up")
	k, key := kinds()[1], r.key("laptop", store.RelayKeySpec{})
	up.Otherwise(k.saysAfter(7, 3, gatewaytest.Hang()))
	c, answer := r.stream(k, key)
	r.hears(answer, k.ends, 1)
	c.Reset()
	until(t, "the drain has begun", func() bool { return r.server.Drains() == 1 })
	r.stop(gateway.ErrStopping)
	<-up.Request(0).Gone()
	until(t, "the call is over", func() bool { return r.server.InFlight() == 0 })
	if e := r.events(1)[0]; e.ErrorKind != "client_closed" {
		t.Errorf("event %+v", e)
	}
}

// A key that is revoked takes its streams with it; one that is switched off,
// rotated or renamed does not.
func TestRevoked_AKeyTakesItsStreamsWithIt(t *testing.T) {
	now := time.Now().UTC()
	for name, change := range map[string]func(r *rig){
		"revoked": func(r *rig) { edit(r, "laptop", func(k *store.RelayKey) { k.Spec.RevokedAt = &now }) },
		"deleted": func(r *rig) { r.remove(store.KindRelayKey, "laptop") },
	} {
		for _, k := range streamKinds() {
			t.Run(k.name+" "+name, func(t *testing.T) {
				r, up := newStand(t)
				end := make(chan struct{})
				up.Otherwise(gatewaytest.Join(k.opening(), gatewaytest.Wait(end), k.closing()))
				key, other := r.key("laptop", store.RelayKeySpec{}), r.key("other", store.RelayKeySpec{})
				_, theirs := r.stream(k, other)
				_, answer := r.stream(k, key)
				heard := r.hears(answer, k.ends, 1)
				change(r)
				rest, err := readAll(answer.Body)
				k.mustParse(t, name, heard+rest)
				wantShape(t, name, k, k.lastEvent(heard+rest), "key_revoked")
				if err != nil {
					t.Error(err)
				}
				<-up.Request(1).Gone()
				if e := r.events(1)[0]; e.ErrorKind != "key_revoked" {
					t.Errorf("event %+v", e)
				}
				close(end)
				if rest, err := readAll(theirs.Body); err != nil || rest != k.sent() {
					t.Errorf("the other key's stream got %q, %v", rest, err)
				}
			})
		}
	}
}
