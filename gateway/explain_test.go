package gateway_test

import (
	"encoding/json"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

// readings reads the rig's counters at the rig's time.
type readings struct{ *rig }

func (r readings) Read(c *limiter.Counter) limiter.Reading {
	return r.memory.Read(r.clock.Now(), c)
}

func (r readings) Judge(limits []*limiter.Limit) limiter.Refusal {
	return r.memory.Judge(r.clock.Now(), limits)
}

// explain asks what would become of a chat call with the key of the name.
func (r *rig) explain(name, model string) plan.Explanation {
	r.tb.Helper()
	e, err := plan.Explain(r.server.Plan(), plan.Question{
		KeyID: r.db.Catalog().RelayKeys.ByName(name).Metadata.ID, Model: model, Endpoint: store.EndpointChat,
		Observed: plan.Observed{Now: time.Now(), Counters: readings{r}, Live: r.server},
	})
	if err != nil {
		r.tb.Fatal(err)
	}
	return e
}

// sameAnswer fails the test unless the explanation says what the caller gets.
func (r *rig) sameAnswer(name, key, model string) {
	r.tb.Helper()
	e := r.explain(name, model)
	a := r.call(key, `{"model":"`+model+`","messages":[{"role":"user","content":"hi"}]}`)
	if e.Allowed != (a.Status == 200) || e.Allowed != (e.Refusal == nil) {
		r.tb.Fatalf("explained as %+v, refusal %+v; got %d %s", e.Allowed, e.Refusal, a.Status, a.Body)
	}
	if e.Allowed {
		return
	}
	var body struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
		r.tb.Fatalf("%v: %s", err, a.Body)
	}
	if e.Refusal.Code != body.Error.Code || e.Refusal.Message != body.Error.Message {
		r.tb.Errorf("explained as %s: %s\nanswered %s: %s", e.Refusal.Code, e.Refusal.Message, body.Error.Code, body.Error.Message)
	}
	if by := a.Header.Get("X-Relay-Refused-By"); e.Refusal.By != by {
		r.tb.Errorf("%s explained as refused by %s, answered by %s", body.Error.Code, e.Refusal.By, by)
	}
}

func (r *rig) record(kind store.Kind, name string) string {
	r.tb.Helper()
	rec := r.db.Catalog().Of(kind).FindByName(name)
	if rec == nil {
		r.tb.Fatalf("no %s %s", kind, name)
	}
	return rec.Meta().ID
}

// giveTo makes the policy one of the host's.
func (r *rig) giveTo(host, policy string) {
	r.tb.Helper()
	owned := *r.db.Catalog().Policies.ByName(policy)
	owned.Metadata.Owner = &store.Ref{Kind: store.KindHost, ID: r.record(store.KindHost, host)}
	if _, err := r.db.Write(func(e *store.Edit) error { return e.Put(&owned) }); err != nil {
		r.tb.Fatal(err)
	}
}

func oneRequest() []limiter.Rule {
	return []limiter.Rule{{Meter: limiter.MeterRequests, Amount: 1, Window: 60, Strategy: limiter.SlidingWindow}}
}

func TestExplain_SaysWhatTheCallerGets(t *testing.T) {
	past, off := time.Now().Add(-time.Hour).UTC().Truncate(time.Second), false
	for name, c := range map[string]struct {
		key    store.RelayKeySpec
		model  string
		change func(*rig)
		code   string // of the refusal; empty: answered
	}{
		"allowed":          {model: "chat"},
		"alias":            {model: "quick", change: func(r *rig) { put(r, "chat", store.ModelSpec{Aliases: []string{"quick"}}) }},
		"unknown model":    {model: "chta", code: "model_not_found"},
		"unknown host":     {model: "chat@nowhere", code: "model_not_found"},
		"disabled model":   {model: "chat", change: func(r *rig) { put(r, "chat", store.ModelSpec{Enabled: &off}) }, code: "model_disabled"},
		"no binding":       {model: "bare", change: func(r *rig) { put(r, "bare", store.ModelSpec{}) }, code: "no_host_binding"},
		"revoked key":      {key: store.RelayKeySpec{RevokedAt: &past}, model: "chat", code: "key_revoked"},
		"disabled key":     {key: store.RelayKeySpec{Enabled: &off}, model: "chat", code: "key_disabled"},
		"expired key":      {key: store.RelayKeySpec{ExpiresAt: &past}, model: "chat", code: "key_expired"},
		"other endpoint":   {key: store.RelayKeySpec{Endpoints: []string{"messages"}}, model: "chat", code: "endpoint_not_allowed"},
		"disabled policy":  {model: "chat", change: func(r *rig) { put(r, "open", store.PolicySpec{Enabled: &off}) }, code: "policy_disabled"},
		"endpoint of rung": {model: "chat", change: func(r *rig) { put(r, "open", store.PolicySpec{Endpoints: []string{"embeddings"}}) }, code: "endpoint_not_allowed"},
		"model not granted": {model: "chat", change: func(r *rig) {
			other := put(r, "other", store.ModelSpec{})
			put(r, "open", store.PolicySpec{Models: []store.ModelRef{store.ModelRef(other.Metadata.ID)}})
		}, code: "model_not_allowed"},
		"no policy": {model: "chat", change: func(r *rig) {
			id := r.record(store.KindPolicyBinding, "organization-acme")
			if _, err := r.db.Write(func(e *store.Edit) error { return e.Delete(store.KindPolicyBinding, id) }); err != nil {
				r.tb.Fatal(err)
			}
		}, code: "no_policy"},
		"disabled team": {model: "chat", change: func(r *rig) {
			put(r, "research", store.TeamSpec{OrganizationID: r.record(store.KindOrganization, "acme"), Enabled: &off})
		}, code: "record_invalid"},
		"unpriced model": {
			key: store.RelayKeySpec{Budgets: []store.Budget{{Amount: "1", Period: "day", Unpriced: "refuse"}}}, model: "chat",
			change: func(r *rig) {
				put(r, "chat-up", store.HostBindingSpec{ModelID: r.record(store.KindModel, "chat"), HostID: r.record(store.KindHost, "up")})
			}, code: "budget_exceeded",
		},
		"pin without a key": {model: "chat@spare", change: func(r *rig) {
			host := put(r, "spare", store.HostSpec{BaseURL: "https://spare.example/v1", Auth: "bearer", Shapes: []store.Shape{store.ShapeOpenAI}})
			put(r, "chat-spare", store.HostBindingSpec{ModelID: r.record(store.KindModel, "chat"), HostID: host.Metadata.ID})
		}, code: "no_keys"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			up := gatewaytest.New(t)
			up.Otherwise(answer)
			r.host("up", up, 1)
			key := r.key("laptop", c.key)
			if c.change != nil {
				c.change(r)
			}
			if e := r.explain("laptop", c.model); e.Refusal != nil && e.Refusal.Code != c.code || e.Allowed != (c.code == "") {
				t.Fatalf("explained as %+v, want %q", e.Refusal, c.code)
			}
			r.sameAnswer("laptop", key, c.model)
		})
	}
}

