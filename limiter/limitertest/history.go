package limitertest

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"relay/limiter"
)

// A history is some 500 steps of a crowd, in rounds after which all counters
// are read: without that, what a step without an answer did may show so much
// later that too many orders are to be tried.
const (
	rounds    = 16
	stepsEach = 2
	tickets   = rounds * crowd * stepsEach
)

// A history in which too many steps overlap to be judged in time is recorded
// anew, and counts as broken when that does not help.
const (
	judgePatience = 10 * time.Second
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

// input is one step of a history and the clock's reading for it.
type input struct {
	now  limiter.Instant
	step Step
}

// history is what a crowd did to a backend, and when each step began and
// ended by a common count.
type history struct {
	*Player
	stamps  atomic.Int64
	passed  atomic.Int64                            // nanoseconds since the start
	tickets [tickets]atomic.Pointer[limiter.Ticket] // that may be ended, by anybody
	steps   [crowd][]porcupine.Operation
}

func newHistory(b Backend, t Trace) *history {
	return &history{Player: NewPlayer(b, t)}
}

func (h *history) round(seed uint64, round int) {
	together(func(n int) {
		random := rand.New(rand.NewPCG(seed, uint64(round*crowd+n)))
		for i := range stepsEach {
			number := (round*crowd+n)*stepsEach + i
			h.record(n, random, input{h.reading(random), h.draw(random, number)})
		}
	})
	random := rand.New(rand.NewPCG(seed, uint64(round)))
	for i := range h.trace.Rules {
		h.record(0, random, input{h.reading(random), Step{Do: Read, Rule: i}})
	}
}

func (h *history) record(n int, random *rand.Rand, in input) {
	call := h.stamps.Add(1)
	pause(random)
	out := h.do(in)
	pause(random)
	h.steps[n] = append(h.steps[n], porcupine.Operation{
		ClientId: n, Input: in, Call: call, Output: out, Return: h.stamps.Add(1),
	})
}

// pause lets others go first, so that steps overlap.
func pause(random *rand.Rand) {
	if random.IntN(16) == 0 {
		runtime.Gosched()
	}
}

// reading is what one of many readers of a clock that goes on now and then
// sees: others may have seen a later time by when it is used.
func (h *history) reading(random *rand.Rand) limiter.Instant {
	passed := h.passed.Load()
	if random.IntN(12) == 0 {
		window := h.trace.Rules[0].Name.Window * int64(time.Second)
		passed = h.passed.Add(int64(time.Duration(random.Int64N(window/2 + 1)).Truncate(h.trace.Grain)))
	}
	return limiter.Instant{V: h.trace.Start.V + passed, Wall: h.trace.Start.Wall + passed}
}

// draw makes a step. Its number is that of the ticket it may make.
func (h *history) draw(random *rand.Rand, number int) Step {
	rules := len(h.trace.Rules)
	switch n := random.IntN(100); {
	case n < 45:
		return Step{Do: Reserve, Ticket: number, Rules: random.Perm(rules)[:1+random.IntN(rules)]}
	case n < 55:
		return Step{Do: Read, Rule: random.IntN(rules)}
	}
	usage := limiter.Usage{Input: random.Int64N(3), Output: random.Int64N(3), CacheRead: random.Int64N(2), CostNanos: random.Int64N(3)}
	return Step{Do: Commit + Action(random.IntN(3)), Ticket: h.made(random), Usage: usage}
}

// made returns a ticket that was made, if one is found quickly.
func (h *history) made(random *rand.Rand) int {
	n := 0
	for range 20 {
		if n = random.IntN(len(h.tickets)); h.tickets[n].Load() != nil {
			return n
		}
	}
	return n
}

func (h *history) do(in input) Outcome {
	switch in.step.Do {
	case Reserve:
		t := &limiter.Ticket{}
		for _, i := range in.step.Rules {
			t.Add(h.limits[i : i+1])
		}
		refusal, err := h.Backend.Reserve(context.Background(), in.now, t)
		if err != nil {
			return Outcome{Refused: -1}
		}
		outcome := h.outcome(refusal, t)
		h.tickets[in.step.Ticket].Store(t)
		return outcome
	case Read:
		return h.read(in.now, h.trace.Rules[in.step.Rule].Name)
	}
	t := h.tickets[in.step.Ticket].Load()
	if t == nil {
		t = &limiter.Ticket{}
	}
	return end(h.Backend, in.now, in.step, t)
}

func (h *history) operations() []porcupine.Operation {
	var all []porcupine.Operation
	for _, steps := range h.steps {
		all = append(all, steps...)
	}
	return all
}

func (h *history) String() string {
	text := ""
	for _, o := range h.operations() {
		in := o.Input.(input)
		text += fmt.Sprintf("%d: %d to %d: at +%d, %s: %+v\n", o.ClientId, o.Call, o.Return, in.now.V-h.trace.Start.V, in.step, o.Output)
	}
	return text
}
