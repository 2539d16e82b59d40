package cmd_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"relay/admin"
	"relay/limiter"
	"relay/store"
)

// The window of a strategy that starts over by the clock is so long that the
// test lies within one: of the two the one whose next start is further away.
func longWindow(now time.Time) int64 {
	const a, b = 86_400, 100_000
	if a-now.Unix()%a > b-now.Unix()%b {
		return a
	}
	return b
}

// otherStrategies are those that no shorthand of a key makes.
func otherStrategies() []limiter.Strategy {
	return []limiter.Strategy{limiter.FixedWindow, limiter.TokenBucket, limiter.LeakyBucket, limiter.SessionWindow}
}

// putStrategies makes a service account for each other strategy, whose keys
// are limited by it, each with counters of its own.
func putStrategies(e *store.Edit) error {
	project := e.Catalog().Projects.ByName("default").Metadata.ID
	for _, strategy := range otherStrategies() {
		name := string(strategy)
		limit := &store.RateLimit{Metadata: store.Metadata{Name: name}, Spec: store.RateLimitSpec{
			Per:   []string{"key"},
			Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: smallAmount, Window: longWindow(time.Now()), Strategy: strategy}},
		}}
		account := &store.ServiceAccount{Metadata: store.Metadata{Name: name}, Spec: store.ServiceAccountSpec{ProjectID: project}}
		if err := errors.Join(e.Put(limit), e.Put(account)); err != nil {
			return err
		}
		policy := &store.Policy{Metadata: store.Metadata{Name: name}, Spec: store.PolicySpec{RateLimitID: limit.Metadata.ID}}
		if err := e.Put(policy); err != nil {
			return err
		}
		if err := e.Put(&store.PolicyBinding{Spec: store.PolicyBindingSpec{
			PolicyID: policy.Metadata.ID, Account: store.AccountRef("service-account:" + account.Metadata.ID),
		}}); err != nil {
			return err
		}
	}
	return nil
}

// strategyKey makes a key of another strategy, in each round of the next one.
func (c *crashes) strategyKey(n int) credential {
	strategy := otherStrategies()[n%len(otherStrategies())]
	account, err := admin.Get[store.ServiceAccountSpec](c.Context(), c.running.control, string(strategy))
	if err != nil {
		c.Fatal(err)
	}
	principal := store.Ref{Kind: store.KindServiceAccount, ID: account.Metadata.ID}
	return c.newKey(fmt.Sprintf("%s-%d", strategy, n), store.RelayKeySpec{Principal: principal})
}

// aloneClient is one more client, who has a key of its own and sends one
// request after the other.
func (c *crashes) aloneClient() []*client {
	if c.alone.key == "" {
		return nil
	}
	alone := newClients(c.running.url, c.alone.name)[0]
	alone.only = &c.alone
	return []*client{alone}
}

// checkSpent looks for the cost of every answer that the client who calls
// alone had before its last request reached the upstream. The budget of
// everybody's policy holds the sum of the events, see checkCounters.
func (c *crashes) checkSpent(left *remains) {
	arrived, stored := len(c.upstream.of(c.alone.name)), 0
	for id := range left.events {
		if strings.HasPrefix(id, c.alone.name+"-") {
			stored++
		}
	}
	if stored >= arrived-1 {
		return
	}
	c.told.unspent++
	if c.never {
		c.Errorf("%d requests of one caller reached the upstream, and the cost of only %d is on disk", arrived, stored)
	}
}

// resetAfterAKill resets a limit while no server runs. The next run still tells
// of the kill, as it would have without that.
func (c *crashes) resetAfterAKill() {
	c.killUnderLoad(0)
	before := examine(c.T, copyDir(c.T, c.dir)).db.UncleanStop()
	if out, err := c.relay.command(c.dir, c.env, "limit", "reset", "all", "--yes").CombinedOutput(); err != nil {
		c.Fatalf("relay limit reset: %v: %s", err, out)
	}
	after := examine(c.T, copyDir(c.T, c.dir)).db.UncleanStop()
	if before == nil || after == nil || *before != *after {
		c.Errorf("before the reset the database said: %v; then: %v", before, after)
	}
	c.running = c.relay.start(c.T, c.dir, c.env...)
	c.wantReport()
	c.running.checkLog()
}
