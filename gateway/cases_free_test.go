package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// TestFree_CallsTakeNothingOfAnyLimitAndLeaveNoUsage is case B134: agents count
// tokens dozens of times in a second.
func TestFree_CallsTakeNothingOfAnyLimitAndLeaveNoUsage(t *testing.T) {
	for _, s := range unmetered() {
		f := newSmall(t)
		f.policy(sliding(limiter.MeterRequests, 2, time.Minute), sliding(limiter.MeterTokens, 100, time.Minute), sliding(limiter.MeterConcurrency, 1, time.Minute))
		edit(f.rig, s.model, func(m *store.Model) { m.Spec.Limits = &store.Limits{RPM: int64p(2), Concurrency: int64p(1)} })
		host := map[string]string{"claude": "anthropic", "gem": "gemini", "lama": "ollama"}[s.model]
		tier := put(f.rig, "tier-rl", store.RateLimitSpec{Rules: []limiter.Rule{sliding(limiter.MeterRequests, 2, time.Minute), sliding(limiter.MeterConcurrency, 1, time.Minute)}})
		put(f.rig, "tier", store.PolicySpec{RateLimitID: tier.Metadata.ID})
		f.giveTo(host, "tier")
		edit(f.rig, host, func(h *store.Host) { h.Spec.DefaultTierPolicyID = f.record(store.KindPolicy, "tier") })
		key := f.rig.key("agent", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(2), TPM: int64p(100)}, Budgets: []store.Budget{{Amount: "0.000001", Period: "day"}}})
		f.up.Otherwise(s.says())
		for i := range 50 {
			a := f.do(s, key)
			if a.Status != 200 || a.Body != s.answer[0] || a.Header.Get("X-Relay-Cost-Usd") != "" {
				t.Fatalf("%s: call %d: %d %s %v", s.name, i, a.Status, a.Body, a.Header)
			}
		}
		s.mustForward(t, f.up.Request(49))
		if n := len(f.events(0)); n != 0 {
			t.Errorf("%s: %d usage events", s.name, n)
		}
		k := kindOf(s.model)
		f.up.Otherwise(k.says(7, 3))
		f.want(f.ask(k, key), 200, "")
		if e := f.events(1); len(e) != 1 || e[0].Tokens.Output != 3 {
			t.Errorf("%s: events %+v", s.name, e)
		}
		f.want(f.ask(k, key), 429, "")
		f.up.Otherwise(s.says())
		f.want(f.do(s, key), 200, s.answer[0]) // a limit that is met stops no counting
		f.mustBeFree(s.name)
	}
}

// kindOf is the first kind that calls the model.
func kindOf(model string) kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k kind) bool { return k.model == model })]
}

// Whatever an upstream says to them, its keys stay as they were.
func TestFree_CallsBenchNoKeyAndCloseNoBreaker(t *testing.T) {
	for _, s := range unmetered() {
		f := newSmall(t)
		k := kindOf(s.model)
		key := f.rig.key("agent", store.RelayKeySpec{})
		for _, script := range []gatewaytest.Script{
			gatewaytest.JSON(401, upstreamError), gatewaytest.JSON(403, `{"error":{"message":"your account is suspended"}}`), refusal(429, "Retry-After: 600"), gatewaytest.JSON(429, `{"error":{"message":"m","code":"insufficient_quota"}}`),
			refusal(503, "Retry-After: 600"), broke, broke, broke, broke, gatewaytest.Reset(), gatewaytest.JSON(200, `{"error":{"message":"m","code":503}}`), gatewaytest.JSON(200, ""),
		} {
			f.up.Play(script)
			if a := f.do(s, key); a.Status < 400 {
				t.Errorf("%s: got %d %s", s.name, a.Status, a.Body)
			}
			if state := f.keyState(k.keyOf()); state.State != "closed" {
				t.Fatalf("%s: the key is %+v", s.name, state)
			}
		}
		f.up.Play(k.says(7, 3))
		f.want(f.ask(k, key), 200, "")
		f.opened(k, key, f.up)
		f.advance(2 * time.Second) // a probe is let through
		f.up.Play(s.says())
		f.do(s, key)
		if state := f.keyState(k.keyOf()); state.State != "half-open" {
			t.Errorf("%s: after a free call the key is %+v", s.name, state)
		}
		f.up.Otherwise(k.says(7, 3))
		f.want(f.ask(k, key), 200, "")
		if state := f.keyState(k.keyOf()); state.State != "closed" {
			t.Errorf("%s: the key is %+v", s.name, state)
		}
		f.mustBeFree(s.name)
	}
}

