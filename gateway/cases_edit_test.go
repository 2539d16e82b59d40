package gateway_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// edit changes one record, and leaves the rest of it as it is.
func edit[S any](r *rig, name string, change func(rec *store.Record[S])) {
	r.tb.Helper()
	var rec store.Record[S]
	former := r.db.Catalog().Of(rec.Kind()).FindByName(name)
	if former == nil {
		r.tb.Fatalf("no %s %s", rec.Kind(), name)
	}
	rec = *former.(*store.Record[S])
	change(&rec)
	if _, err := r.db.Write(func(e *store.Edit) error { return e.Put(&rec) }); err != nil {
		r.tb.Fatalf("edit %s: %v", name, err)
	}
}

func rename[S any](from, to string) func(r *rig) {
	return func(r *rig) {
		r.tb.Helper()
		edit(r, from, func(rec *store.Record[S]) { rec.Metadata.Name, rec.Metadata.Description = to, "was "+from })
	}
}

// amounts doubles the amounts of the rate limit rl and turns its rules round.
func amounts(r *rig) {
	edit(r, "rl", func(rl *store.RateLimit) {
		rules := slices.Clone(rl.Spec.Rules)
		slices.Reverse(rules)
		for i := range rules {
			rules[i].Amount *= 2
		}
		rl.Spec.Rules = rules
	})
}

func moreMoney(r *rig) {
	budgets := []store.Budget{{Amount: "20", Period: "day"}, {Amount: "200", Period: "total"}}
	edit(r, "open", func(p *store.Policy) { p.Spec.Budgets = budgets })
	edit(r, "laptop", func(k *store.RelayKey) { k.Spec.Budgets = budgets })
}

func higherCaps(r *rig) {
	edit(r, "laptop", func(k *store.RelayKey) {
		k.Spec.Limits = &store.Limits{RPM: int64p(70), TPM: int64p(7000), Concurrency: int64p(7)}
	})
}

func secondKey(r *rig) { r.key("second", store.RelayKeySpec{}) }

// offAndOn switches everything off that counts, and on again.
func offAndOn(r *rig) {
	for _, enabled := range []bool{false, true} {
		edit(r, "rl", func(rl *store.RateLimit) { rl.Spec.Enabled = &enabled })
		edit(r, "open", func(p *store.Policy) { p.Spec.Enabled = &enabled })
		edit(r, "laptop", func(k *store.RelayKey) { k.Spec.Enabled = &enabled })
	}
}

// unbindAndBind takes the policy off its account, and binds it again.
func unbindAndBind(r *rig) {
	binding := *r.db.Catalog().PolicyBindings.ByName("organization-acme")
	if _, err := r.db.Write(func(e *store.Edit) error { return e.Delete(store.KindPolicyBinding, binding.Metadata.ID) }); err != nil {
		r.tb.Fatal(err)
	}
	put(r, "organization-acme", binding.Spec)
}

// edits leave the names of all records as they were.
func edits() []func(r *rig) {
	all := []func(r *rig){amounts, moreMoney, higherCaps, secondKey, offAndOn, unbindAndBind}
	for name, renaming := range map[string]func(from, to string) func(r *rig){
		"rl": rename[store.RateLimitSpec], "open": rename[store.PolicySpec], "laptop": rename[store.RelayKeySpec],
		"acme": rename[store.OrganizationSpec], "research": rename[store.TeamSpec], "bots": rename[store.ProjectSpec], "script": rename[store.ServiceAccountSpec],
	} {
		all = append(all, renaming(name, "other-"+name), renaming("other-"+name, name))
	}
	return all
}

