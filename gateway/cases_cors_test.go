package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
)

func listingOrigins(origins ...string) func(*gateway.Options) {
	return func(o *gateway.Options) { o.CORSOrigins = origins }
}

// ask is a preflight of a page.
func (f *front) preflight(path, origin string, lines ...string) gatewaytest.Answer {
	f.tb.Helper()
	text := "OPTIONS " + path + " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nOrigin: " + origin + "\r\nAccess-Control-Request-Method: POST\r\n"
	for _, line := range lines {
		text += line + "\r\n"
	}
	return gatewaytest.Do(f.tb, f.addr, text+"\r\n")
}

const askedHeaders = "authorization,content-type,x-api-key,anthropic-version,anthropic-beta,x-stainless-os"

func TestCORS_APreflightOfAListedOriginNeedsNoCredentialAndCostsNothing(t *testing.T) {
	for _, change := range []func(*gateway.Options){onLoopback, func(*gateway.Options) {}} {
		f := newFront(t, change, listingOrigins("https://app.example", "null"))
		for _, k := range allRoutes() {
			for _, origin := range []string{"https://app.example", "null"} {
				a := f.preflight(k.path, origin, "Access-Control-Request-Headers: "+askedHeaders)
				if a.Status != 204 || a.Body != "" {
					t.Errorf("%s: %d %s", k.path, a.Status, a.Body)
				}
				for name, want := range map[string]string{
					"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Methods": "GET, HEAD, POST", "Access-Control-Max-Age": "7200",
					"Access-Control-Allow-Headers": strings.ReplaceAll(askedHeaders, ",", ", "), "Access-Control-Allow-Credentials": "",
					"Vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
				} {
					if got := a.Header.Get(name); got != want {
						t.Errorf("%s from %s: %s is %q, want %q", k.path, origin, name, got, want)
					}
				}
				f.mustBeFree("a preflight")
			}
		}
		if n := f.used(f.key, limiter.MeterConcurrency); n != 0 || len(f.events(0)) != 0 || f.metric("relay_requests_total", "") != 0 {
			t.Error("a preflight was counted")
		}
	}
}

func TestCORS_APreflightOfAnotherOriginIsToldNothing(t *testing.T) {
	for name, change := range map[string]func(*gateway.Options){
		"none listed": func(*gateway.Options) {}, "others listed": listingOrigins("https://app.example"), "on loopback": onLoopback,
	} {
		f := newFront(t, change)
		for _, k := range allRoutes() {
			for _, origin := range []string{"https://evil.example", "null", "https://app.example.evil.example"} {
				a := f.preflight(k.path, origin, "Access-Control-Request-Headers: "+askedHeaders)
				f.mustRefuse(name, a, k.path, 403, "origin_not_allowed")
				mustSayNothing(t, name, a.Header)
			}
		}
		a := f.preflight("/v1/messages", "http://127.0.0.1:8080") // the gateway's own page
		if a.Status != 204 {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
		mustSayNothing(t, name, a.Header)
		f.mustBeFree("a preflight")
	}
}

func mustSayNothing(t *testing.T, after string, h http.Header) {
	t.Helper()
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s: the answer has %s", after, name)
		}
	}
}

func TestCORS_HeadersThatSDKsSendAreAllowedAndOthersNot(t *testing.T) {
	f := newFront(t, listingOrigins("https://app.example"))
	const may = "accept, anthropic-dangerous-direct-browser-access, openai-organization, x-stainless-retry-count, x-stainless-timeout, x-goog-api-key, " +
		"x-goog-api-client, x-relay-key, x-relay-tags, x-wr-api-key, x-request-id, x-session-affinity, idempotency-key, traceparent, user-agent, x-title, http-referer"
	a := f.preflight("/v1/chat/completions", "https://app.example",
		"Access-Control-Request-Headers: "+may, "Access-Control-Request-Headers: X-Relay-No-Retry, cookie,host , x-forwarded-for,x-forwarded-host,x-real-ip, connection,x-a b, relay-hops,,")
	if got := a.Header.Get("Access-Control-Allow-Headers"); got != may+", x-relay-no-retry" {
		t.Errorf("allowed are %q", got)
	}
	a = f.preflight("/v1/chat/completions", "https://app.example")
	if _, there := a.Header["Access-Control-Allow-Headers"]; there || a.Status != 204 {
		t.Errorf("unasked: %d %v", a.Status, a.Header)
	}
}

