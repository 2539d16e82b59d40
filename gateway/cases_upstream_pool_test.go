package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// byKey is an upstream that answers each key by a script of its own.
func byKey(scripts map[string]gatewaytest.Script) gatewaytest.Script {
	return func(x *gatewaytest.Exchange) error {
		shown := strings.Join(keysIn(x.Request), " ")
		for key, script := range scripts {
			if strings.HasSuffix(shown, key) {
				return script(x)
			}
		}
		return gatewaytest.JSON(500, `{"error":{"message":"no script for `+shown+`"}}`)(x)
	}
}

// keysIn are the provider keys that a request shows.
func keysIn(sent *gatewaytest.Request) (keys []string) {
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		keys = append(keys, sent.Header(name)...)
	}
	return keys
}

// three gives each host three keys, which the upstream knows as K1, K2 and K3.
func (r *rig) three() {
	r.tb.Helper()
	for _, host := range hosts() {
		for i := range 3 {
			put(r, fmt.Sprintf("%s-%d", host, i+1), store.HostKeySpec{HostID: r.record(store.KindHost, host), Source: store.KeySource{Kind: "env", Env: fmt.Sprintf("K%d", i+1)}})
		}
	}
}

// hits counts the requests that each key has made.
func hits(up *gatewaytest.Upstream) (n map[string]int) {
	n = map[string]int{}
	for _, sent := range up.Requests() {
		shown := strings.Join(keysIn(sent), " ")
		n[shown[strings.LastIndex(shown, "K"):]]++
	}
	return n
}

func TestPool_ABadKeyIsHitOnceAndTheNextOneServes(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		r.three()
		up.Otherwise(byKey(map[string]gatewaytest.Script{
			"K1": gatewaytest.JSON(401, `{"error":{"message":"invalid key","code":"invalid_api_key"}}`),
			"K2": gatewaytest.JSON(403, `{"error":{"message":"your billing is not active","code":"billing_not_active"}}`),
			"K3": k.says(7, 3),
		}))
		key := r.key("laptop", store.RelayKeySpec{})
		for range 5 {
			r.want(r.ask(k, key), 200, "")
		}
		if n := hits(up); n["K1"] != 1 || n["K2"] != 1 || n["K3"] != 5 {
			t.Errorf("%s: hits %v", k.name, n)
		}
		host := k.host()
		if state := r.keyState(host + "-1"); state.State != "open" || !strings.Contains(state.Reason, "401 invalid key") {
			t.Errorf("%s: the first key is %+v", k.name, state)
		}
		if state := r.keyState(host + "-2"); state.State != "open" || !strings.Contains(state.Reason, "403 your billing is not active") {
			t.Errorf("%s: the second key is %+v", k.name, state)
		}
		for _, status := range []int{400, 422, 404, 413} {
			up.Play(gatewaytest.JSON(status, upstreamError))
			r.want(r.ask(k, key), status, "said by upstream")
		}
		if state := r.keyState(host + "-3"); state.State != "closed" || hits(up)["K3"] != 9 {
			t.Errorf("%s: the third key is %+v after %v", k.name, state, hits(up))
		}
	}
}

