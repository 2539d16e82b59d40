package limiter_test

import (
	"testing"
	"time"

	"relay/limiter"
)

func TestJudge_SaysWhatReserveWouldAndChargesNothing(t *testing.T) {
	w := newWorld(t)
	limits := w.oneOfEach(2)
	if r := w.memory.Judge(w.now, limits); r.Refused() {
		t.Fatalf("judged %+v with nothing counted", r)
	}
	for range 2 {
		w.admit(limits[1])
	}
	w.pass(20 * time.Second)
	before := w.readings(limits)
	judged := w.memory.Judge(w.now, limits)
	if reserved := w.refuse(limits...); judged != reserved {
		t.Errorf("judged %+v, reserved %+v", judged, reserved)
	}
	for i, r := range w.readings(limits) {
		if r != before[i] {
			t.Errorf("a reading went from %+v to %+v", before[i], r)
		}
	}
}

func TestJudge_TakesCountersOfAnotherRegistryAsTheyAre(t *testing.T) {
	w := newWorld(t)
	aside := &limiter.Limit{
		Counter: limiter.NewRegistry().Use(1, limiter.Name{Owner: "o", Meter: limiter.MeterRequests, Strategy: limiter.SlidingWindow, Window: 60}),
		Amount:  1, Source: source(limiter.ScopeKey, 0),
	}
	if r := w.memory.Judge(w.now, []*limiter.Limit{aside}); r.Refused() {
		t.Errorf("refused: %+v", r)
	}
	if r := w.memory.Read(w.now, aside.Counter); r.Used != 0 || w.registry.Len() != 0 {
		t.Errorf("reading %+v, %d counters", r, w.registry.Len())
	}
}
