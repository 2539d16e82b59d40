package limitertest

import (
	"fmt"
	"testing"
	"time"
)

// Compare says where two runs of a trace part.
func Compare(t Trace, got, want []Outcome) error {
	for i := range want {
		if !alike(t, got[i], want[i]) {
			return fmt.Errorf("step %d, %s, comes to %+v, want %+v", i, t.Steps[i], got[i], want[i])
		}
	}
	return nil
}

func alike(t Trace, a, b Outcome) bool {
	a.Wait, b.Wait = roundUp(a.Wait, t.Grain), roundUp(b.Wait, t.Grain)
	return a == b
}

// roundUp leaves a wait without end as it is.
func roundUp(wait, grain time.Duration) time.Duration {
	if wait <= 0 || grain <= 1 {
		return wait
	}
	return (wait + grain - 1).Truncate(grain)
}

// Differ plays a trace on two backends that have counted nothing, and says
// where they part; nil when they do not. The trace in the error is cut down.
func Differ(tb testing.TB, t Trace, one, other New) error {
	return cutDown(t, func(t Trace) error {
		return Compare(t, Play(one(tb), t), Play(other(tb), t))
	})
}

// cutDown runs a check, and when it fails leaves out whatever steps it fails
// without.
func cutDown(t Trace, check func(Trace) error) error {
	err := check(t)
	if err == nil {
		return nil
	}
	for size := len(t.Steps) / 2; size > 0; size /= 2 {
		for at := len(t.Steps) - size; at >= 0; at -= size {
			shorter := without(t, at, size)
			if still := check(shorter); still != nil {
				t, err = shorter, still
				at = min(at, len(t.Steps))
			}
		}
	}
	return fmt.Errorf("%w in\n%s", err, t)
}

// without leaves steps out, and lets their time pass before the next one.
func without(t Trace, at, size int) Trace {
	kept := append([]Step(nil), t.Steps[:at]...)
	rest := append([]Step(nil), t.Steps[at+size:]...)
	if len(rest) > 0 {
		for _, s := range t.Steps[at : at+size] {
			rest[0].Passes += s.Passes
			rest[0].SetWall += s.SetWall
		}
	}
	t.Steps = append(kept, rest...)
	return t
}
