package cmd_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"relay/store"
)

// round kills relay under load, looks at what is left, and fires once more
// under a limit that was in use.
func (c *crashes) round(n int) {
	small := c.smallKeys(n)
	c.alone = c.newKey(fmt.Sprint("alone-", n), store.RelayKeySpec{})
	k := c.killUnderLoad(n, small...)
	copied := copyDir(c.T, c.dir)
	c.restart(n)
	left := examine(c.T, copied)
	c.check(k, left)
	c.checkSpent(left)
	if err := errors.Join(left.db.Close(), os.RemoveAll(copied)); err != nil {
		c.Error(err)
	}
	c.burst = nil
	for _, key := range small {
		c.checkAdmitted(key, k)
	}
}

// smallKeys makes the keys of a round: one with a limit of its own a minute,
// and where nothing may be over, one more of another strategy.
func (c *crashes) smallKeys(n int) []credential {
	amount := int64(smallAmount)
	keys := []credential{c.newKey(fmt.Sprint("small-", n), store.RelayKeySpec{Limits: &store.Limits{RPM: &amount}})}
	if c.never {
		keys = append(keys, c.strategyKey(n))
	}
	return keys
}

// newKey makes a relay key over the control API.
func (c *crashes) newKey(name string, spec store.RelayKeySpec) credential {
	shown, err := c.running.control.CreateKey(c.Context(), &store.RelayKey{Metadata: store.Metadata{Name: name}, Spec: spec})
	if err != nil {
		c.Fatal(err)
	}
	return credential{name, shown.Plaintext}
}

// killed is one kill and what was known before it.
type killed struct {
	answers   []answered
	at        time.Time
	watermark time.Time // the last that was polled; zero: none
}

// underLoad ends the process with end at a random moment of its work.
func (c *crashes) underLoad(n int, end func(), credentials ...credential) killed {
	after := 20*time.Millisecond + time.Duration(c.random.Int64N(int64(380*time.Millisecond)))
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	fired, watermark, written := make(chan traffic, 1), make(chan time.Time, 1), make(chan struct{})
	moment := time.NewTimer(after)
	go func() {
		fired <- fire(ctx, append(newClients(c.running.url, fmt.Sprint("k", n)), c.aloneClient()...), credentials...)
	}()
	go func() { watermark <- c.running.watch(ctx) }()
	go func() {
		defer close(written)
		c.writes.write(ctx, c.running.control, fmt.Sprint("w", n))
	}()
	<-moment.C
	k := killed{at: time.Now()}
	end()
	stop()
	all := <-fired
	k.answers, k.watermark = append(c.burst, all.answers...), <-watermark
	<-written
	for _, f := range all.faults {
		if f.at.Before(k.at) {
			c.Errorf("%v before the kill: %v", k.at.Sub(f.at), f.err)
		}
	}
	c.running.checkLog()
	return k
}

func (c *crashes) killUnderLoad(n int, small ...credential) killed {
	return c.underLoad(n, c.running.kill, append([]credential{mainKey}, small...)...)
}

// restart starts relay and waits for its first answer.
func (c *crashes) restart(n int) {
	c.running = c.relay.start(c.T, c.dir, c.env...)
	first := newClients(c.running.url, fmt.Sprint("first", n))[0]
	if status, err := first.call(c.Context(), mainKey.key, mainKey.name); status != http.StatusOK {
		c.Fatalf("the first answer has status %d: %v", status, err)
	}
	took := time.Since(c.running.began)
	c.told.restarts += took
	c.told.worst = max(c.told.worst, took)
	c.wantReport()
}

// wantReport expects the unclean stop in the log and among the warnings.
func (c *crashes) wantReport() {
	if !c.running.saidUnclean() {
		c.Error("the log does not tell of the unclean stop")
	}
	state, err := c.running.control.Status(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	if !slices.ContainsFunc(state.Warnings, func(p store.Problem) bool {
		return strings.Contains(p.Message, "did not stop as it should: usage is on disk through")
	}) {
		c.Errorf("the warnings are %v", state.Warnings)
	}
}

// check compares what the crash has left with what was promised.
func (c *crashes) check(k killed, left *remains) {
	f := &c.told
	if of, missing := left.missing(k.answers, k.watermark); missing > 0 {
		c.Errorf("%d of %d events that are older than the watermark are missing", missing, of)
	}
	answers, lost := left.missing(k.answers, never)
	if c.strict && lost > 0 {
		c.Errorf("%d of %d answers have no event", lost, answers)
	}
	old, oldLost := left.missing(k.answers, k.at.Add(-250*time.Millisecond))
	f.answers, f.lost, f.old, f.oldLost = f.answers+answers, f.lost+lost, f.old+old, f.oldLost+oldLost
	for id := range c.known {
		if _, there := left.events[id]; !there {
			c.Errorf("the event of request %s was there after an earlier kill", id)
		}
	}
	c.known = left.events
	left.checkCounters(c.T)
	c.writes.check(c.T, left.db.Catalog())
	if !k.watermark.IsZero() {
		f.lags = append(f.lags, k.at.Sub(k.watermark))
	}
	f.writes = c.writes.tally + len(c.writes.made)
	if stop := left.db.UncleanStop(); stop == nil {
		c.Error("what is left does not say that the run was under way")
	} else if lost <= stop.Unrecorded {
		f.foretold++
	}
}

var never = time.Unix(1<<40, 0)

// checkAdmitted fires at full speed under the limit that was in use when relay
// was killed, and counts what reached the upstream.
func (c *crashes) checkAdmitted(small credential, k killed) {
	ctx, cancel := context.WithTimeout(c.Context(), 20*time.Second)
	defer cancel()
	clients := newClients(c.running.url, "burst-"+small.name)
	if err := exhaust(ctx, clients, small); err != nil {
		c.Errorf("after the restart: %v", err)
	}
	for _, client := range clients {
		c.burst = append(c.burst, client.log...)
	}
	arrived, after := c.upstream.of(small.name), 0
	for _, at := range arrived {
		if !at.Before(k.watermark) && at.Before(c.running.began) {
			after++
		}
	}
	most, allowed := mostWithin(arrived, time.Minute), smallAmount+after
	if c.never {
		allowed = smallAmount
	}
	if most > allowed {
		c.Errorf("key %s: %d admitted in a minute under a limit of %d, %d of them after the watermark", small.name, most, smallAmount, after)
	}
	c.told.admitted += len(arrived)
	c.told.after += after
	c.told.over += max(0, most-smallAmount)
}
