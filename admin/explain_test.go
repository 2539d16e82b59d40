package admin_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relay/admin"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

// planned adds to a fixture what a process has besides: plans of its catalog,
// and counters whose clock stands still.
type planned struct {
	*fixture
	registry *limiter.Registry
	memory   *limiter.Memory
	clock    *limiter.Clock
	current  atomic.Pointer[plan.Plan]
	asOf     time.Time
}

func startPlanned(t *testing.T, adjust ...func(*admin.Options)) *planned {
	t.Helper()
	p := &planned{registry: limiter.NewRegistry()}
	p.memory = limiter.NewMemory(p.registry)
	p.clock = limiter.NewClock(func() (time.Duration, time.Time) { return 0, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) })
	p.fixture = start(t, append(adjust, func(o *admin.Options) {
		o.Counters, o.Plan = p, p.current.Load
		o.DB.SetCompiler(func(next *store.Catalog) (func(), []store.Problem) {
			made := plan.Compile(plan.Input{Catalog: next, Registry: p.registry, KeyValue: o.DB.HostKeyValue})
			return func() { p.current.Store(made) }, nil
		})
	})...)
	return p
}

func (p *planned) Len() int { return p.registry.Len() }

func (p *planned) AsOf() time.Time { return p.asOf }

func (p *planned) Read(c *limiter.Counter) limiter.Reading { return p.memory.Read(p.clock.Now(), c) }

func (p *planned) Judge(limits []*limiter.Limit) limiter.Refusal {
	return p.memory.Judge(p.clock.Now(), limits)
}

// serve makes a host that wants no key, a model on it, and a relay key script
// under policy chat of 2 requests a minute.
func (p *planned) serve() {
	p.t.Helper()
	p.create(store.KindHost, `{"metadata":{"name":"up"},"spec":{"baseURL":"http://127.0.0.1:9/v1","auth":"none","shapes":["openai"]}}`)
	p.create(store.KindModel, `{"metadata":{"name":"mini"},"spec":{}}`)
	p.create(store.KindHostBinding, `{"metadata":{"name":"mini-up"},"spec":{"modelId":"mini","hostId":"up"}}`)
	p.create(store.KindRateLimit, `{"metadata":{"name":"chat-rl"},"spec":{"rules":[{"meter":"requests","amount":2,"window":60,"strategy":"sliding-window"}]}}`)
	p.create(store.KindPolicy, `{"metadata":{"name":"chat"},"spec":{"rateLimitId":"chat-rl","models":["mini"]}}`)
	p.create(store.KindPolicyBinding, `{"metadata":{},"spec":{"policyId":"chat","account":"team:default"}}`)
	hash := sha256.Sum256([]byte("plaintext"))
	p.send("POST", "/api/relay-keys", `{"metadata":{"name":"script"},"spec":{"keyHash":"`+hex.EncodeToString(hash[:])+`"}}`).want(http.StatusCreated)
}

// call counts a request of the key script.
func (p *planned) call() {
	p.t.Helper()
	var ticket limiter.Ticket
	ticket.Add(p.current.Load().Caller(sha256.Sum256([]byte("plaintext"))).Limits)
	if r, _ := p.memory.Reserve(context.Background(), p.clock.Now(), &ticket); r.Refused() {
		p.t.Fatalf("refused: %+v", r)
	}
	p.memory.Commit(context.Background(), p.clock.Now(), limiter.Usage{}, &ticket, nil)
}

func TestExplain_TellsRouteRungsLimitsAndTheRefusal(t *testing.T) {
	p := startPlanned(t)
	p.serve()
	p.asOf = time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC)
	p.send("POST", "/api/explain", `{"credential":"script","model":"mini"}`).want(200).holds(
		`"allowed":true`, `"live":false`, `"asOf":"2026-11-30T11:00:00Z"`, `"upstreamName":"mini"`, `"rung":"organization"`, `"rung":"key"`,
		`"text":"Limit \"chat-rl\" of policy chat: 2 requests in 1m"`, `"used":0`, `"resetSeconds":0`)
	p.call()
	p.call()
	e, err := p.client().Explain(t.Context(), admin.ExplainRequest{Credential: "script", Model: "mini"})
	if err != nil {
		t.Fatal(err)
	}
	if e.Allowed || e.Refusal.By != "limit" || e.Refusal.RetryAfterSeconds != 61 || !strings.HasPrefix(e.Refusal.Message, `Limit "chat-rl" of policy chat: 2 of 2 requests in 1m used`) {
		t.Errorf("refusal %+v", e.Refusal)
	}
	if l := e.Limits[0]; !l.Refuses || l.Used != 2 || l.Room != 0 || *l.ResetSeconds != 61 {
		t.Errorf("limit %+v", l)
	}
	p.send("POST", "/api/explain", `{"account":"team:default","model":"nothing"}`).want(200).holds(`"code":"model_not_found"`, `"account":{"kind":"team"`)
	p.send("POST", "/api/explain", `{"account":"organization:default","model":"mini","endpoint":"messages"}`).want(200).holds(`"allowed":true`)
}