// Where no host speaks the shape, or the one that does has no such call, Relay
// answers itself; what is refused is refused all the same.
func TestFree_RelayAnswersWhereNoUpstreamCan(t *testing.T) {
	for _, s := range unmetered() {
		f := newSmall(t)
		own := func(a gatewaytest.Answer) bool {
			var said map[string]any
			_ = json.Unmarshal([]byte(a.Body), &said)
			number := func(name string) bool { n, ok := said[name].(float64); return ok && n > 0 }
			return a.Status == 200 && a.Body != s.answer[0] && a.Header.Get("Content-Type") == "application/json" &&
				(number("input_tokens") || number("totalTokens") || said["details"] != nil && said["capabilities"] != nil)
		}
		other := map[string]string{"claude": "chat", "gem": "claude", "lama": "chat"}[s.model]
		if a := gatewaytest.Do(t, f.addr, s.request(f.key, other)); !own(a) {
			t.Errorf("%s of a model elsewhere: %d %s", s.name, a.Status, a.Body)
		}
		if n := len(f.up.Requests()); n != 0 {
			t.Errorf("%s: the upstream saw %d requests", s.name, n)
		}
		for name, script := range map[string]gatewaytest.Script{
			"404": typed(404, "text/html", "<html>nothing here</html>")(kind{}), "405": gatewaytest.JSON(405, `{"detail":"Method Not Allowed"}`), "501": gatewaytest.JSON(501, upstreamError),
		} {
			f.up.Play(script)
			if a := f.do(s, f.key); !own(a) {
				t.Errorf("%s, %s: %d %s", s.name, name, a.Status, a.Body)
			}
		}
		f.up.Play(gatewaytest.JSON(404, `{"error":{"message":"no such model there","code":"model_not_found"}}`))
		f.want(f.do(s, f.key), 404, "no such model there")
		denied := f.rig.key("denied", store.RelayKeySpec{Deny: []store.ModelRef{store.ModelRef(f.record(store.KindModel, other))}})
		path, _ := s.as(other)
		f.mustRefuse(s.name, gatewaytest.Do(t, f.addr, s.request(denied, other)), path, 403, "model_not_allowed")
		if n := len(f.events(0)); n != 0 {
			t.Errorf("%s: %d usage events", s.name, n)
		}
		f.mustBeFree(s.name)
	}
}

// managing are the calls that would change what a host holds.
func managing() map[string]string {
	return map[string]string{
		"/api/create": "POST", "/api/pull": "POST", "/api/push": "POST", "/api/copy": "POST", "/api/delete": "DELETE",
		"/api/blobs/sha256:0123": "HEAD", "/api/blobs/sha256:4567": "POST",
	}
}

func TestOllama_WhatChangesAHostIsForbidden(t *testing.T) {
	f := newSmall(t)
	for path, method := range managing() {
		for _, vendor := range []string{"", "/openai"} {
			a := gatewaytest.Do(t, f.addr, f.head(method, vendor+path, "Connection: close")+"Content-Length: 16\r\n\r\n{\"model\":\"lama\"}")
			if method == "HEAD" {
				if a.Status != 403 || a.Body != "" {
					t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
				}
				continue
			}
			f.mustRefuse(method, a, path, 403, "endpoint_not_allowed")
			unknown := strings.Replace(f.head(method, vendor+path), f.key, "sk-wr-unknown", 1)
			f.mustRefuse(method, gatewaytest.Do(t, f.addr, unknown+"Content-Length: 2\r\n\r\n{}"), path, 401, "unauthenticated")
		}
	}
	if n := len(f.up.Requests()); n != 0 || len(f.events(0)) != 0 {
		t.Errorf("the upstream saw %d requests, usage has %d events", n, len(f.events(0)))
	}
	f.mustBeFree("managing")
}

