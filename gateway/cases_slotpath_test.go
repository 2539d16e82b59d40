package gateway_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

const slotRounds = 50 // of each path

// A caller that may have one call in flight goes every path again and again,
// and is never refused for what it had in flight before.
func TestSlotPaths_EachGivesItsSlotBackEveryTime(t *testing.T) {
	const callers = 10
	s := newSlotStand(t, callers)
	before := s.rest()
	for _, p := range slotPaths() {
		var going sync.WaitGroup
		for caller := range callers {
			going.Go(func() {
				for round := range slotRounds / callers {
					s.goAndCheck(p, s.kindFor(p, caller+round), caller)
				}
			})
		}
		going.Wait()
		until(t, p.name+" is over", func() bool { return s.server.InFlight() == 0 && s.server.Drains() == 0 })
		s.mustBeIdle(p.name)
		for caller := range callers {
			s.mustServe(p.name, caller)
		}
	}
	s.mustRest(before)
}

// kindFor is the kind whose turn it is among those that can go the path.
func (s *slotStand) kindFor(p slotPath, turn int) kind {
	all := kinds()
	for !p.takes(all[turn%len(all)]) {
		turn++
	}
	return all[turn%len(all)]
}

// goAndCheck goes a path and looks at what came of it.
func (s *slotStand) goAndCheck(p slotPath, k kind, caller int) {
	s.tb.Helper()
	said := s.goOn(p, k, caller)
	if p.key == "" && strings.Contains(said, "in flight") {
		s.tb.Errorf("%s, %s: refused for a slot: %.300s", p.name, k.name, said)
	}
	if !strings.Contains(said, p.want) && !k.hasBegun(said) { // a slow machine may begin any stream
		s.tb.Errorf("%s, %s: got %.400s, want %q", p.name, k.name, said, p.want)
	}
}

// hasBegun reports whether an answer was begun in a silence.
func (k kind) hasBegun(said string) bool {
	if k.alive == "" {
		return k.begins && strings.HasPrefix(said, "HTTP/1.1 200 ")
	}
	return strings.Contains(said, k.alive)
}

// mustServe fails the test unless a plain call of the caller is answered.
func (s *slotStand) mustServe(after string, caller int) {
	s.tb.Helper()
	k := kinds()[caller%len(kinds())]
	if said := s.goOn(slotPath{name: "plain"}, k, caller); !strings.HasPrefix(said, "HTTP/1.1 200 ") {
		s.tb.Errorf("after %s a plain call of caller %d got %.300s", after, caller, said)
	}
}

// Many callers go paths at random, all at once.
func TestSlotPaths_AnyMixEndsWithNothingInFlight(t *testing.T) {
	const callers, calls = 64, 10_000
	s := newSlotStand(t, callers)
	paths := slotPaths()
	before := s.rest()
	var left atomic.Int64
	left.Store(calls)
	var going sync.WaitGroup
	for caller := range callers {
		going.Go(func() {
			random := rand.New(rand.NewPCG(uint64(caller), 7))
			for left.Add(-1) >= 0 {
				p := paths[random.IntN(len(paths))]
				if p.costly && random.IntN(20) > 0 {
					p = slotPath{name: "plain"}
				}
				s.goAndCheck(p, s.kindFor(p, random.IntN(len(kinds()))), caller)
			}
		})
	}
	going.Wait()
	s.mustRest(before)
	for caller := range callers {
		s.mustServe("the mix", caller)
	}
	s.mustRest(before)
}

// One after the other, at one call in flight, nobody is ever refused.
func TestSlotPaths_ASequentialCallerOfStreamsIsNeverRefused(t *testing.T) {
	r, up := newStand(t)
	for _, k := range streamRepresentatives() { // the rest passes the same way, and each takes seconds
		up.Otherwise(k.says(7, 3))
		key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
		c := gatewaytest.Dial(t, r.addr)
		for i := range 3000 {
			c.Send(k.request(key))
			if a := c.Answer(); a.Status != 200 || a.Body != k.sent() {
				t.Fatalf("%s: call %d: %d %s", k.name, i, a.Status, a.Body)
			}
		}
	}
}

// The stop of Relay cuts what runs, and gives everything back.
func TestSlotPaths_TheStopGivesEverySlotBack(t *testing.T) {
	r, up := newStand(t)
	r.policy(sliding(limiter.MeterConcurrency, 1000, time.Minute))
	key := r.key("laptop", store.RelayKeySpec{})
	var callers []*gatewaytest.Client
	for i := range slotRounds {
		k := kinds()[i%len(kinds())]
		up.Play(k.saysAfter(7, 3, gatewaytest.Hang()))
		c := gatewaytest.Dial(t, r.addr)
		c.Send(k.request(key))
		callers = append(callers, c)
		up.Request(i)
	}
	until(t, "all are in flight", func() bool { return r.server.InFlight() == slotRounds })
	r.stop(gateway.ErrStopping)
	until(t, "all are cut", func() bool { return r.server.InFlight() == 0 })
	r.mustBeIdle("the stop")
	for i, c := range callers {
		if a := c.Answer(); !strings.Contains(a.Body, "Relay is stopping") || a.Err != nil {
			t.Errorf("%s: got %d %q, %v", kinds()[i%len(kinds())].name, a.Status, a.Body, a.Err)
		}
	}
	until(t, "the upstream's connections are closed", func() bool { return up.Open() == 0 })
}

// A usage queue that is full refuses calls and holds nothing for them; one whose
// disk fails holds nothing either.
func TestSlotPaths_AFullUsageQueueHoldsNothing(t *testing.T) {
	r := newUnrecordedRig(t, func(*gateway.Options) {})
	up := gatewaytest.New(t)
	r.stock(up)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	for r.db.AdmitUsage(64 << 10) { // nobody writes yet
	}
	for r.db.AdmitUsage(16) {
	}
	for i := range slotRounds {
		k := kinds()[i%len(kinds())]
		up.Otherwise(k.says(7, 3))
		r.want(r.ask(k, key), 503, "Usage cannot be recorded now")
		r.mustBeIdle("a full queue")
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("%d requests reached the upstream", n)
	}
}

// Strict usage that cannot be written cuts the answer and frees its slot.
func TestSlotPaths_UsageThatIsNotWrittenHoldsNothing(t *testing.T) {
	r := newUnrecordedRig(t, strictly(5*time.Millisecond))
	up := gatewaytest.New(t)
	r.stock(up)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	for i := range slotRounds {
		k := kinds()[i%len(kinds())]
		up.Otherwise(k.says(7, 3))
		if a := r.ask(k, key); !strings.Contains(a.Body, "cannot be recorded now") {
			t.Fatalf("%s: got %d %s", k.name, a.Status, a.Body)
		}
		until(t, "the call is over", func() bool { return r.server.InFlight() == 0 })
		r.mustBeIdle("usage that is not written")
	}
	r.startUsage()
	ctx, cancel := context.WithTimeout(context.Background(), gatewaytest.Patience)
	defer cancel()
	if err := r.db.FlushUsage(ctx); err != nil {
		t.Fatal(err)
	}
	up.Otherwise(kinds()[0].says(7, 3))
	until(t, "calls are served again", func() bool { return r.call(key, chatBody).Status == 200 })
}