func TestExplain_RefusesQuestionsThatAskNothing(t *testing.T) {
	p := startPlanned(t)
	p.serve()
	for body, want := range map[string]int{
		`{"model":"mini"}`: 400,
		`{"credential":"script","account":"team:default","model":"mini"}`: 400,
		`{"credential":"script"}`:                                   400,
		`{"credential":"script","model":""}`:                        400,
		`{"credential":"script","model":"mini","endpoint":"smoke"}`: 400,
		`{"credential":"script","model":"mini","modell":"x"}`:       400,
		`{"account":"default","model":"mini"}`:                      400,
		`{"account":"flock:geese","model":"mini"}`:                  400,
		`{"account":"host:up","model":"mini"}`:                      400,
		`{"credential":"nobody","model":"mini"}`:                    404,
		`{"account":"team:nobody","model":"mini"}`:                  404,
		`{"account":"member:ann@default","model":"mini"}`:           404,
	} {
		p.send("POST", "/api/explain", body).want(want)
	}
}

func TestExplain_TellsKeysAndHostsAsTheRunningServerSeesThem(t *testing.T) {
	p := startPlanned(t, func(o *admin.Options) {
		o.Live = liveKeys(func() map[string]plan.KeyState {
			host := o.DB.Catalog().Hosts.ByName("up").Metadata.ID
			return map[string]plan.KeyState{host: {State: "open", Until: time.Date(2026, 11, 30, 12, 10, 0, 0, time.UTC), Reason: "401"}}
		})
	})
	p.serve()
	p.send("POST", "/api/explain", `{"credential":"script","model":"mini"}`).want(200).holds(
		`"live":true`, `"code":"no_keys"`, `"state":"open"`, `its breaker is open until 2026-11-30T12:10:00Z: 401`)
}

// liveKeys is a running server of which only the keys are known.
type liveKeys func() map[string]plan.KeyState

func (l liveKeys) InFlight() int                         { return 0 }
func (l liveKeys) KeyStates() map[string]plan.KeyState   { return l() }
func (l liveKeys) HostStates() map[string]plan.HostState { return nil }
func (l liveKeys) ResetKey(string) bool                  { return false }
func (l liveKeys) Listed(string, string) (string, bool)  { return "", false }

func TestExplain_SaysThatThereIsNoPlan(t *testing.T) {
	f := start(t)
	f.send("POST", "/api/explain", `{"credential":"script","model":"mini"}`).want(http.StatusServiceUnavailable).holds("no plan yet")
}

func TestEffective_FoldsTheLadderOfAnAccount(t *testing.T) {
	p := startPlanned(t)
	p.serve()
	p.call()
	out, err := p.client().Effective(t.Context(), "team:default")
	if err != nil {
		t.Fatal(err)
	}
	if out.Account.Name != "default" || len(out.Rungs) != 2 || len(out.Models) != 1 || len(out.Limits) != 1 || out.Limits[0].Used != 1 || out.Limits[0].SharedBy != 1 {
		t.Errorf("effective %+v", out)
	}
	p.send("GET", "/api/accounts/"+out.Account.ID+"/effective", "").want(200).holds(`"name":"default"`)
	p.send("GET", "/api/accounts/team:"+out.Account.ID+"/effective", "").want(200)
	p.send("GET", "/api/accounts/team%3Adefault/effective", "").want(200)
	p.send("GET", "/api/accounts/host:up/effective", "").want(200).holds(`"models":["mini"]`)
	p.send("GET", "/api/accounts/team:nobody/effective", "").want(404)
	p.send("GET", "/api/accounts/default/effective", "").want(400)
	p.send("GET", "/api/accounts/01a22a1d-8cee-7c0a-8825-7ff16cbadb43/effective", "").want(404)
}

func TestPolicyLimits_ShowsCountersOfTheRules(t *testing.T) {
	p := startPlanned(t)
	p.serve()
	p.call()
	out, err := p.client().PolicyLimits(t.Context(), "chat")
	if err != nil {
		t.Fatal(err)
	}
	if len(out.RateLimits) != 1 || !out.RateLimits[0].Default || out.RateLimits[0].Rules[0].Used != 1 || len(out.Unthrottled) != 0 {
		t.Errorf("limits %+v", out)
	}
	p.send("GET", "/api/policies/"+out.Policy.ID+"/rate-limits", "").want(200).holds(
		`"meter":"requests"`, `"amount":2`, `"window":60`, `"resetSeconds":61`, `"subject":"team:default"`, `"overlaps":[]`)
	p.send("GET", "/api/policies/default/rate-limits", "").want(200).holds(`"rateLimits":[]`, `"unthrottled":["mini"]`)
	p.send("GET", "/api/policies/nothing/rate-limits", "").want(404)
}
