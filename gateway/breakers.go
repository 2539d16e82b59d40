package gateway

import (
	"slices"
	"sync"
	"time"

	"relay/gateway/plan"
)

// breakers holds the state of each key value that a plan has named. It is
// keyed by value hash, so a rotated key begins closed.
type breakers struct {
	mu     sync.Mutex
	states map[string]*keyState
}

func newBreakers() *breakers { return &breakers{states: map[string]*keyState{}} }

// of returns the states of the plan's keys, in their order, and forgets those
// of values that no key has any more.
func (b *breakers) of(keys []*plan.HostKey) []*keyState {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := make(map[string]*keyState, len(keys))
	states := make([]*keyState, len(keys))
	for i, k := range keys {
		state := b.states[k.ValueHash]
		if state == nil {
			state = next[k.ValueHash]
		}
		if state == nil {
			state = &keyState{}
		}
		next[k.ValueHash], states[i] = state, state
	}
	b.states = next
	return states
}

// describe reports the state for administrators.
func (k *keyState) describe(now time.Time) plan.KeyState {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case !k.until.IsZero() && now.Before(k.until):
		return plan.KeyState{State: "open", Until: k.until, Reason: k.reason}
	case !k.until.IsZero():
		return plan.KeyState{State: "half-open", Reason: k.reason}
	}
	return k.describeRest(now)
}

// describeRest reports the models that the key rests for, and until when for
// the last of them.
func (k *keyState) describeRest(now time.Time) plan.KeyState {
	state := plan.KeyState{State: "closed"}
	for model, until := range k.rests {
		if !until.After(now) {
			continue
		}
		state.State, state.Reason = "resting", k.reason
		if until.After(state.Until) {
			state.Until = until
		}
		if model != "" {
			state.Models = append(state.Models, model)
		}
	}
	if k.rests[""].After(now) {
		state.Models = nil
	}
	slices.Sort(state.Models)
	return state
}
