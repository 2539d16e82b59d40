package limitertest

import (
	"fmt"
	"hash/fnv"
	"io"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// A history in which too many steps overlap to be judged in time is recorded
// anew, and counts as broken when that does not help.
const (
	judgePatience = 30 * time.Second
	recordings    = 5
)

// linearizes records a history of a crowd and looks for an order of its steps
// that the model, alone, would have answered alike.
func linearizes(tb testing.TB, s Suite, seed uint64) error {
	g := newGenerator(seed, s.Grain)
	g.rules(2 + g.IntN(4))
	for range recordings {
		h := newHistory(s.New(tb), g.trace)
		for round := range rounds {
			h.round(seed, round)
		}
		switch porcupine.CheckOperationsTimeout(modelOf(g.trace), h.operations(), judgePatience) {
		case porcupine.Ok:
			return nil
		case porcupine.Illegal:
			return fmt.Errorf("no order of the steps explains this history:\n%s%s", g.trace, h)
		}
	}
	return fmt.Errorf("a history cannot be judged within %s", judgePatience)
}

func modelOf(t Trace) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return &state{model: NewModel(t.Rules)} },
		Step: func(before, in, out any) (bool, any) {
			next, op := before.(*state).model.Clone(), in.(input)
			return alike(t, next.Do(op.now, op.step), out.(Outcome)), &state{model: next}
		},
		Equal: func(a, b any) bool { return a.(*state).key() == b.(*state).key() },
		Hash:  func(s any) uint64 { return s.(*state).hash() },
	}
}

// state is a model that stands still.
type state struct {
	model *Model
	text  string
}

func (s *state) key() string {
	if s.text == "" {
		s.text = s.model.String()
	}
	return s.text
}

func (s *state) hash() uint64 {
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, s.key())
	return sum.Sum64()
}