func TestEdits_KeepEveryCountAndWhatIsInFlight(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			end := make(chan struct{})
			up.Play(k.says(6, 4), k.saysAfter(6, 4, gatewaytest.Wait(end)))
			r.policy(sliding(limiter.MeterRequests, 50, time.Hour), sliding(limiter.MeterTokens, 500, 24*time.Hour), sliding(limiter.MeterConcurrency, 5, time.Minute))
			budgets := []store.Budget{{Amount: "10", Period: "day"}, {Amount: "100", Period: "total"}}
			edit(r, "open", func(p *store.Policy) { p.Spec.Budgets = budgets })
			key := r.key("laptop", store.RelayKeySpec{Budgets: budgets, Limits: &store.Limits{RPM: int64p(60), TPM: int64p(600), Concurrency: int64p(6)}})
			r.want(r.ask(k, key), 200, "")
			_, pending := r.begin(k, key)
			up.Request(1)
			before := r.counts()
			for _, reading := range []string{"concurrency=1; ", "requests=2; ", "tokens=10; ", " cost="} {
				if strings.Count(before, reading) < 2 {
					t.Fatalf("before the edits the counters read %s", before)
				}
			}
			for i, change := range edits() {
				change(r)
				if after := r.counts(); after != before {
					t.Fatalf("edit %d made the counters go\nfrom %s\nto   %s", i, before, after)
				}
			}
			close(end)
			pending.end()
			if after := r.counts(); strings.Contains(after, "concurrency=1") || strings.Count(after, "tokens=20; ") != 2 {
				t.Errorf("after both calls the counters read %s", after)
			}
		})
	}
}

// counts is what the counters of the first key read, by owner's id and meter.
func (r *rig) counts() string {
	plaintext := sha256.Sum256([]byte("sk-wr-laptop-0123456789"))
	var all []string
	for _, l := range r.server.Plan().Caller(plaintext).Limits {
		reading := r.memory.Read(r.clock.Now(), l.Counter)
		all = append(all, fmt.Sprintf("%s %s%s%d %s=%d; ", reading.Name.Owner, reading.Name.Period, reading.Name.Strategy, reading.Name.Window, reading.Name.Meter, reading.Used))
	}
	slices.Sort(all)
	return strings.Join(all, "")
}

// What is counted is another thing then.
func TestEdits_OfMeterStrategyOrWindowBeginAFreshCount(t *testing.T) {
	for name, rule := range map[string]limiter.Rule{
		"window":   sliding(limiter.MeterRequests, 1, 2*time.Minute),
		"strategy": {Meter: limiter.MeterRequests, Amount: 1, Window: 60, Strategy: limiter.FixedWindow},
		"meter":    sliding(limiter.MeterInput, 1, time.Minute),
	} {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			up.Otherwise(answer)
			r.policy(sliding(limiter.MeterRequests, 1, time.Minute))
			key := r.key("laptop", store.RelayKeySpec{})
			r.want(r.call(key, chatBody), 200, "hello")
			r.want(r.call(key, chatBody), 429, "1 of 1")
			r.policy(rule)
			r.want(r.call(key, chatBody), 200, "hello")
			r.want(r.call(key, chatBody), 429, "of 1")
		})
	}
}

// A rotated key is the same key.
func TestEdits_ARotatedKeyGoesOnCountingWhereItWas(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(2)}, Budgets: []store.Budget{{Amount: "0.0012", Period: "day"}}})
	r.want(r.call(key, chatBody), 200, "hello")
	const other = "sk-wr-the-next-plaintext-0123456789"
	sum := sha256.Sum256([]byte(other))
	until := time.Now().Add(time.Hour)
	edit(r, "laptop", func(k *store.RelayKey) {
		k.Spec.PreviousHash, k.Spec.PreviousUntil, k.Spec.KeyHash = k.Spec.KeyHash, &until, hex.EncodeToString(sum[:])
	})
	r.want(r.call(other, chatBody), 200, "hello")
	for _, plaintext := range []string{key, other} {
		r.want(r.call(plaintext, chatBody), 429, "2 of 2 requests in 1m used")
	}
	if spent := r.used(other, limiter.MeterCost); spent != 1_200_000 {
		t.Errorf("%d nano-dollars are spent", spent)
	}
}
