package limiter_test

import (
	"encoding/json"
	"testing"
	"time"

	"relay/limiter"
)

func TestRule_Algorithm(t *testing.T) {
	for _, c := range []struct {
		meter    limiter.Meter
		strategy limiter.Strategy
		want     limiter.Algorithm
	}{
		{limiter.MeterRequests, limiter.SlidingWindow, "sliding-window"},
		{limiter.MeterRequests, limiter.FixedWindow, "fixed-window"},
		{limiter.MeterRequests, limiter.TokenBucket, "token-bucket"},
		{limiter.MeterRequests, limiter.LeakyBucket, "leaky-bucket"},
		{limiter.MeterRequests, limiter.SessionWindow, "session-window"},
		{limiter.MeterRequests, limiter.Aligned, "aligned"},
		{limiter.MeterTokens, limiter.TokenBucket, "ring"},
		{limiter.MeterReasoning, limiter.FixedWindow, "ring"},
		{limiter.MeterTokens, limiter.Aligned, "aligned"},
		{limiter.MeterConcurrency, limiter.SlidingWindow, "gauge"},
		{limiter.MeterConcurrency, limiter.Aligned, "gauge"},
	} {
		if got := (limiter.Rule{Meter: c.meter, Strategy: c.strategy}).Algorithm(); got != c.want {
			t.Errorf("%s by %s runs as %s, want %s", c.meter, c.strategy, got, c.want)
		}
	}
}

func TestRule_CheckNamesTheField(t *testing.T) {
	for _, good := range []limiter.Rule{
		requests(1, 1, limiter.SlidingWindow), requests(9_007_199_254_740_991, 31_622_400, limiter.TokenBucket),
	} {
		if faults := good.Check(); len(faults) != 0 {
			t.Fatalf("%+v has the faults %v", good, faults)
		}
	}
	for field, bad := range map[string][]limiter.Rule{
		"meter":    {{Meter: "token", Amount: 1, Window: 1, Strategy: limiter.FixedWindow}, {Meter: limiter.MeterCost, Amount: 1, Window: 1, Strategy: limiter.FixedWindow}},
		"amount":   {requests(0, 1, limiter.FixedWindow), requests(-1, 1, limiter.FixedWindow), requests(9_007_199_254_740_992, 1, limiter.FixedWindow)},
		"window":   {requests(1, 0, limiter.FixedWindow), requests(1, 31_622_401, limiter.FixedWindow)},
		"strategy": {requests(1, 1, ""), requests(1, 1, limiter.Aligned), requests(1, 1, "Sliding-Window")},
	} {
		for _, rule := range bad {
			faults := rule.Check()
			if len(faults) != 1 || faults[0].Field != field || faults[0].Error() == "" {
				t.Errorf("%+v has the faults %v, want one of %s", rule, faults, field)
			}
		}
	}
	if faults := (limiter.Rule{}).Check(); len(faults) != 4 {
		t.Errorf("an empty rule has the faults %v, want one a member", faults)
	}
}

func TestRule_ReadsItsWindowInSeconds(t *testing.T) {
	var rule limiter.Rule
	text := `{"meter":"tokens.input","amount":5,"window":90,"strategy":"sliding-window"}`
	if err := json.Unmarshal([]byte(text), &rule); err != nil || rule.WindowDuration() != 90*time.Second {
		t.Fatalf("%s reads as %+v, %v", text, rule, err)
	}
}

func TestMeter_CountsTokens(t *testing.T) {
	for meter, want := range map[limiter.Meter]bool{
		limiter.MeterTokens: true, limiter.MeterServerToolUseInput: true, limiter.MeterRequests: false,
		limiter.MeterConcurrency: false, limiter.MeterCost: false, "tokens.other": false,
	} {
		if meter.CountsTokens() != want {
			t.Errorf("%s counts tokens: %t", meter, !want)
		}
	}
}

func TestRefusal_RetryAfterIsInWholeSecondsRoundedUp(t *testing.T) {
	for wait, want := range map[time.Duration]int64{
		-1: 0, 0: 1, 1: 1, time.Second: 1, time.Second + 1: 2, 61 * time.Second: 61,
	} {
		if got := (limiter.Refusal{Wait: wait}).RetryAfter(); got != want {
			t.Errorf("a wait of %s is Retry-After %d, want %d", wait, got, want)
		}
	}
}

func TestScope_HasAWord(t *testing.T) {
	if limiter.ScopeSystem.String() != "system" || limiter.ScopeUpstream.String() != "upstream" {
		t.Error("scopes are misnamed")
	}
}

// FuzzRule reads any JSON as a rule. What Check passes has an algorithm, names
// a counter that comes back from its text, and comes back from its own JSON.
func FuzzRule(f *testing.F) {
	f.Add([]byte(`{"meter":"requests","amount":60,"window":60,"strategy":"sliding-window"}`))
	f.Add([]byte(`{"meter":"concurrency","amount":1,"window":1,"strategy":"fixed-window"}`))
	f.Add([]byte(`{"meter":"tokens","amount":1e3,"window":-1,"strategy":""}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var rule, again limiter.Rule
		if json.Unmarshal(text, &rule) != nil || len(rule.Check()) > 0 {
			return
		}
		if rule.Algorithm() == "" || rule.WindowDuration() < time.Second {
			t.Fatalf("%+v passes and runs as %q", rule, rule.Algorithm())
		}
		name := limiter.Name{Owner: string(text), Meter: rule.Meter, Strategy: rule.Strategy, Window: rule.Window}
		if _, err := limiter.ParseName(name.String()); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(rule)
		if err != nil || json.Unmarshal(written, &again) != nil || again != rule {
			t.Fatalf("%+v comes back as %+v", rule, again)
		}
	})
}
