package limitertest

import (
	"fmt"
	"strings"
	"time"

	"relay/limiter"
)

// Trace is a story of limits and what happens to them, the same on every
// backend.
type Trace struct {
	Start limiter.Instant
	Rules []Rule
	Steps []Step

	// Grain is what all times are multiples of, for backends whose clock is
	// coarser than a nanosecond. Waits are compared rounded up to it.
	Grain time.Duration
}

// Rule is one limit of a trace. Rules of equal Rung and Order have one Source;
// rules of equal Name have one counter.
type Rule struct {
	Name    limiter.Name
	Amount  int64
	AtCap   limiter.AtCap
	Warn    bool
	Reserve bool // means nothing but to token meters
	Rung    limiter.Scope
	Order   int
}

// Action is what a step does.
type Action uint8

// The actions.
const (
	Reserve Action = iota // makes ticket Ticket over the rules Rules, in that order
	Commit                // ends a ticket with Usage; as the upstream's when Upstream
	Release
	Cancel
	Edit  // gives rule Rule another Amount and Reserve, as the plan after an edit does
	Read  // reads the counter of rule Rule
	Sweep // lets the registry forget what is idle, in use by a plan or not
	Reset // sets what the counter of rule Rule has counted to zero
)

func (a Action) String() string {
	return [...]string{"reserve", "commit", "release", "cancel", "edit", "read", "sweep", "reset"}[a]
}

// Step is one action. Time passes before it. Ending a ticket that was never
// made, was refused or has ended changes nothing.
type Step struct {
	Passes  time.Duration // on both clocks, for this step and all later ones
	SetWall time.Duration // on the wall clock alone, from this step on
	Late    time.Duration // the step's reading is so much older than the last: it was overtaken

	Do            Action
	Ticket        int
	Rules         []int
	Input, Output int64 // estimates of a Reserve
	Keep          bool  // once reserved, the ticket is to Keep what it booked
	Usage         limiter.Usage
	Upstream      bool
	Rule          int
	Amount        int64
	Reserve       bool
}

// Outcome is what a step comes to. Rules are counted from 1; 0 is none.
type Outcome struct {
	Refused int           // by this rule
	Warned  int           // of this budget
	Used    int64         // of the refusing rule, or what was read
	Wait    time.Duration // of the refusal, or until what was read is back at 0
	ResetAt int64         // Unix nanoseconds; 0: never, or no budget
	Commit  uint64        // its number
}

func (t Trace) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "start at V %d, wall %s\n", t.Start.V, time.Unix(0, t.Start.Wall).UTC().Format(time.RFC3339Nano))
	for i, r := range t.Rules {
		fmt.Fprintf(&b, "rule %d: %d of %s %s, at cap %d, warn %t, reserve %t, rung %s %d\n",
			i+1, r.Amount, r.Name, r.Name.Timezone, r.AtCap, r.Warn, r.Reserve, r.Rung, r.Order)
	}
	for i, s := range t.Steps {
		fmt.Fprintf(&b, "%3d: %s\n", i, s)
	}
	return b.String()
}

func (s Step) String() string {
	text := fmt.Sprintf("after %s, %s", s.Passes, s.Do)
	switch s.Do {
	case Reserve:
		text += fmt.Sprintf(" ticket %d over", s.Ticket)
		for _, r := range s.Rules {
			text += fmt.Sprintf(" %d", r+1)
		}
		text += fmt.Sprintf(", estimated %d and %d, keep %t", s.Input, s.Output, s.Keep)
	case Commit:
		text += fmt.Sprintf(" ticket %d with %+v, upstream %t", s.Ticket, s.Usage, s.Upstream)
	case Release, Cancel:
		text += fmt.Sprintf(" ticket %d", s.Ticket)
	case Edit:
		text += fmt.Sprintf(" rule %d to %d, reserve %t", s.Rule+1, s.Amount, s.Reserve)
	case Read, Reset:
		text += fmt.Sprintf(" rule %d", s.Rule+1)
	}
	if s.SetWall != 0 || s.Late != 0 {
		text += fmt.Sprintf(" (wall set by %s, late by %s)", s.SetWall, s.Late)
	}
	return text
}
