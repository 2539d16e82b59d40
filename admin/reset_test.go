package admin_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"testing"

	"relay/admin"
	"relay/limiter"
	"relay/store"
)

// resetting is a process whose counters can be set to zero.
func resetting(t *testing.T) *planned {
	t.Helper()
	var p *planned
	p = startPlanned(t, func(o *admin.Options) {
		o.Resets = resetter(func(matches func(limiter.Name) bool) int { return p.reset(matches) })
	})
	p.db.StartUsage(p)
	return p
}

type resetter func(func(limiter.Name) bool) int

func (r resetter) Reset(matches func(limiter.Name) bool) int { return r(matches) }

func (p *planned) reset(matches func(limiter.Name) bool) int {
	found := p.registry.Counters(matches)
	for _, c := range found {
		p.memory.Reset(p.clock.Now(), c)
	}
	return len(found)
}

func (p *planned) Snapshot(put func(name string, state []byte)) uint64 {
	return p.memory.Snapshot(p.clock.Now(), put)
}

func (p *planned) Dirty() bool { return p.memory.Dirty() }

// spend makes a request of the key script that costs so many dollars.
func (p *planned) spend(dollars int64) {
	p.t.Helper()
	var ticket limiter.Ticket
	ticket.Add(p.current.Load().Caller(sha256.Sum256([]byte("plaintext"))).Limits)
	if r, _ := p.memory.Reserve(context.Background(), p.clock.Now(), &ticket); r.Refused() {
		p.t.Fatalf("refused: %+v", r)
	}
	commit := p.memory.Commit(context.Background(), p.clock.Now(), limiter.Usage{CostNanos: dollars * 1e9}, &ticket, nil)
	p.db.RecordUsage(commit, p.now, nil, 0)
}