// What an upstream says about CORS is about its own callers.
func TestCORS_EveryAnswerToAListedOriginCanBeReadErrorsIncluded(t *testing.T) {
	for _, k := range allRoutes() {
		f := newFront(t, listingOrigins("https://app.example"))
		text := ""
		if k.model != "GET" {
			text = k.answer(5, 5)[0]
		}
		f.up.Play(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", "Connection: close", "Access-Control-Allow-Origin: *", "Access-Control-Allow-Credentials: true",
			"Access-Control-Expose-Headers: x-secret", "Vary: Cookie", "X-Secret: 1"), gatewaytest.Raw(text), gatewaytest.Close()))
		for name, a := range map[string]gatewaytest.Answer{
			"answered":    f.knock(k, "Host: a\r\n", "Origin: https://app.example"),
			"no key":      f.knock(k, "Host: a\r\n", "Origin: https://app.example", "X-Api-Key: sk-wr-other"),
			"an upgrade":  f.knock(k, "Host: a\r\n", "Origin: https://app.example", "Upgrade: websocket"),
			"a loop":      f.knock(k, "Host: a\r\n", "Origin: https://app.example", "Relay-Hops: 3"),
			"too large":   f.doorstep("POST", k.path, "Host: a\r\n", strings.Repeat("x", 1<<20+1), "Origin: https://app.example"),
			"no JSON":     f.doorstep("POST", k.path, "Host: a\r\n", "{", "Origin: https://app.example"),
			"not a route": f.doorstep("POST", k.at()+"/x", "Host: a\r\n", "{}", "Origin: https://app.example"),
			"no method":   f.doorstep("PATCH", k.path, "Host: a\r\n", "{}", "Origin: https://app.example"),
		} {
			for header, want := range map[string]string{"Access-Control-Allow-Origin": "https://app.example", "Access-Control-Expose-Headers": "*", "Vary": "Origin", "Access-Control-Allow-Credentials": "", "X-Secret": ""} {
				if got := strings.Join(a.Header[header], "|"); got != want {
					t.Errorf("%s, %s (%d): %s is %q, want %q", k.name, name, a.Status, header, got, want)
				}
			}
		}
		a := f.knock(k, "Host: a\r\n")
		mustSayNothing(t, "no page", a.Header)
		if a.Header.Get("Vary") != "Origin" {
			t.Errorf("%s: without an origin Vary is %q", k.name, a.Header.Get("Vary"))
		}
	}
}

func TestCORS_AllOriginsAreAllowedOnlyWhereThatIsWritten(t *testing.T) {
	for _, k := range allRoutes() {
		f := newFront(t, listingOrigins("*"))
		f.up.Otherwise(kindAnswer(k))
		for _, origin := range []string{"https://evil.example", "null", "chrome-extension://abc", "app://obsidian.md"} {
			a := f.knock(k, "Host: a\r\n", "Origin: "+origin, "Sec-Fetch-Site: cross-site")
			if a.Status != 200 && k.path != "/nothing" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s from %s: %d %s %v", k.name, origin, a.Status, a.Body, a.Header)
			}
			p := f.preflight(k.path, origin, "Access-Control-Request-Headers: authorization")
			if p.Status != 204 || p.Header.Get("Access-Control-Allow-Origin") != "*" || p.Header.Get("Access-Control-Allow-Headers") != "authorization" {
				t.Errorf("%s from %s: %d %v", k.name, origin, p.Status, p.Header)
			}
		}
	}
	for _, k := range kinds() {
		f := newFront(t)
		f.up.Otherwise(k.says(5, 5))
		a := f.knock(k, "Host: a\r\n")
		mustSayNothing(t, "by default", a.Header)
		if a.Status != 200 || a.Header.Get("Vary") != "" {
			t.Errorf("%s: %d, Vary %q", k.name, a.Status, a.Header.Get("Vary"))
		}
	}
}