func TestOllama_ItsClientsFindWhatTheyAskFor(t *testing.T) {
	f := newSmall(t)
	for path, want := range map[string]string{"/api/version": `{"version":"0.`, "/api/ps": `{"models":[]}`, "/api/tags": `"name":"lama:latest"`} {
		for _, vendor := range []string{"", "/openai"} {
			a := f.get(vendor+path, f.key)
			if a.Status != 200 || !strings.Contains(a.Body, want) || !json.Valid([]byte(a.Body)) || a.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %d %s", path, a.Status, a.Body)
			}
			f.mustRefuse(path, f.get(vendor+path, "sk-wr-unknown"), path, 401, "unauthenticated")
			f.mustRefuse(path, gatewaytest.Do(t, f.addr, f.head("POST", vendor+path)+"Content-Length: 2\r\n\r\n{}"), path, 405, "method_not_allowed")
		}
	}
	for _, probe := range []string{"HEAD", "GET"} {
		c := gatewaytest.Dial(t, f.addr)
		c.Send(probe + " / HTTP/1.1\r\nHost: a\r\nUser-Agent: ollama/0.17\r\nConnection: close\r\n\r\n")
		if said, _ := c.Rest(); !strings.HasPrefix(said, "HTTP/1.1 200 OK\r\n") {
			t.Errorf("%s /: %q", probe, said)
		}
	}
	if n := len(f.up.Requests()); n != 0 || len(f.events(0)) != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
	f.mustBeFree("questions")
}

// newColons is a front with models whose names have slashes and colons.
func newColons(t *testing.T) (f *front, names []string) {
	f = newSmall(t)
	names = []string{"hf.co/acme/tiny-gguf:Q4_K_M", "lab/coder:7b"}
	for i, name := range names {
		m := put(f.rig, fmt.Sprint("named-", i), store.ModelSpec{})
		edit(f.rig, m.Metadata.Name, func(m *store.Model) { m.Metadata.Name = name })
		for _, host := range hosts() {
			put(f.rig, fmt.Sprint("named-", i, "-", host), store.HostBindingSpec{ModelID: m.Metadata.ID, HostID: f.record(store.KindHost, host), PricingID: f.pricing()})
		}
	}
	return f, names
}

// spelled are the ways to write a name in a path.
func spelled(name string) []string {
	all := []string{url.PathEscape(name), strings.ReplaceAll(url.PathEscape(name), ":", "%3A"), strings.NewReplacer("%2F", "%2f", ":", "%3a").Replace(url.PathEscape(name)), name}
	return all
}

// TestNames_WithSlashesAndColonsCanBeFetchedAndCalled is case B60.
func TestNames_WithSlashesAndColonsCanBeFetchedAndCalled(t *testing.T) {
	f, names := newColons(t)
	lists := map[string]string{
		"/v1/models": f.get("/v1/models", f.key).Body, "/v1beta/models": f.get("/v1beta/models", f.key).Body,
		"/api/tags": f.get("/api/tags", f.key).Body, "Anthropic's": f.get("/v1/models", f.key, "anthropic-version: 2023-06-01").Body,
	}
	for _, name := range names {
		for list, text := range lists {
			if quoted, _ := json.Marshal(name); !strings.Contains(text, strings.Trim(string(quoted), `"`)+`"`) {
				t.Errorf("%s is not listed by %s: %s", name, list, text)
			}
		}
		for _, id := range spelled(name) {
			f.want(f.get("/v1/models/"+id, f.key), 200, `{"id":"`+name+`"`)
			f.want(f.get("/openai/models/"+id, f.key), 200, `{"id":"`+name+`"`)
			f.want(f.get("/v1/models/"+id, f.key, "anthropic-version: 2023-06-01"), 200, `"id":"`+name+`"`)
			f.want(f.get("/v1beta/models/"+id, f.key), 200, `{"name":"models/`+name+`"`)
			f.want(f.get("/gemini/v1beta/models/"+id, f.key), 200, `{"name":"models/`+name+`"`)
			for _, k := range kinds() {
				if !k.namesInPath() {
					continue
				}
				for _, colon := range []string{":", "%3A"} {
					call := k
					call.path = strings.Replace(k.path, "/gem:", "/"+id+colon, 1)
					f.mustReach(t, call, name)
					call.path = strings.Replace(call.path, "/models/", "/models/models/", 1) // as some SDKs write it
					f.mustReach(t, call, name)
				}
			}
		}
		for _, k := range kinds() {
			if !k.namesInPath() {
				f.mustReach(t, k.of(name), name)
			}
		}
		shown := unmetered()[2]
		f.up.Play(shown.says())
		f.want(gatewaytest.Do(t, f.addr, shown.request(f.key, name)), 200, shown.answer[0])
	}
	f.mustBeFree("all names")
}