// stored returns how many counters the database holds besides the clock.
func (p *planned) stored() int {
	p.t.Helper()
	n := 0
	err := p.db.Counters(func(name string, _ []byte) error {
		if name != limiter.ClockName {
			n++
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *planned) flush() {
	p.t.Helper()
	if err := p.db.FlushUsage(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *planned) idOf(kind store.Kind, name string) string {
	return p.send("GET", "/api/"+kind.Plural()+"/"+name, "").want(http.StatusOK).id()
}

func TestResetRateLimit_IsOnDiskWhenItAnswers(t *testing.T) {
	p := resetting(t)
	p.serve()
	p.spend(0)
	p.spend(0)
	p.flush()
	if p.stored() != 1 {
		t.Fatalf("%d counters are stored, want 1", p.stored())
	}
	done, err := p.client().ResetRateLimit(t.Context(), p.idOf(store.KindRateLimit, "chat-rl"), "")
	if err != nil || done.Counters != 1 {
		t.Fatalf("reset %+v, %v", done, err)
	}
	if p.stored() != 0 {
		t.Error("a restart would bring the counter back")
	}
	p.spend(0)
}

func TestResetRateLimit_ResetsOneSubject(t *testing.T) {
	p := resetting(t)
	p.serve()
	p.create(store.KindTeam, `{"metadata":{"name":"other"},"spec":{"organizationId":"default"}}`)
	p.spend(0)
	path := "/api/rate-limits/by-id/" + p.idOf(store.KindRateLimit, "chat-rl") + "/reset"
	p.send("POST", path, `{"subject":"team:other"}`).want(200).holds(`"counters":0`)
	p.send("POST", path, `{"subject":"key:script"}`).want(200).holds(`"counters":0`)
	p.send("GET", "/api/policies/chat/rate-limits", "").want(200).holds(`"used":1`)
	p.send("POST", path, `{"subject":"team:default"}`).want(200).holds(`"counters":1`)
	p.send("GET", "/api/policies/chat/rate-limits", "").want(200).holds(`"used":0`)
	p.send("PATCH", "/api/rate-limits/by-id/"+p.idOf(store.KindRateLimit, "chat-rl"), `{"spec":{"per":["key"]}}`, "Content-Type", "application/merge-patch+json").want(200)
	p.spend(0)
	p.send("POST", path, `{"subject":"key:script"}`).want(200).holds(`"counters":1`)
	p.send("GET", "/api/policies/chat/rate-limits", "").want(200).holds(`"used":0`)
	p.send("POST", path, `{"subject":"team:nobody"}`).want(404)
	p.send("POST", path, `{"subject":"default"}`).want(400)
	p.send("POST", path, `{"subject":"model:mini"}`).want(400)
	p.send("POST", path, "").want(200)
	p.send("POST", "/api/rate-limits/by-id/"+p.idOf(store.KindPolicy, "chat")+"/reset", "").want(404)
}

func TestResetBudget_ForgetsWhatWasSpentInOnePeriod(t *testing.T) {
	p := resetting(t)
	p.serve()
	hash := sha256.Sum256([]byte("plaintext"))
	p.send("DELETE", "/api/relay-keys/by-id/"+p.idOf(store.KindRelayKey, "script"), "").want(http.StatusNoContent)
	p.send("POST", "/api/relay-keys", `{"metadata":{"name":"payer"},"spec":{"keyHash":"`+hex.EncodeToString(hash[:])+
		`","budgets":[{"amount":"10","period":"day"},{"amount":"50","period":"month"}]}}`).want(http.StatusCreated)
	p.spend(12)
	path := "/api/relay-keys/by-id/" + p.idOf(store.KindRelayKey, "payer") + "/reset-budget"
	p.send("POST", path, `{"period":"total"}`).want(http.StatusUnprocessableEntity).holds("no budget for this period")
	p.send("POST", path, `{"period":"hour"}`).want(400)
	p.send("POST", path, "").want(400)
	done, err := p.client().ResetBudget(t.Context(), store.KindRelayKey, p.idOf(store.KindRelayKey, "payer"), "day")
	if err != nil || done.Counters != 1 {
		t.Fatalf("reset %+v, %v", done, err)
	}
	p.send("POST", "/api/explain", `{"credential":"payer","model":"mini"}`).want(200).holds(`"period":"day","sharedBy":1,"used":0`, `"period":"month","sharedBy":1,"used":12000000000`)
	p.send("POST", "/api/policies/by-id/"+p.idOf(store.KindPolicy, "chat")+"/reset-budget", `{"period":"day"}`).want(http.StatusUnprocessableEntity)
}

func TestReset_NeedsAProcessThatCounts(t *testing.T) {
	p := startPlanned(t)
	p.serve()
	p.send("POST", "/api/rate-limits/by-id/"+p.idOf(store.KindRateLimit, "chat-rl")+"/reset", "").want(http.StatusServiceUnavailable).holds("running server")
}

func TestTopUp_AddsToThePrepaidBudget(t *testing.T) {
	p := resetting(t)
	p.serve()
	id := p.idOf(store.KindRelayKey, "script")
	for _, step := range []struct{ add, amount string }{{"10", "10.00"}, {"2.5", "12.50"}, {"0.000000001", "12.500000001"}} {
		key, err := p.client().TopUpKey(t.Context(), id, step.add)
		if err != nil {
			t.Fatal(err)
		}
		if b := key.Spec.Budgets; len(b) != 1 || b[0].Amount != step.amount || b[0].Period != "total" {
			t.Errorf("after %s the budgets are %+v, want %s", step.add, b, step.amount)
		}
	}
}

func TestTopUp_LetsASpentKeyPassAndKeepsWhatItSpent(t *testing.T) {
	p := resetting(t)
	p.serve()
	path := "/api/relay-keys/by-id/" + p.idOf(store.KindRelayKey, "script") + "/topup"
	p.send("POST", path, `{"amount":"10"}`).want(200)
	p.spend(12)
	p.send("POST", "/api/explain", `{"credential":"script","model":"mini"}`).want(200).holds(`"code":"budget_exceeded"`)
	p.send("POST", path, `{"amount":"2"}`).want(200)
	p.send("POST", "/api/explain", `{"credential":"script","model":"mini"}`).want(200).holds(`"code":"budget_exceeded"`)
	p.send("POST", path, `{"amount":"1"}`).want(200)
	p.send("POST", "/api/explain", `{"credential":"script","model":"mini"}`).want(200).holds(`"allowed":true`, `"used":12000000000,"room":1000000000`)
}

func TestTopUp_RefusesWhatIsNoAmount(t *testing.T) {
	p := resetting(t)
	p.serve()
	id := p.idOf(store.KindRelayKey, "script")
	path := "/api/relay-keys/by-id/" + id + "/topup"
	for _, amount := range []string{"0", "-1", "1e3", "ten", "", "9300000000"} {
		p.send("POST", path, `{"amount":"`+amount+`"}`).want(400).holds(`"field":"amount"`)
	}
	p.send("POST", path, `{"amount":10}`).want(400)
	p.send("POST", path, `{"amount":"9000000000"}`).want(200)
	p.send("POST", path, `{"amount":"9000000000"}`).want(400).holds("more than a budget can hold")
	p.send("POST", path, `{"amount":"1"}`, "If-Match", `"1"`).want(http.StatusPreconditionFailed)
	p.send("POST", "/api/relay-keys/by-id/"+id+"/revoke", "").want(200)
	p.send("POST", path, `{"amount":"1"}`).want(http.StatusConflict)
}
