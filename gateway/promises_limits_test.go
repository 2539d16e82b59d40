package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
)

// The sentences of limits.md, sections 1 to 4 and 8, on callers that no other
// test of the request path holds.

func TestLimits_Promise(t *testing.T) {
	t.Run("a reference to a rate limit that does not exist: requests under it are refused, never silently uncapped", func(t *testing.T) {
		r, up := newPromise(t)
		key := r.key("laptop", store.RelayKeySpec{})
		r.dangle()
		r.want(r.call(key, chatBody), 503, `"code":"limit_missing"`)
		r.wantArrived(up, 0)
		if w := r.server.Plan().Warnings; len(w) != 1 || !strings.Contains(w[0].String(), "names a rate limit that does not exist") {
			t.Errorf("warnings %v", w)
		}
	})
	t.Run("model lists and a caller's own usage are exempt from all limits", func(t *testing.T) {
		r, _ := newPromise(t)
		key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}})
		read := func() {
			t.Helper()
			for _, path := range []string{"/v1/models", "/v1/models/chat", "/v1/usage"} {
				r.want(r.get(path, key), 200, "")
			}
		}
		read()
		r.want(r.call(key, chatBody), 200, "hello")
		r.want(r.call(key, chatBody), 429, "1 of 1 requests")
		read()
	})
	t.Run("the first entry of rlBindings that matches counts, per model; a model without a match is not limited", func(t *testing.T) {
		r, _ := newPromise(t)
		key := r.key("laptop", store.RelayKeySpec{})
		r.model("other")
		r.model("free")
		one, two := put(r, "one", store.RateLimitSpec{Rules: oneRequest()}), put(r, "two", store.RateLimitSpec{Rules: []limiter.Rule{sliding(limiter.MeterRequests, 2, time.Minute)}})
		ref := func(name string) store.ModelRef { return store.ModelRef(r.record(store.KindModel, name)) }
		put(r, "open", store.PolicySpec{RLBindings: []store.RLBinding{
			{Models: []store.ModelRef{ref("chat"), ref("other")}, RateLimitID: one.Metadata.ID}, {Models: []store.ModelRef{ref("chat")}, RateLimitID: two.Metadata.ID},
		}})
		for _, model := range []string{"chat", "other"} {
			r.want(r.call(key, bodyFor(model)), 200, "hello")
			r.want(r.call(key, bodyFor(model)), 429, "1 of 1 requests")
		}
		for range 3 {
			r.want(r.call(key, bodyFor("free")), 200, "hello")
		}
	})
	t.Run("a model's shorthand is shared by every caller and belongs to the model, whichever alias led to it", func(t *testing.T) {
		r, _ := newPromise(t)
		alice, bob := r.key("alice", store.RelayKeySpec{}), r.key("bob", store.RelayKeySpec{})
		put(r, "chat", store.ModelSpec{Aliases: []string{"quick", "fast-*"}, Limits: &store.Limits{RPM: int64p(3)}})
		r.want(r.call(alice, bodyFor("chat")), 200, "hello")
		r.want(r.call(bob, bodyFor("quick")), 200, "hello")
		r.want(r.call(alice, bodyFor("fast-one")), 200, "hello")
		for _, model := range []string{"chat", "quick", "fast-two", "chat@up"} {
			r.want(r.call(bob, bodyFor(model)), 429, "Limit of model chat: 3 of 3 requests in 1m used")
		}
	})
	t.Run("an organization's concurrency is concurrency_limit_exceeded with Retry-After 1; a policy bound to it has scope policy", func(t *testing.T) {
		r, up := newPromise(t)
		key := r.key("laptop", store.RelayKeySpec{})
		put(r, "acme", store.OrganizationSpec{Limits: &store.Limits{Concurrency: int64p(1)}})
		let := make(chan struct{})
		up.Play(gatewaytest.Join(gatewaytest.Wait(let), answer))
		read := r.sent(key, chatBody)
		up.Request(0)
		a := r.call(key, chatBody)
		r.want(a, 429, `"code":"concurrency_limit_exceeded"`)
		if a.Header.Get("Retry-After") != "1" || !strings.Contains(a.Body, "Limit of organization acme: 1 of 1 requests in flight; retry after 1 s.") {
			t.Errorf("got %v %s", a.Header, a.Body)
		}
		close(let)
		r.want(read(), 200, "hello")
		r.policy(oneRequest()...)
		r.want(r.call(key, chatBody), 200, "hello")
		r.want(r.call(key, chatBody), 429, `"scope":"policy"`)
	})
	t.Run("longer waits carry x-should-retry: false and no retry-after-ms", func(t *testing.T) {
		r, _ := newPromise(t)
		key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{RPH: int64p(1)}})
		r.want(r.call(key, chatBody), 200, "hello")
		a := r.call(key, chatBody)
		r.want(a, 429, "1 of 1 requests in 1h used; retry after 3660 s")
		if a.Header.Get("Retry-After") != "3660" || a.Header.Get("X-Should-Retry") != "false" || a.Header.Get("Retry-After-Ms") != "" {
			t.Errorf("headers %v", a.Header)
		}
	})
	t.Run("warn lets the request pass and sets X-Relay-Budget-Warning", func(t *testing.T) {
		r, up := newPromise(t)
		key := r.key("laptop", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "0.0001", Period: "day", OnExceed: "warn"}}})
		up.Play(answer, answer, stream)
		for i, body := range []string{chatBody, chatBody, streamBody} {
			a := r.call(key, body)
			r.want(a, 200, "hel")
			if got := a.Header.Get("X-Relay-Budget-Warning"); (got == "the budget of key laptop is used up") != (i > 0) {
				t.Errorf("call %d warns with %q", i+1, got)
			}
		}
	})
}

