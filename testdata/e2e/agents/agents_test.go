// Package agents_test lets coding agents, as they come from npm, work through a
// running relay serve. It runs in a network namespace that has nothing but
// loopback: whatever an agent calls beside relay fails.
package agents_test

import (
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"relay/testdata/e2e/rig"
	"relay/testdata/e2e/upstream"
)

// relay is the running Relay of all tests.
var relay *rig.Relay

func TestMain(m *testing.M) {
	if !isAlone() {
		os.Exit(again())
	}
	os.Exit(rig.Main(m.Run, &relay))
}

func TestNothingButLoopbackIsInReach(t *testing.T) {
	interfaces, err := net.Interfaces()
	if err != nil || len(interfaces) != 1 || interfaces[0].Flags&net.FlagLoopback == 0 {
		t.Errorf("got %v, %v", interfaces, err)
	}
}

func TestAgents_Answer(t *testing.T) {
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			out, err := a.run(t, key(t, a.name), a.name)
			if err != nil || !strings.Contains(out, upstream.Text) {
				t.Errorf("%v, it says %s", err, out)
			}
			if row := used(t, a.name); row.Errors > 0 {
				t.Errorf("usage is %+v", row)
			}
		})
	}
}

// TestAgents_WaitForAShortWhile has another request of the key in flight, of
// which the key may have one, until the agent has been refused.
func TestAgents_WaitForAShortWhile(t *testing.T) {
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			name := a.name + "-waits"
			secret := key(t, name, "--concurrency", "1")
			ended := hold(t, secret, name)
			go func() {
				untilRefused(t, name)
				relay.Upstream.Release(name)
			}()
			out, err := a.run(t, secret, name)
			if err != nil || !strings.Contains(out, upstream.Text) {
				t.Errorf("%v, it says %s", err, out)
			}
			<-ended
			used(t, name)
		})
	}
}

// TestAgents_GiveUpWhenABudgetIsSpent: nothing tells them when to come back.
func TestAgents_GiveUpWhenABudgetIsSpent(t *testing.T) {
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			name := a.name + "-spends"
			secret := key(t, name, "--budget", "0.01/total")
			call(t, secret, name)
			out, err := a.run(t, secret, name)
			if err == nil || !slices.ContainsFunc(a.refusals, func(words string) bool { return strings.Contains(out, words) }) {
				t.Errorf("%v, it says %s", err, out)
			}
			if row := used(t, name); row.Errors == 0 || row.Errors > a.tries {
				t.Errorf("usage is %+v", row)
			}
		})
	}
}

// TestAgents_GiveUpOnALimitOverADay is for Claude Code: Codex sits out whatever
// Retry-After says.
func TestAgents_GiveUpOnALimitOverADay(t *testing.T) {
	a, name := agents()[0], "claude-day"
	secret := key(t, name, "--rpd", "1")
	call(t, secret, name)
	out, err := a.run(t, secret, name)
	if err == nil || !strings.Contains(out, "1 of 1 requests in 1d used") {
		t.Errorf("%v, it says %s", err, out)
	}
	if row := used(t, name); row.Errors == 0 || row.Errors > a.tries {
		t.Errorf("usage is %+v", row)
	}
}
