package cmd_test

import (
	"strings"
	"testing"
	"time"

	"relay/cmd"
)

func TestWarnings_TellOfAClockBeforeTheBuild(t *testing.T) {
	built := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for ago, warned := range map[time.Duration]bool{
		-time.Hour: false, 0: false, 23 * time.Hour: false, 25 * time.Hour: true, 366 * 24 * time.Hour: true,
	} {
		got := cmd.ClockWarnings(built.Add(-ago), built)
		if warned != (len(got) == 1) {
			t.Errorf("%s before the build: %v", ago, got)
		}
		if warned && !strings.Contains(got[0].Message, "before this Relay was made (2026-11-30)") {
			t.Errorf("%s before the build: %s", ago, got[0].Message)
		}
	}
	if got := cmd.ClockWarnings(built, time.Time{}); len(got) != 0 {
		t.Errorf("a build that does not say when it was: %v", got)
	}
}
