package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// lifted is a stand with a key for each kind, of which each has three requests
// and 1,000 tokens a day save in the spans.
type lifted struct {
	*rig
	up       *gatewaytest.Upstream
	keys     map[string]string
	counters map[string][]*limiter.Limit // that are enforced at noon
}

func newLifted(t *testing.T, spans ...store.Suspend) *lifted {
	t.Helper()
	r, up := newStand(t)
	r.policy(sliding(limiter.MeterRequests, 3, 24*time.Hour), sliding(limiter.MeterTokens, 1000, 24*time.Hour))
	edit(r, "rl", func(rl *store.RateLimit) { rl.Spec.Per, rl.Spec.Suspend = []string{"key"}, spans })
	s := &lifted{r, up, map[string]string{}, map[string][]*limiter.Limit{}}
	for _, k := range kinds() {
		s.keys[k.name] = r.key(strings.ReplaceAll(k.name, " ", "-"), store.RelayKeySpec{})
	}
	for _, k := range kinds() {
		s.counters[k.name] = r.held(s.keys[k.name], k.model)
	}
	return s
}

// each does the same for every kind at a time of the zone.
func (s *lifted) each(zone, at string, do func(k kind)) {
	s.tb.Helper()
	s.at(local(s.tb, zone, at))
	for _, k := range kinds() {
		do(k)
	}
}

// local reads a time of day, with its offset where a day has it twice.
func local(tb testing.TB, zone, at string) time.Time {
	tb.Helper()
	if when, err := time.Parse("2006-01-02 15:04:05.999999999 -0700", at); err == nil {
		return when
	}
	in, err := time.LoadLocation(zone)
	if err != nil {
		tb.Fatal(err)
	}
	when, err := time.ParseInLocation("2006-01-02 15:04:05.999999999", at, in)
	if err != nil {
		tb.Fatal(err)
	}
	return when
}

// passes makes calls of ten tokens that pass, after which so many requests are
// counted, and their tokens.
func (s *lifted) passes(calls int, counted int64) func(k kind) {
	return func(k kind) {
		s.tb.Helper()
		s.answers(k, s.up, s.keys[k.name], calls, 7, 3)
		s.counts(k, counted, 10*counted)
	}
}

func (s *lifted) counts(k kind, requests, tokens int64) {
	s.tb.Helper()
	want := map[limiter.Meter]int64{limiter.MeterRequests: requests, limiter.MeterTokens: tokens}
	if len(s.counters[k.name]) != len(want) {
		s.tb.Fatalf("%s: the key is under %s", k.name, s.standing(s.counters[k.name]))
	}
	for _, l := range s.counters[k.name] {
		meter := l.Counter.Name().Meter
		if n := s.memory.Read(s.clock.Now(), l.Counter).Used; n != want[meter] {
			s.tb.Fatalf("%s at %s: %d %s are counted, want %d", k.name, time.Unix(0, s.clock.Now().Wall).UTC(), n, meter, want[meter])
		}
	}
}

// refuses checks that a call is refused, since the day's three are used up.
func (s *lifted) refuses(k kind) {
	s.tb.Helper()
	arrived := len(s.up.Requests())
	s.want(s.ask(k, s.keys[k.name]), 429, inJSON(`Limit "rl" of policy open: 3 of 3 requests in 1d used; retry after`))
	s.wantArrived(s.up, arrived)
}

func TestSuspend_ASpanOverMidnightBelongsToTheDayOnWhichItStarts(t *testing.T) {
	s := newLifted(t, store.Suspend{Days: []string{"tue"}, Start: "22:00", End: "06:00"})
	s.each("UTC", "2026-03-03 05:00:00", s.passes(1, 1)) // the morning of that day is Monday's night
	s.each("UTC", "2026-03-03 21:59:59.999999999", s.passes(1, 2))
	s.each("UTC", "2026-03-03 22:00:00", s.passes(5, 2))
	s.each("UTC", "2026-03-04 00:00:00", s.passes(5, 2))
	s.each("UTC", "2026-03-04 05:59:59.999999999", s.passes(1, 1)) // the first is a day old
	s.each("UTC", "2026-03-04 06:00:00", s.passes(2, 3))
	s.each("UTC", "2026-03-04 06:00:00", s.refuses)
	s.each("UTC", "2026-03-04 21:00:00", s.refuses)
	s.each("UTC", "2026-03-04 23:00:00", s.passes(1, 3)) // no longer that day's; what is a day old has left
	s.each("UTC", "2026-03-04 23:00:00", s.refuses)
}

