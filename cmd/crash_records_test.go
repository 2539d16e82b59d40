package cmd_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"relay/admin"
	"relay/limiter"
	"relay/store"
)

// mainKey is the relay key whose limits are out of reach.
var mainKey = credential{"main", "sk-wr-main-0123456789"}

const plenty = 1_000_000_000

// seed makes a data dir whose organization counts requests, tokens and money
// for as long as the test may take.
func seed(t *testing.T, dir, upstream string) {
	t.Helper()
	db, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(admin.FirstBoot(db), fill(db, upstream), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func fill(db *store.DB, upstream string) error {
	_, err := db.Write(func(e *store.Edit) error {
		host := &store.Host{Metadata: store.Metadata{Name: "up"}, Spec: store.HostSpec{BaseURL: upstream, Auth: "none", Shapes: []store.Shape{store.ShapeOpenAI}}}
		model := &store.Model{Metadata: store.Metadata{Name: "chat"}}
		pricing := &store.Pricing{Metadata: store.Metadata{Name: "chat"}, Spec: store.PricingSpec{Currency: "USD", Rates: []store.Rate{
			{Meter: "tokens.input", Unit: "per_million", Amount: "3"}, {Meter: "tokens.output", Unit: "per_million", Amount: "15"},
		}}}
		rule := func(meter limiter.Meter, window int64) limiter.Rule {
			return limiter.Rule{Meter: meter, Amount: plenty, Window: window, Strategy: limiter.SlidingWindow}
		}
		limit := &store.RateLimit{Metadata: store.Metadata{Name: "all"}, Spec: store.RateLimitSpec{Rules: []limiter.Rule{
			rule(limiter.MeterRequests, 86400), rule(limiter.MeterTokens, 86400), rule(limiter.MeterOutput, 3600),
		}}}
		tally := &store.Provider{Metadata: store.Metadata{Name: "tally", Description: "0"}}
		for _, rec := range []store.AnyRecord{host, model, pricing, limit, tally} {
			if err := e.Put(rec); err != nil {
				return err
			}
		}
		binding := &store.HostBinding{Spec: store.HostBindingSpec{
			ModelID: model.Metadata.ID, HostID: host.Metadata.ID, UpstreamName: "echo-mini", PricingID: pricing.Metadata.ID,
		}}
		return errors.Join(e.Put(binding), capDefault(e, limit), putMainKey(e), putStrategies(e))
	})
	return err
}

// capDefault puts the limit and a budget on the policy of everybody.
func capDefault(e *store.Edit, limit *store.RateLimit) error {
	former := e.Catalog().Policies.ByName("default")
	return e.Put(&store.Policy{Metadata: former.Metadata, Spec: store.PolicySpec{
		RateLimitID: limit.Metadata.ID, Budgets: []store.Budget{{Amount: "1000000", Period: "total", OnExceed: "block"}},
	}})
}

func putMainKey(e *store.Edit) error {
	account := &store.ServiceAccount{
		Metadata: store.Metadata{Name: "main"},
		Spec:     store.ServiceAccountSpec{ProjectID: e.Catalog().Projects.ByName("default").Metadata.ID},
	}
	if err := e.Put(account); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(mainKey.key))
	return e.Put(&store.RelayKey{Metadata: store.Metadata{Name: "main"}, Spec: store.RelayKeySpec{
		KeyHash: hex.EncodeToString(sum[:]), Principal: store.Ref{Kind: store.KindServiceAccount, ID: account.Metadata.ID},
	}})
}

// writes are changes of the catalog that the control API has acknowledged.
type writes struct {
	made    []string // rate limits
	tally   int      // last acknowledged description of provider tally
	tallied int      // last that was sent
}

// write changes the catalog until ctx ends: it makes rate limits, whose names
// begin with prefix, and beside that counts up in one record.
func (w *writes) write(ctx context.Context, c *admin.Client, prefix string) {
	var both sync.WaitGroup
	both.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			name := fmt.Sprintf("%s-%d", prefix, n)
			_, err := admin.Create(ctx, c, &store.RateLimit{Metadata: store.Metadata{Name: name}, Spec: store.RateLimitSpec{
				Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 1, Window: 60, Strategy: limiter.SlidingWindow}},
			}})
			if err == nil {
				w.made = append(w.made, name)
			}
		}
	})
	both.Go(func() {
		tally, err := admin.Get[store.ProviderSpec](ctx, c, "tally")
		for ; err == nil && ctx.Err() == nil; tally.Metadata.Generation = 0 {
			w.tallied++
			tally.Metadata.Description = strconv.Itoa(w.tallied)
			if _, err = admin.Update(ctx, c, tally); err == nil {
				w.tally = w.tallied
			}
		}
	})
	both.Wait()
}

// check finds every acknowledged change in a catalog.
func (w *writes) check(t *testing.T, c *store.Catalog) {
	t.Helper()
	for _, name := range w.made {
		if c.RateLimits.ByName(name) == nil {
			t.Errorf("rate limit %s was acknowledged and is gone", name)
		}
	}
	found, _ := strconv.Atoi(c.Providers.ByName("tally").Metadata.Description)
	if found < w.tally || found > w.tallied {
		t.Errorf("provider tally says %d, acknowledged were %d of %d changes", found, w.tally, w.tallied)
	}
	w.tally, w.tallied = found, found
}