// mustReach fails the test unless the call is answered by an upstream that was
// asked for the model.
func (f *front) mustReach(t *testing.T, k kind, name string) {
	t.Helper()
	before := len(f.up.Requests())
	f.up.Play(k.says(7, 3))
	if a := f.ask(k, f.key); a.Status != 200 {
		t.Errorf("%s: %d %s", k.path, a.Status, a.Body)
		return
	}
	want := name
	if k.namesInPath() {
		want = (&url.URL{Path: "/" + name}).EscapedPath()[1:]
		if line := f.up.Request(before).Line(); !strings.Contains(line, "/v1beta/models/"+want+":") {
			t.Errorf("%s: the upstream got %s", k.path, line)
		}
		return
	}
	if asked := k.asked(f.up.Request(before)); asked != want {
		t.Errorf("%s: the upstream was asked for %s, want %s", k.name, asked, want)
	}
}

func TestOllama_ItsCallsTakeNamesWithAndWithoutLatest(t *testing.T) {
	f := newSmall(t)
	for _, k := range kindsNamed("ollama whole", "ollama stream") {
		for _, name := range []string{"lama", "lama:latest"} {
			f.up.Play(k.says(7, 3))
			f.want(f.ask(k.of(name), f.key), 200, "")
			sent := f.up.Requests()
			if asked := k.asked(sent[len(sent)-1]); asked != "lama-2026" {
				t.Errorf("%s reached the upstream as %s", name, asked)
			}
		}
	}
	for _, s := range unmetered()[2:] {
		f.up.Play(s.says())
		f.want(gatewaytest.Do(t, f.addr, s.request(f.key, "lama:latest")), 200, s.answer[0])
	}
	f.want(f.get("/v1/models/lama:latest", f.key), 200, `"id":"lama:latest"`)
	chat := kinds()[0].of("chat:latest")
	f.mustRefuse("elsewhere", f.ask(chat, f.key), chat.path, 404, "model_not_found")
}

// TestHost_KnowsNothingOfThePageThatCalls is case B65: an upstream that answers
// nobody but itself.
func TestHost_KnowsNothingOfThePageThatCalls(t *testing.T) {
	f := newSmall(t, onLoopback, func(o *gateway.Options) {
		o.Hosts = append(o.Hosts, "relay.lan")
		o.CORSOrigins = []string{"https://app.example", "null"}
	})
	wary := func(s gatewaytest.Script) gatewaytest.Script {
		return func(x *gatewaytest.Exchange) error {
			told := len(x.Request.Header("Origin")) + len(x.Request.Header("Referer")) + len(x.Request.Header("Cookie")) + len(x.Request.Header("Forwarded")) + len(x.Request.Header("X-Forwarded-For")) + len(x.Request.Header("Sec-Fetch-Site"))
			if host := x.Request.Header("Host"); told > 0 || len(host) != 1 || host[0] != f.up.Addr() || strings.Contains(x.Request.Head, "relay.lan") || strings.Contains(x.Request.Head, f.key) {
				return gatewaytest.JSON(403, `{"error":"forbidden"}`)(x)
			}
			return s(x)
		}
	}
	for _, origin := range []string{"https://app.example", "null"} {
		lines := []string{"Origin: " + origin, "Referer: https://app.example/x", "Cookie: session=1", "Forwarded: for=192.0.2.1", "X-Forwarded-For: 192.0.2.1", "Sec-Fetch-Site: cross-site"}
		for _, k := range kinds() {
			f.up.Play(wary(k.says(7, 3)))
			text := strings.Replace(k.request(f.key, lines...), "Host: relay.test", "Host: relay.lan:8080", 1)
			f.want(gatewaytest.Do(t, f.addr, text), 200, "")
		}
		for _, s := range append(smalls(), unmetered()...) {
			f.up.Play(wary(s.says()))
			text := strings.Replace(s.request(f.key, s.model, lines...), "Host: relay.test", "Host: relay.lan:8080", 1)
			f.want(gatewaytest.Do(t, f.addr, text), 200, "")
		}
	}
	f.mustBeFree("all pages")
}