func TestUpstreamLimits_Promise(t *testing.T) {
	t.Run("counters of a key are shared by everybody who spends it, and the refusal names no limit of others", func(t *testing.T) {
		r, _ := newPromise(t)
		r.tier("up", oneRequest()...)
		alice, bob := r.key("alice", store.RelayKeySpec{}), r.key("bob", store.RelayKeySpec{})
		for i, key := range []string{alice, bob, alice, bob} { // three keys at the upstream
			a := r.call(key, chatBody)
			if i < 3 {
				r.want(a, 200, "hello")
				continue
			}
			r.want(a, 429, "All 3 keys for chat at up are at their own limit; retry after 61 s.")
			if strings.Contains(a.Body, "tier") || a.Header.Get("X-Relay-Refused-By") != "limit" {
				t.Errorf("got %v %s", a.Header, a.Body)
			}
		}
	})
	t.Run("the policy bound to the host has one set for all its traffic", func(t *testing.T) {
		r, _ := newPromise(t)
		r.bindUpstream("host", r.record(store.KindHost, "up"))
		key := r.key("laptop", store.RelayKeySpec{})
		r.want(r.call(key, chatBody), 200, "hello")
		r.want(r.call(key, chatBody), 429, "at their own limit")
	})
	t.Run("the policy bound to the host account has one set for all keys of the account", func(t *testing.T) {
		r, up := newPromise(t)
		account := put(r, "team-a", store.HostAccountSpec{HostID: r.record(store.KindHost, "up")})
		for _, name := range []string{"up-1", "up-2"} {
			spec := r.db.Catalog().HostKeys.ByName(name).Spec
			spec.AccountID = account.Metadata.ID
			put(r, name, spec)
		}
		r.bindUpstream("host-account", account.Metadata.ID)
		key := r.key("laptop", store.RelayKeySpec{})
		r.want(r.call(key, chatBody), 200, "hello")
		for i := range 2 {
			r.want(r.call(key, chatBody), 200, "hello")
			if got := up.Request(i + 1).Header("Authorization")[0]; got != "Bearer secret-of-UP_3" {
				t.Errorf("key %q was used, and its account has no room", got)
			}
		}
	})
	t.Run("a key without room is passed over: its breaker stays closed, and it is none of the three keys of a request", func(t *testing.T) {
		r := newRig(t)
		up := gatewaytest.New(t, answer, answer, answer, answer, gatewaytest.JSON(500, upstreamError), gatewaytest.JSON(500, upstreamError), answer)
		r.host("up", up, 7)
		r.tier("up", oneRequest()...)
		key := r.key("laptop", store.RelayKeySpec{})
		for range 4 {
			r.want(r.call(key, chatBody), 200, "hello")
		}
		a := r.call(key, chatBody) // four keys have no room, two fail
		r.want(a, 200, "hello")
		if a.Header.Get("X-Relay-Attempts") != "3" {
			t.Errorf("X-Relay-Attempts %q", a.Header.Get("X-Relay-Attempts"))
		}
		for id, state := range r.server.KeyStates() {
			if state.State != "closed" {
				t.Errorf("key %s is %+v", id, state)
			}
		}
	})
}

// newPromise is a rig whose upstream has three keys and always answers.
func newPromise(t *testing.T) (*rig, *gatewaytest.Upstream) {
	t.Helper()
	r := newRig(t)
	up := gatewaytest.New(t)
	up.Otherwise(answer)
	r.host("up", up, 3)
	return r, up
}

func bodyFor(model string) string {
	return strings.Replace(chatBody, `"chat"`, `"`+model+`"`, 1)
}

// model binds one more model to the host.
func (r *rig) model(name string) {
	r.tb.Helper()
	put(r, name, store.ModelSpec{})
	put(r, name+"-up", store.HostBindingSpec{ModelID: r.record(store.KindModel, name), HostID: r.record(store.KindHost, "up")})
}

// bindUpstream puts one request a minute on an account of the upstream side.
func (r *rig) bindUpstream(kind, id string) {
	r.tb.Helper()
	rl := put(r, "upstream-rl", store.RateLimitSpec{Rules: oneRequest()})
	policy := put(r, "upstream", store.PolicySpec{RateLimitID: rl.Metadata.ID})
	r.giveTo("up", "upstream")
	put(r, kind+"-bound", store.PolicyBindingSpec{PolicyID: policy.Metadata.ID, Account: store.AccountRef(kind + ":" + id)})
}

// dangle puts a plan into use whose policy of everybody names a rate limit
// that does not exist, as a file that was edited by hand might.
func (r *rig) dangle() {
	r.tb.Helper()
	c := r.db.Catalog()
	var records []store.AnyRecord
	for _, kind := range store.Kinds() {
		for rec := range c.Of(kind).Each() {
			if p, ok := rec.(*store.Policy); ok && p.Metadata.Name == "open" {
				broken := *p
				broken.Spec.RateLimitID = "01a22a10-c8bc-7cf5-9be5-5bedf22ebe24"
				rec = &broken
			}
			records = append(records, rec)
		}
	}
	r.server.Swap(plan.Compile(plan.Input{Catalog: store.NewCatalog(records...), Registry: limiter.NewRegistry(), KeyValue: r.db.HostKeyValue}))
}
