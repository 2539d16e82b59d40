package wire_test

import (
	"testing"

	"relay/gateway/wire"
)

func TestCount_ClampsWhatCannotBeTrue(t *testing.T) {
	for reported, want := range map[string]struct {
		n                int64
		present, flagged bool
	}{
		`7`: {7, true, false}, `7.0`: {7, true, false}, `0`: {0, true, false}, `1000000000`: {1e9, true, false},
		`-1`: {0, true, true}, `1.5`: {1, true, true}, `-0.5`: {0, true, true}, `1000000001`: {1e9, true, true},
		`9223372036854775808`: {1e9, true, true}, `1e308`: {1e9, true, true}, `1e999`: {1e9, true, true},
		`"7"`: {0, false, true}, `true`: {0, false, true}, `{}`: {0, false, true}, `[7]`: {0, false, true}, `null`: {0, false, false},
	} {
		var u wire.Usage
		n := u.Count([]byte(reported))
		if n != want.n || u.Present != want.present || u.Flagged != want.flagged {
			t.Errorf("%s: got %d, present %v, flagged %v", reported, n, u.Present, u.Flagged)
		}
	}
	var u wire.Usage
	if n := u.Count(nil); n != 0 || u.Present || u.Flagged {
		t.Errorf("absent: got %d, %+v", n, u)
	}
}

func TestPart_IsNeverMoreThanTheWhole(t *testing.T) {
	var u wire.Usage
	if got := u.Part(3, 5); got != 3 || u.Flagged {
		t.Errorf("got %d, flagged %v", got, u.Flagged)
	}
	if got := u.Part(7, 5); got != 5 || !u.Flagged {
		t.Errorf("got %d, flagged %v", got, u.Flagged)
	}
}

func TestMerge_TakesTheLargestOfEachMeter(t *testing.T) {
	start := wire.Usage{Input: 50, CacheCreation: 2000, CacheCreation1h: 500, Output: 1, Present: true}
	start.Merge(wire.Usage{Output: 42, Reasoning: 7, ServerToolUseInput: 3, ServerToolUseOutput: 2, Seconds: 4, Images: 1, Flagged: true})
	start.Merge(wire.Usage{Output: 40, CacheRead: 9, AudioInput: 5, AudioOutput: 6})
	want := wire.Usage{
		Input: 50, CacheRead: 9, CacheCreation: 2000, CacheCreation1h: 500, Output: 42, Reasoning: 7, AudioInput: 5, AudioOutput: 6,
		ServerToolUseInput: 3, ServerToolUseOutput: 2, Seconds: 4, Images: 1, Present: true, Flagged: true,
	}
	if start != want {
		t.Errorf("got %+v", start)
	}
}

func TestMergePrompt_NeverCountsACachedTokenTwice(t *testing.T) {
	var u wire.Usage
	for _, report := range []wire.Usage{{Input: 100}, {Input: 40, CacheRead: 60, Output: 5}, {Input: 100, Output: 9}} {
		u.MergePrompt(report)
	}
	if want := (wire.Usage{Input: 40, CacheRead: 60, Output: 9}); u != want {
		t.Errorf("got %+v, want %+v", u, want)
	}
	u.MergePrompt(wire.Usage{CacheCreation: 100})
	if u.Input != 0 || u.Prompt() != 160 {
		t.Errorf("input went to %d of %d", u.Input, u.Prompt())
	}
}
