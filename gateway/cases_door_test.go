package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
)

// doorstep is a call with exact Host and further header lines.
func (f *front) doorstep(method, path, host, body string, lines ...string) gatewaytest.Answer {
	f.tb.Helper()
	text := strings.Replace(f.head(method, path, lines...), "Host: 127.0.0.1\r\n", host, 1)
	return gatewaytest.Do(f.tb, f.addr, text+fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func onLoopback(o *gateway.Options) { o.Loopback, o.Hosts = true, []string{"LLM.lan", "10.1.2.3"} }

// allRoutes are all routes that a page might call, with a body.
func allRoutes() []kind { return withLookups(kinds()) }

// withLookups are the kinds and the routes that take no body.
func withLookups(all []kind) []kind {
	for _, path := range append(lookups(), "/", "/nothing") {
		all = append(all, kind{name: path, path: path, model: "GET"})
	}
	return all
}

func (f *front) knock(k kind, host string, lines ...string) gatewaytest.Answer {
	f.tb.Helper()
	if k.model == "GET" {
		return f.doorstep("GET", k.path, host, "", lines...)
	}
	return f.doorstep("POST", k.path, host, k.json(), lines...)
}

func TestDoor_OnLoopbackOnlyLoopbackAndListedNamesAreAnswered(t *testing.T) {
	for _, k := range allRoutes() {
		f := newFront(t, onLoopback)
		f.up.Otherwise(kindAnswer(k))
		for _, host := range []string{
			"127.0.0.1", "127.0.0.1:8080", "127.8.9.10:1", "localhost", "LocalHost:8080", "localhost.", "relay.localhost:8080", "[::1]", "[::1]:8080",
			"[::ffff:127.0.0.1]:80", "llm.lan", "LLM.LAN:8443", "llm.lan.", "10.1.2.3:8080", "localhost:",
		} {
			a := f.knock(k, "Host: "+host+"\r\n")
			if want := map[bool]int{true: 404, false: 200}[k.path == "/nothing"]; a.Status != want {
				t.Errorf("%s, Host %s: %d %s", k.name, host, a.Status, a.Body)
			}
		}
		for _, host := range []string{
			"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "evil-localhost",
			"localhost:99999", "llm.lan.evil.example", "xllm.lan", "10.1.2.4", "0.0.0.0", "[::]", "[::2]:80", "192.168.0.1", "2130706433", "0x7f.1", "127.1", "",
		} {
			a := f.knock(k, "Host: "+host+"\r\n")
			f.mustRefuse("Host "+host, a, k.path, 421, "misdirected_host")
			if !strings.Contains(a.Body, "inference.allowed_hosts") {
				t.Errorf("Host %s: %s", host, a.Body)
			}
			f.mustBeFree("Host " + host)
		}
		for _, host := range []string{"localhost:4000/#@x", "localhost:80@evil", "a b"} { // net/http's own answer
			f.want(f.knock(k, "Host: "+host+"\r\n"), 400, "malformed Host header")
		}
		f.want(f.knock(k, "Host: localhost\r\nHost: localhost\r\n"), 400, "400 Bad Request")
		f.want(f.knock(k, ""), 400, "missing required Host header")
		f.want(gatewaytest.Do(t, f.addr, f.head("GET", "http://evil.example/v1/models", "X-None: 1")+"\r\n"), 421, "evil.example")
	}
}

func kindAnswer(k kind) gatewaytest.Script {
	if k.model == "GET" {
		return answer
	}
	return k.says(5, 5)
}

// Probes tell nothing, and call a process by whatever name they were given.
func TestDoor_ProbesAreAnsweredUnderAnyName(t *testing.T) {
	f := newFront(t, onLoopback)
	for _, path := range []string{"/livez", "/readyz", "/healthz"} {
		f.want(f.doorstep("GET", path, "Host: probe.example\r\n", ""), 200, "ok")
		f.want(f.doorstep("GET", path, "Host: probe.example\r\n", "", "Origin: https://evil.example"), 200, "ok")
	}
}

// Names are for browsers; who calls other addresses has been routed there.
func TestDoor_ElsewhereNoNameIsRefused(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		f.up.Otherwise(k.says(5, 5))
		for _, host := range []string{"llm.example.com", "10.0.0.7:8080", "relay.default.svc.cluster.local"} {
			f.want(f.knock(k, "Host: "+host+"\r\n"), 200, "")
		}
	}
}

func TestDoor_PagesOfOtherOriginsAreRefusedUnlessListed(t *testing.T) {
	for where, change := range map[string]func(*gateway.Options){"on loopback": onLoopback, "elsewhere": func(*gateway.Options) {}} {
		for _, k := range allRoutes() {
			f := newFront(t, change, func(o *gateway.Options) { o.CORSOrigins = []string{"https://app.example", "http://localhost:3000"} })
			f.up.Otherwise(kindAnswer(k))
			host := "Host: 127.0.0.1:8080\r\n"
			for _, lines := range [][]string{
				{"Origin: https://evil.example"}, {"Origin: null"}, {"Origin:"}, {"Origin: https://app.example.evil.example"}, {"Origin: http://app.example"},
				{"Origin: https://app.example:8443"}, {"Origin: http://localhost:3001"}, {"Origin: http://127.0.0.1"}, {"Origin: https://evil.example/127.0.0.1:8080"},
				{"Origin: https://app.example, https://evil.example"}, {"Origin: https://app.example", "Origin: https://evil.example"},
				{"Sec-Fetch-Site: cross-site"}, {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Content-Type: text/plain"},
				{"Origin: https://evil.example", "Sec-Fetch-Site: same-site"}, {"Origin: https://evil.example", "Content-Type: text/plain"},
			} {
				a := f.knock(k, host, lines...)
				f.mustRefuse(fmt.Sprint(lines), a, k.path, 403, "origin_not_allowed")
				if !strings.Contains(a.Body, "inference.cors_origins") || a.Header.Get("X-Relay-Refused-By") != "relay" || a.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s %v: %s %v", where, lines, a.Body, a.Header)
				}
				f.mustBeFree(fmt.Sprint(lines))
			}
			for _, lines := range [][]string{
				{"X-None: 1"}, {"Origin: https://app.example"}, {"Origin: HTTPS://App.Example"}, {"Origin: http://localhost:3000", "Sec-Fetch-Site: same-site"},
				{"Origin: https://app.example", "Sec-Fetch-Site: cross-site"}, {"Origin: http://127.0.0.1:8080"}, {"Origin: https://proxied.example", "Sec-Fetch-Site: same-origin"},
				{"Sec-Fetch-Site: none"}, {"Sec-Fetch-Site: same-origin"}, {"Referer: https://evil.example/"},
			} {
				if a := f.knock(k, host, lines...); a.Status != 200 && k.path != "/nothing" || a.Status == 403 {
					t.Errorf("%s, %s %v: %d %s", where, k.name, lines, a.Status, a.Body)
				}
			}
		}
	}
}

// A key opens the same doors whatever name it is used under.
func TestDoor_AuthorisationNeverLooksAtHost(t *testing.T) {
	f := newFront(t)
	for _, k := range allRoutes() {
		for _, host := range []string{"a", "127.0.0.1", "localhost:1", "relay.test"} {
			for _, line := range []string{"X-None: 1", "X-Forwarded-Host: 127.0.0.1", "X-Original-URL: /livez", "Forwarded: host=127.0.0.1"} {
				text := strings.Replace(f.head("GET", "/v1/models", line), "Host: 127.0.0.1\r\n", "Host: "+host+"\r\n", 1)
				text = strings.Replace(text, f.key, "sk-wr-unknown", 1)
				f.want(gatewaytest.Do(t, f.addr, text+"\r\n"), 401, "unauthenticated")
			}
		}
		if k.model != "GET" {
			text := strings.Replace(k.request("sk-wr-unknown"), "Host: relay.test", "Host: 127.0.0.1", 1)
			if a := gatewaytest.Do(t, f.addr, text); a.Status != 401 {
				t.Errorf("%s: %d", k.name, a.Status)
			}
		}
	}
}

func TestDoor_TooManyOrTooLargeHeadersAreRefused(t *testing.T) {
	for _, k := range withLookups(representatives()) { // headers are read before any path is, and each takes a second
		f := newFront(t)
		f.up.Otherwise(kindAnswer(k))
		lines := func(n int, line string) []string {
			return strings.Split(strings.TrimSuffix(strings.Repeat(line+"\n", n), "\n"), "\n")
		}
		if a := f.knock(k, "Host: a\r\n", append(lines(100, "X-A: b"), "Cookie: "+strings.Repeat("a=b; ", 10_000))...); a.Status != 200 && k.path != "/nothing" || a.Status == 431 {
			t.Errorf("%s: 100 lines and 50 kB of cookies: %d %s", k.name, a.Status, a.Body)
		}
		for name, given := range map[string][]string{"200 headers": lines(200, "X-A: b"), "5,000 cookies in lines": lines(5000, "Cookie: a=b")} {
			f.mustRefuse(name, f.knock(k, "Host: a\r\n", given...), k.path, 431, "headers_too_large")
			f.mustBeFree(name)
		}
		for name, line := range map[string]string{
			"5,000 cookies":   "Cookie: " + strings.Repeat("session=0123456789; ", 5000),
			"a header of 1 M": "X-A: " + strings.Repeat("b", 1<<20),
			"a name of 100 k": strings.Repeat("X", 100_000) + ": b",
		} {
			c := gatewaytest.Dial(t, f.addr)
			_ = c.TrySend(f.head("POST", k.path, line) + "\r\n") // net/http answers and closes before it has read all of it
			said, _ := c.Rest()
			if !strings.HasPrefix(said, "HTTP/1.1 431 Request Header Fields Too Large\r\n") || !strings.Contains(said, "\r\nConnection: close\r\n") {
				t.Errorf("%s: heard %q", name, said)
			}
			f.mustBeFree(name)
		}
	}
}

// Answers may take as long as they do: the connection's deadlines are those of
// single writes.
func TestDoor_TheServerLimitsHeadersAndRestsAndNoAnswer(t *testing.T) {
	hs := newFront(t).server.HTTPServer(t.Context())
	if hs.ReadHeaderTimeout != 10*time.Second || hs.IdleTimeout != 2*time.Minute || hs.MaxHeaderBytes != 64<<10 || hs.ReadTimeout != 0 || hs.WriteTimeout != 0 {
		t.Errorf("headers %v, rest %v, %d bytes of headers, reads %v, writes %v", hs.ReadHeaderTimeout, hs.IdleTimeout, hs.MaxHeaderBytes, hs.ReadTimeout, hs.WriteTimeout)
	}
}
