package cmd_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"relay/store"
)

var (
	crashSeed   = flag.Uint64("crash.seed", 0, "seed of the moments at which relay is killed; 0 takes another each time")
	crashRounds = flag.Int("crash.rounds", 0, "rounds of each crash test; 0: 25, or 15 with strict usage and with never-over")
)

// TestRelay_KeepsItsPromisesWhenItIsKilled kills the real binary under load.
// What it promises is said in package store.
func TestRelay_KeepsItsPromisesWhenItIsKilled(t *testing.T) {
	relay := buildRelay(t)
	t.Run("NormalUsage", func(t *testing.T) { newCrashes(t, relay, 25).run() })
	t.Run("StrictUsage", func(t *testing.T) { newCrashes(t, relay, 15, "RELAY_USAGE_DURABILITY=strict").run() })
	t.Run("NeverOver", func(t *testing.T) { newCrashes(t, relay, 15, "RELAY_LIMITS_RESTART=never-over").run() })
	t.Run("Stopped", func(t *testing.T) { newCrashes(t, relay, 0).stop() })
	t.Run("ResetAfterAKill", func(t *testing.T) { newCrashes(t, relay, 0).resetAfterAKill() })
	t.Run("Damaged", func(t *testing.T) { startDamaged(t, relay) })
}

// crashes is a data dir on which relay is started and killed again and again.
type crashes struct {
	*testing.T
	relay    program
	env      []string
	rounds   int
	strict   bool // usage.durability strict
	never    bool // limits.restart never-over
	random   *rand.Rand
	dir      string
	upstream *crashUpstream
	writes   writes
	running  *instance
	alone    credential             // of the client who calls alone; zero: there is none
	known    map[string]store.Event // that were there after the last kill
	burst    []answered             // since the last restart
	told     crashFigures
}

// crashFigures are what the rounds add up to.
type crashFigures struct {
	answers, lost   int             // whole answers, and those of them without an event
	old, oldLost    int             // the same of those that ended more than 250 ms before the kill
	admitted, after int             // under the small limits, and those of them between the last watermark and the kill
	over            int             // beyond the amount
	unspent         int             // requests at the upstream before whose kill an earlier answer's cost was not on disk
	foretold        int             // kills after which no more was missing than the next start said
	writes          int             // of the catalog
	lags            []time.Duration // from the last watermark to the kill
	restarts, worst time.Duration
}

// smallAmount is the amount of requests a minute of a round's own key.
const smallAmount = 60

func newCrashes(t *testing.T, relay program, rounds int, env ...string) *crashes {
	t.Helper()
	if *crashRounds > 0 && rounds > 0 {
		rounds = *crashRounds
	}
	seedOf := *crashSeed
	if seedOf == 0 {
		seedOf = rand.Uint64()
	}
	t.Logf("-crash.seed=%d", seedOf)
	dir, err := os.MkdirTemp("", "relay-crash-") // short, for the socket in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := &crashes{
		T: t, relay: relay, env: env, rounds: rounds, dir: dir,
		strict: slices.Contains(env, "RELAY_USAGE_DURABILITY=strict"), never: slices.Contains(env, "RELAY_LIMITS_RESTART=never-over"),
		random: rand.New(rand.NewPCG(seedOf, 1)), upstream: newCrashUpstream(t),
	}
	seed(t, dir, c.upstream.url)
	c.running = relay.start(t, dir, env...)
	return c
}

func (c *crashes) run() {
	for n := range c.rounds {
		c.round(n)
		if c.Failed() {
			c.Fatalf("that was round %d", n)
		}
	}
	f := c.told
	c.Logf("%d kills: %d whole answers, %d without an event; of %d that ended more than 250 ms before the kill %d",
		c.rounds, f.answers, f.lost, f.old, f.oldLost)
	c.Logf("%d admitted under limits of %d, %d between the last watermark and the kill, %d too many; in %d kills a cost was not on disk when the next request of its caller was sent on; the next start told of enough in %d kills",
		f.admitted, smallAmount, f.after, f.over, f.unspent, f.foretold)
	slices.Sort(f.lags)
	c.Logf("the last watermark lay %v before the kill, at worst %v; %d writes of the catalog acknowledged",
		f.lags[len(f.lags)/2].Round(time.Millisecond), f.lags[len(f.lags)-1].Round(time.Millisecond), f.writes)
	c.Logf("from the start to the first answer (%v of it upstream) %v, at worst %v", upstreamPause,
		(f.restarts / time.Duration(c.rounds)).Round(time.Millisecond), f.worst.Round(time.Millisecond))
}

// stop ends relay with SIGTERM under load: nothing is lost and nothing said.
func (c *crashes) stop() {
	code := -1
	k := c.underLoad(0, func() {
		_ = c.running.command.Process.Signal(syscall.SIGTERM)
		code = c.running.await()
	}, mainKey)
	if code != 0 {
		c.Errorf("exit code %d", code)
	}
	left := examine(c.T, copyDir(c.T, c.dir))
	if of, missing := left.missing(k.answers, never); missing > 0 {
		c.Errorf("%d of %d answers have no event", missing, of)
	}
	left.checkCounters(c.T)
	c.writes.check(c.T, left.db.Catalog())
	if stop := left.db.UncleanStop(); stop != nil {
		c.Errorf("what is left says: %v", stop)
	}
}
