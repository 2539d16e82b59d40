package limitertest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
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
		s := Step{Do: Reserve, Ticket: number, Rules: random.Perm(rules)[:1+random.IntN(rules)]}
		s.Input, s.Output, s.Keep = random.Int64N(3), random.Int64N(3), random.IntN(3) == 0
		return s
	case n < 54:
		return Step{Do: Read, Rule: random.IntN(rules)}
	case n < 56:
		return Step{Do: Reset, Rule: random.IntN(rules)}
	}
	usage := limiter.Usage{Input: random.Int64N(3), Output: random.Int64N(3), CacheRead: random.Int64N(2), CostNanos: random.Int64N(3)}
	usage.Unknown = random.IntN(4) == 0
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
		t, outcome := h.reserve(in.now, in.step)
		h.tickets[in.step.Ticket].Store(t)
		return outcome
	case Read:
		return h.read(in.now, h.trace.Rules[in.step.Rule].Name)
	case Reset:
		h.reset(in.now, h.trace.Rules[in.step.Rule].Name)
		return Outcome{}
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
