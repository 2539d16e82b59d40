package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// idle makes a rig cut streams off that are silent for so long.
func idle(after time.Duration) func(*gateway.Options) {
	return func(o *gateway.Options) { o.StreamIdleTimeout = after }
}

// ownIdle gives the hosts an idle time-out of their own.
func (r *rig) ownIdle(after time.Duration, hosts ...string) {
	r.tb.Helper()
	for _, host := range hosts {
		most := store.Duration(after)
		edit(r, host, func(h *store.Host) { h.Spec.Timeouts = &store.HostTimeouts{Idle: &most} })
	}
}

func TestIdle_ASilentUpstreamIsCutOffWithAnErrorEvent(t *testing.T) {
	for _, k := range streamKinds() {
		for name, prepare := range map[string]func() (*rig, *gatewaytest.Upstream){
			"by the setting": func() (*rig, *gatewaytest.Upstream) { return newStand(t, idle(20*time.Millisecond)) },
			"by the host": func() (*rig, *gatewaytest.Upstream) {
				r, up := newStand(t, idle(time.Hour))
				r.ownIdle(20*time.Millisecond, hosts()...)
				return r, up
			},
			"under keep-alives": func() (*rig, *gatewaytest.Upstream) {
				return newStand(t, idle(60*time.Millisecond), impatient(5*time.Millisecond))
			},
		} {
			t.Run(k.name+" "+name, func(t *testing.T) {
				r, up := prepare()
				key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
				for cut, script := range map[string]gatewaytest.Script{
					"": gatewaytest.Join(k.opening(), gatewaytest.Hang()), "mid-event": gatewaytest.Join(k.opening(), gatewaytest.Chunk(k.part()), gatewaytest.Hang()),
					"mid-long": gatewaytest.Join(k.opening(), gatewaytest.Chunk(k.before+`{"choices":[{"delta":{"content":"`+strings.Repeat("x", 100_000)), gatewaytest.Hang()),
				} {
					up.Play(script)
					before := len(r.events(0))
					a := r.ask(k, key)
					if a.Status != 200 || !strings.HasPrefix(k.unfilled(a.Body), k.answer(7, 3)[0]) {
						t.Errorf("%s: got %d %.300q, %v", cut, a.Status, a.Body, a.Err)
					}
					k.mustEndIn(t, name, a, "upstream_timeout")
					if strings.Contains(a.Body, k.terminal) || a.Err == nil && !strings.Contains(a.Body, "sent nothing for too long (stream.idle_timeout)") {
						t.Errorf("%s: got %.300q", cut, a.Body)
					}
					if sent := up.Requests()[len(up.Requests())-1]; sent != nil {
						<-sent.Gone()
					}
					if e := r.events(before + 1)[before]; e.ErrorKind != "truncated" {
						t.Errorf("%s: event %+v", cut, e)
					}
					r.mustBeIdle(name)
				}
			})
		}
	}
}

// Comments are life; so is a part of an event. Each stream talks for longer than
// the time-out.
func TestIdle_AnUpstreamThatSaysAnythingAtAllLives(t *testing.T) {
	const beats = 100 // of 25 ms
	for _, k := range streamKinds() {
		for name, c := range map[string]struct{ before, word, behind string }{
			"fillers": {"", k.filler, ""}, "a long event, byte by byte": {k.before + `{"content":"`, "x", `"}` + k.behind},
		} {
			t.Run(k.name+" "+name, func(t *testing.T) {
				t.Parallel()
				r, up := newStand(t, idle(2*time.Second))
				tick := time.NewTicker(25 * time.Millisecond)
				defer tick.Stop()
				up.Play(gatewaytest.Join(k.opening(), said(c.before), func(x *gatewaytest.Exchange) error {
					for range beats {
						<-tick.C
						if err := gatewaytest.Chunk(c.word)(x); err != nil {
							return err
						}
					}
					return nil
				}, said(c.behind), k.closing()))
				a := r.ask(k, r.key("laptop", store.RelayKeySpec{}))
				if holdsError(a.Body) || a.Err != nil || strings.Count(a.Body, c.word) < beats {
					t.Errorf("got %q, %v", a.Body, a.Err)
				}
			})
		}
	}
}

// said is a chunk, or nothing for no text.
func said(text string) gatewaytest.Script {
	if text == "" {
		return gatewaytest.Join()
	}
	return gatewaytest.Chunk(text)
}

// An idle time-out is about the upstream: time that the caller takes does not
// count.
func TestIdle_ASlowCallerIsNotTheUpstreamsSilence(t *testing.T) {
	for _, k := range streamRepresentatives() { // the rest passes the same way, and each takes seconds
		r, up := newStand(t, idle(time.Second))
		event := k.event(`{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("much ", 2000) + `"}}]}`)
		const much = 3000 // events of 10 KB: more than the buffers between hold
		up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType), gatewaytest.Raw(k.answer(7, 3)[0]), gatewaytest.Fill(much, event), gatewaytest.Raw(k.answer(7, 3)[1:]...), gatewaytest.Close()))
		key := r.key("laptop", store.RelayKeySpec{})
		_, answer := r.stream(k, key)
		r.hears(answer, k.ends, 1)
		for range 2 { // streams that are cut tell how often the time has come without a read
			up.Play(gatewaytest.Join(k.opening(), gatewaytest.Hang()))
			if a := r.ask(k, key); !strings.Contains(a.Body, "sent nothing for too long") {
				t.Fatalf("%s: got %q", k.name, a.Body)
			}
		}
		rest, err := readAll(answer.Body)
		if n := strings.Count(rest, event); n != much || err != nil || holdsError(rest) {
			t.Errorf("%s: %d of %d events, %v, ending %q", k.name, n, much, err, rest[max(0, len(rest)-200):])
		}
	}
}

// An answer that has refused but does not come to its end keeps nobody.
func TestRefusal_WhoseBodyNeverEndsGivesWayToTheNextKey(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		r.server.SetPatience(time.Minute, 20*time.Millisecond)
		r.second(hosts()...)
		up.Play(gatewaytest.Join(gatewaytest.Head(503, "Content-Type: application/json", "Content-Length: 500"), gatewaytest.Raw(`{"error":{"message":"so`), gatewaytest.Hang()), k.says(7, 3))
		a := r.ask(k, r.key("laptop", store.RelayKeySpec{}))
		if a.Status != 200 || a.Header.Get("X-Relay-Attempts") != "2" {
			t.Errorf("%s: got %d %s", k.name, a.Status, a.Body)
		}
		<-up.Request(0).Gone()
	}
}

func TestHeaderTimeout_IsToldAs504(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
		most := store.Duration(30 * time.Millisecond)
		for _, host := range hosts() {
			edit(r, host, func(h *store.Host) { h.Spec.Timeouts = &store.HostTimeouts{Header: &most} })
		}
		up.Play(gatewaytest.Hang())
		a := r.ask(k, key)
		if a.Status != 504 || !strings.Contains(a.Body, "sent no answer in time (timeouts.header)") {
			t.Errorf("%s: got %d %s", k.name, a.Status, a.Body)
		}
		wantShape(t, "header time-out", k, a.Body, "upstream_timeout")
		<-up.Request(0).Gone()
		if e := r.events(1)[0]; e.ErrorKind != "upstream_timeout" || e.Status != 504 {
			t.Errorf("%s: event %+v", k.name, e)
		}
		r.mustBeIdle("a header time-out")
	}
}