func TestExplain_SaysWhichLimitRefusesAndUntilWhen(t *testing.T) {
	for name, c := range map[string]struct {
		key    store.RelayKeySpec
		change func(*rig)
		code   string
	}{
		"key's own requests": {key: store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}}, code: "rate_limit_exceeded"},
		"key's own tokens":   {key: store.RelayKeySpec{Limits: &store.Limits{TPM: int64p(100)}}, code: "rate_limit_exceeded"},
		"budget":             {key: store.RelayKeySpec{Budgets: []store.Budget{{Amount: "0.0006", Period: "day"}}}, code: "budget_exceeded"},
		"organization": {
			key: store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}}, code: "org_rate_limit_exceeded",
			change: func(r *rig) { put(r, "acme", store.OrganizationSpec{Limits: &store.Limits{RPM: int64p(1)}}) },
		},
		"policy": {code: "rate_limit_exceeded", change: func(r *rig) {
			rl := put(r, "chat-rl", store.RateLimitSpec{Rules: oneRequest()})
			put(r, "open", store.PolicySpec{RateLimitID: rl.Metadata.ID})
		}},
		"policy, per model": {code: "rate_limit_exceeded", change: func(r *rig) {
			rl := put(r, "chat-rl", store.RateLimitSpec{Rules: oneRequest()})
			put(r, "open", store.PolicySpec{RLBindings: []store.RLBinding{{Models: []store.ModelRef{store.ModelRef(r.record(store.KindModel, "chat"))}, RateLimitID: rl.Metadata.ID}}})
		}},
		"model": {code: "rate_limit_exceeded", change: func(r *rig) { put(r, "chat", store.ModelSpec{Limits: &store.Limits{RPM: int64p(1)}}) }},
		"host": {code: "rate_limit_exceeded", change: func(r *rig) {
			rl := put(r, "tier", store.RateLimitSpec{Rules: oneRequest()})
			tier := put(r, "tier", store.PolicySpec{RateLimitID: rl.Metadata.ID})
			r.giveTo("up", "tier")
			put(r, "host-up", store.PolicyBindingSpec{PolicyID: tier.Metadata.ID, Account: store.AccountRef("host:" + r.record(store.KindHost, "up"))})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			up := gatewaytest.New(t)
			up.Otherwise(answer)
			r.host("up", up, 1)
			key := r.key("laptop", c.key)
			r.key("phone", store.RelayKeySpec{})
			if c.change != nil {
				c.change(r)
			}
			r.sameAnswer("laptop", key, "chat")
			r.advance(20 * time.Second)
			if e := r.explain("laptop", "chat"); e.Refusal == nil || e.Refusal.Code != c.code || e.Refusal.RetryAfterSeconds == 0 {
				t.Fatalf("explained as %+v, want %s", e.Refusal, c.code)
			}
			r.sameAnswer("laptop", key, "chat")
		})
	}
}

func TestExplain_TellsKeysThatTheBreakerHoldsBack(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(gatewaytest.JSON(401, upstreamError))
	r.host("up", up, 1)
	key := r.key("laptop", store.RelayKeySpec{})
	r.want(r.call(key, chatBody), 502, "upstream_auth")
	r.sameAnswer("laptop", key, "chat")
	k := r.explain("laptop", "chat").Route.Pools[0].Keys[0]
	if k.Takes || k.State == nil || k.State.State != "open" || k.Reason == "" {
		t.Errorf("key %+v", k)
	}
}

func TestExplain_AKeyRestsForTheModelThatItsProviderLimits(t *testing.T) {
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(gatewaytest.JSON(429, upstreamError))
	r.host("up", up, 1)
	other := put(r, "other", store.ModelSpec{})
	put(r, "other-up", store.HostBindingSpec{ModelID: other.Metadata.ID, HostID: r.record(store.KindHost, "up")})
	key := r.key("laptop", store.RelayKeySpec{})
	r.call(key, chatBody)
	if e := r.explain("laptop", "chat"); e.Allowed || e.Route.Pools[0].Keys[0].State.State != "resting" {
		t.Errorf("chat: %+v", e.Refusal)
	}
	if e := r.explain("laptop", "other"); !e.Allowed {
		t.Errorf("other: %+v", e.Refusal)
	}
}