// What the caller sees when no key is left, for every order of what they said.
func TestPool_ExhaustedTheLastAnswerThatIsNotAboutAKeyDecides(t *testing.T) {
	said := map[string]gatewaytest.Script{
		"429":      refusal(429, "Retry-After: 7", "x-ratelimit-remaining-requests: 0"),
		"401":      gatewaytest.JSON(401, upstreamError),
		"402":      gatewaytest.JSON(402, upstreamError),
		"500":      gatewaytest.JSON(500, `{"error":{"message":"it burns"}}`),
		"503":      refusal(503, "Retry-After: 9"),
		"400":      gatewaytest.JSON(400, upstreamError),
		"redirect": gatewaytest.Head(302, "Location: http://192.0.2.1/", "Content-Length: 0"),
		"reset":    gatewaytest.Reset(),
		"short":    gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", "Content-Length: 99"), gatewaytest.Raw("{"), gatewaytest.Close()),
		"200/503":  gatewaytest.JSON(200, `{"error":{"message":"busy","code":503}}`),
		"200/401":  gatewaytest.JSON(200, `{"error":{"message":"no","code":"invalid_api_key"}}`),
	}
	type stand struct {
		r   *rig
		up  *gatewaytest.Upstream
		key string
	}
	var stands []stand
	for range kinds() {
		r, up := newStand(t)
		r.three()
		stands = append(stands, stand{r, up, r.key("laptop", store.RelayKeySpec{})})
	}
	for order, want := range map[string]struct {
		status int
		text   string
		kind   string
	}{
		"429 401 402":         {429, "said by upstream", "upstream_error"},
		"401 429 402":         {429, "said by upstream", "upstream_error"},
		"401 402 429":         {429, "said by upstream", "upstream_error"},
		"429 200/401 reset":   {429, "said by upstream", "upstream_error"},
		"reset 429 reset":     {429, "said by upstream", "upstream_error"},
		"500 429 401":         {429, "said by upstream", "upstream_error"},
		"429 500 401":         {502, "answered with status 500: it burns", "upstream_unavailable"},
		"429 500 503":         {502, "answered with status 503: said by upstream", "upstream_unavailable"},
		"500 401 reset":       {502, "answered with status 500: it burns", "upstream_unavailable"},
		"200/503 401 401":     {503, "busy", "upstream_error"},
		"401 200/503 reset":   {503, "busy", "upstream_error"},
		"redirect 401 reset":  {502, "a redirect, which Relay never follows", "upstream_redirect"},
		"401 402 200/401":     {502, "does not accept the provider key", "upstream_auth"},
		"401 401 401":         {502, "does not accept the provider key", "upstream_auth"},
		"reset 401 reset":     {502, "does not accept the provider key", "upstream_auth"},
		"reset reset reset":   {502, "closed the connection before it answered", "upstream_unavailable"},
		"short reset short":   {502, "broke its answer off", "upstream_unavailable"},
		"429 401 400":         {400, "said by upstream", "upstream_error"},
		"400 never never":     {400, "said by upstream", "upstream_error"},
		"redirect redirect 1": {502, "a redirect, which Relay never follows", "upstream_redirect"},
	} {
		for i, s := range stands {
			k, r, up, key := kinds()[i], s.r, s.up, s.key
			keys := strings.Fields(order)
			for _, host := range hosts() {
				r.reset(host+"-1", host+"-2", host+"-3")
			}
			before := len(r.events(0))
			scripts := map[string]gatewaytest.Script{}
			for i, name := range keys {
				if script, known := said[name]; known {
					scripts[fmt.Sprintf("K%d", i+1)] = script
				} else {
					scripts[fmt.Sprintf("K%d", i+1)] = said["redirect"]
				}
			}
			up.Otherwise(byKey(scripts))
			a := r.ask(k, key)
			text := want.text
			if k.streamed && k.contentType == "application/json" { // to which all JSON is the beginning of a stream
				text = strings.Replace(text, "its answer off", "its stream off", 1)
			}
			if a.Status != want.status || !strings.Contains(a.Body, text) {
				t.Errorf("%s, %s: got %d %s; want %d with %q", k.name, order, a.Status, a.Body, want.status, text)
			}
			if want.status == 429 && (a.Header.Get("Retry-After") != "7" || a.Header.Get("X-Ratelimit-Remaining-Requests") != "0" || a.Body != upstreamError) {
				t.Errorf("%s, %s: the 429 is not forwarded whole: %s %v", k.name, order, a.Body, a.Header)
			}
			attempts := 3
			if keys[0] == "400" {
				attempts = 1
			}
			if e := r.events(before + 1)[before]; len(e.Attempts) != attempts || e.ErrorKind != want.kind || e.Status != want.status {
				t.Errorf("%s, %s: event %+v, want %q", k.name, order, e, want.kind)
			}
		}
	}
}

// After a network failure the upstream may have done the work: the same key is
// never asked twice, and no other where the caller forbids it.
func TestPool_ABodyGoesToEachKeyOnceAtMost(t *testing.T) {
	for _, k := range kinds() {
		for name, script := range map[string]gatewaytest.Script{
			"reset": gatewaytest.Reset(), "closed": gatewaytest.Close(), "cut": gatewaytest.Join(gatewaytest.Raw("HTTP/1.1 2"), gatewaytest.Reset()),
			"cut within the body": gatewaytest.Join(gatewaytest.Head(200, "Content-Length: 9"), gatewaytest.Raw("{"), gatewaytest.Reset()),
		} {
			r, up := newStand(t)
			r.three()
			up.Play(k.says(7, 3), k.says(7, 3), k.says(7, 3)) // so that connections are kept
			key := r.key("laptop", store.RelayKeySpec{})
			for range 3 {
				r.want(r.ask(k, key), 200, "")
			}
			up.Otherwise(script)
			r.want(r.ask(k, key, "Idempotency-Key: once", "X-Idempotency-Key: once"), 502, "")
			if n := hits(up); n["K1"] != 4 || n["K2"] != 1 || n["K3"] != 1 {
				t.Errorf("%s, %s: hits %v", k.name, name, n)
			}
			for _, sent := range up.Requests() {
				if len(sent.Header("Idempotency-Key"))+len(sent.Header("X-Idempotency-Key")) > 0 {
					t.Errorf("%s: the upstream got %s", k.name, sent.Head)
				}
			}
			r.reset(k.keyOf())
			before := len(up.Requests())
			r.want(r.ask(k, key, "X-Relay-No-Retry: 1"), 502, "")
			if n := len(up.Requests()) - before; n != 1 {
				t.Errorf("%s, %s: %d attempts under X-Relay-No-Retry", k.name, name, n)
			}
		}
	}
}