// On one day the clock is put forward at two, to three, on the other back at
// three, to two.
func TestSuspend_FollowsTheClockWhereItIsPutForwardAndBack(t *testing.T) {
	const zone = "Europe/Berlin"
	s := newLifted(t, store.Suspend{Timezone: zone, Start: "01:30", End: "03:30"})
	fill := func(day string) {
		s.each(zone, day+" 01:29:59.999999999", s.passes(3, 3))
		s.each(zone, day+" 01:29:59.999999999", s.refuses)
	}
	fill("2026-03-29")
	s.each(zone, "2026-03-29 01:30:00", s.passes(1, 3))
	s.each(zone, "2026-03-29 01:59:59.999999999", s.passes(1, 3))
	s.each(zone, "2026-03-29 03:00:00", s.passes(1, 3)) // a nanosecond later
	s.each(zone, "2026-03-29 03:29:59.999999999", s.passes(1, 3))
	s.each(zone, "2026-03-29 03:30:00", s.refuses)
	fill("2026-10-25")
	s.each(zone, "2026-10-25 01:30:00", s.passes(1, 3))
	s.each(zone, "2026-10-25 02:45:00 +0200", s.passes(1, 3))
	s.each(zone, "2026-10-25 02:15:00 +0100", s.passes(1, 3)) // half an hour later
	s.each(zone, "2026-10-25 03:29:59.999999999", s.passes(1, 3))
	s.each(zone, "2026-10-25 03:30:00", s.refuses)
}

// What is in flight at the edges of a span counts as it was admitted.
func TestSuspend_ByDatesKeepsWhatIsCounted(t *testing.T) {
	const zone = "America/New_York"
	s := newLifted(t,
		store.Suspend{Timezone: zone, Dates: []string{"2026-12-25", "2027-01-01"}, Start: "00:00", End: "24:00"},
		store.Suspend{Timezone: zone, Dates: []string{"2026-12-31"}, Start: "18:00", End: "02:00"},
	)
	s.each(zone, "2026-12-24 23:00:00", s.passes(1, 1))
	s.at(local(t, zone, "2026-12-24 23:59:59.999999999"))
	ends := map[string]func(){}
	for _, k := range kinds() {
		ends[k.name] = s.hangs(k, s.up, s.keys[k.name])
	}
	s.each(zone, "2026-12-25 00:00:00", func(k kind) {
		s.counts(k, 2, 10)
		ends[k.name]()
		s.counts(k, 2, 20)
		ends[k.name] = s.hangs(k, s.up, s.keys[k.name])
	})
	s.each(zone, "2026-12-25 22:00:00", s.passes(4, 2))
	s.each(zone, "2026-12-26 00:00:00", func(k kind) {
		ends[k.name]()
		s.counts(k, 1, 10) // what was begun an hour before the span is a day old
	})
	s.each(zone, "2026-12-26 00:00:00", s.passes(2, 3))
	s.each(zone, "2026-12-26 00:00:00", s.refuses)
	s.each(zone, "2026-12-31 17:59:59", s.passes(3, 3))
	s.each(zone, "2026-12-31 17:59:59", s.refuses)
	s.each(zone, "2026-12-31 18:00:00", s.passes(1, 3))
	s.each(zone, "2027-01-01 03:00:00", s.passes(1, 3)) // of the one span, and of the other
	s.each(zone, "2027-12-25 12:00:00", s.passes(3, 3))
	s.each(zone, "2027-12-25 12:00:00", s.refuses) // a year later it is another date
}
