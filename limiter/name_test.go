package limiter_test

import (
	"errors"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"relay/limiter"
)

// TestName_IsWrittenAsInEveryRelease pins the keys that counters are stored
// under. A change here loses every count at the next upgrade.
func TestName_IsWrittenAsInEveryRelease(t *testing.T) {
	for want, name := range map[string]limiter.Name{
		"p/l/s/m/u/requests/sliding-window/60": {Owner: "p", Limit: "l", Subject: "s", Model: "m", Per: "u", Meter: limiter.MeterRequests, Strategy: limiter.SlidingWindow, Window: 60},
		"p/limits///a%2Fb%25/tokens/aligned/1": {Owner: "p", Limit: "limits", Per: "a/b%", Meter: limiter.MeterTokens, Strategy: limiter.Aligned, Window: 1},
		"p/l////concurrency//":                 {Owner: "p", Limit: "l", Meter: limiter.MeterConcurrency, Strategy: limiter.FixedWindow, Window: 9},
		"k////%252F/cost/month/":               {Owner: "k", Per: "%2F", Meter: limiter.MeterCost, Period: limiter.PeriodMonth, Timezone: "Europe/Berlin", Window: 3},
	} {
		if got := name.String(); got != want {
			t.Errorf("%+v is written %q, want %q", name, got, want)
		}
		if parsed, err := limiter.ParseName(want); err != nil || parsed.String() != want {
			t.Errorf("%q is read as %+v, %v", want, parsed, err)
		}
	}
}

func TestName_ComesBackFromItsText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rule := limiter.Rule{
			Meter:    rapid.SampledFrom([]limiter.Meter{limiter.MeterRequests, limiter.MeterConcurrency, limiter.MeterTokens}).Draw(rt, "meter"),
			Strategy: rapid.SampledFrom([]limiter.Strategy{limiter.SlidingWindow, limiter.SessionWindow, limiter.Aligned}).Draw(rt, "strategy"),
			Window:   rapid.Int64Range(1, limiter.MaxWindow).Draw(rt, "window"),
		}
		part := rapid.OneOf(rapid.StringMatching(`[%/25F]*`), rapid.String())
		name := limiter.Name{
			Owner: part.Draw(rt, "owner"), Limit: part.Draw(rt, "limit"), Subject: part.Draw(rt, "subject"),
			Model: part.Draw(rt, "model"), Per: part.Draw(rt, "per"), Meter: rule.Meter,
		}
		if rule.Meter != limiter.MeterConcurrency {
			name.Strategy, name.Window = rule.Strategy, rule.Window
		}
		if got, err := limiter.ParseName(name.String()); err != nil || got != name {
			rt.Fatalf("%+v is written %q and read as %+v, %v", name, name.String(), got, err)
		}
	})
}

func TestParseName_RefusesWhatStringDoesNotWrite(t *testing.T) {
	for _, text := range []string{
		"", "clock", "a/b/c/d/e/requests/fixed-window", "a/b/c/d/e/requests/fixed-window/60/",
		"a/b/c/d/e/requests/fixed-window/060", "a/b/c/d/e/requests/fixed-window/+60", "a/b/c/d/e/requests/fixed-window/",
		"a/b/c/d/e/requests/fixed-window/x", "a/b/c/d/e/requests/fixed-window/99999999999", "a/b/c/d/e/requests//60",
		"a/b/c/d/e/request/fixed-window/60", "a/b/c/d/e/concurrency//60", "a/b/c/d/e/concurrency/fixed-window/",
		"a/b/c/d/e/cost/year/", "a/b/c/d/e/cost/day/60", "%/b/c/d/e/cost/day/", "%2f/b/c/d/e/cost/day/",
	} {
		if name, err := limiter.ParseName(text); err == nil {
			t.Errorf("%q is read as %+v", text, name)
		}
	}
}

func TestParseName_SaysThatAWindowIsNoNumber(t *testing.T) {
	if _, err := limiter.ParseName("a/b/c/d/e/requests/fixed-window/x"); !errors.Is(err, strconv.ErrSyntax) {
		t.Errorf("the error is %v", err)
	}
}

func TestName_CheckSaysWhatIsWrong(t *testing.T) {
	good := limiter.Name{Meter: limiter.MeterCost, Period: limiter.PeriodDay, Timezone: "Europe/Berlin"}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	longest := limiter.Name{Meter: limiter.MeterRequests, Strategy: limiter.FixedWindow, Window: limiter.MaxWindow}
	if err := longest.Check(); err != nil {
		t.Fatal(err)
	}
	good.Timezone = "Europe/Nowhere"
	if good.Check() == nil {
		t.Error("an unknown time zone passes")
	}
}
