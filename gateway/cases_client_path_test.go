package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
)

func TestClientPaths_OnlyThePathsThatAreServedReachAnything(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		f.up.Otherwise(k.says(5, 5))
		whole := k.at()
		first := strings.Index(whole[1:], "/") + 1
		root, route := whole[:first], whole[first:]
		for _, path := range []string{
			"/" + whole, whole + "/", root + "/" + route, root + "/." + route, root + "/.." + root + route, "/x/.." + whole, whole + "/../..",
			root + "/%2e%2e" + root + route, "/%2e%2e" + whole, root + "%2f" + route[1:], root + "%2F" + route[1:],
			fmt.Sprintf("/%%%x%s", root[1], root[2:]) + route, whole + "%00", root + "%00" + route,
			whole + ";x", root + ";x" + route, root + `\..\` + root[1:] + route, `\` + whole, strings.ToUpper(whole), whole + "%20", whole + "%ff", whole + "\xff",
			whole + "%0d%0aX-A:b", root + "/" + strings.Repeat("a", 8<<10), "/" + strings.Repeat("../", 2000) + whole[1:], "/v2" + route, root + root + root + route,
			"/api/keys", "/api/.." + root + route, "/relay/api/keys", "/metrics", "/debug/pprof/", "/admin", "/livez/", "/.", "/..", "/%2e",
		} {
			for _, method := range []string{"POST", "GET"} {
				text := strings.Replace(f.head(method, path), " HTTP", "?a=b HTTP", 1) + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(k.json()), k.json())
				a := gatewaytest.Do(t, f.addr, text)
				if strings.HasPrefix(path, `\`) { // net/http's answer to what is no path
					f.want(a, 400, "400 Bad Request")
					continue
				}
				code := "not_found"
				if method == "GET" && strings.HasPrefix(path, "/v1beta/models/") { // whatever stands there may be a model's name
					code = "model_not_found"
				}
				f.mustRefuse(fmt.Sprintf("%.60q", path), a, path, 404, code)
				if a.Header.Get("Location") != "" || strings.ContainsAny(a.Body, "\r\n") || len(a.Body) > 1000 {
					t.Errorf("%.60q: %s %v", path, a.Body, a.Header)
				}
				f.mustBeFree(path)
			}
		}
		if n := len(f.up.Requests()); n != 0 || len(f.events(0)) != 0 {
			t.Errorf("%s: the upstream saw %d requests, usage has %d events", k.name, n, len(f.events(0)))
		}
	}
}

func TestClientPaths_AnUnknownOneNamesTheNearestAndTheBaseURL(t *testing.T) {
	f := newFront(t)
	for _, c := range []struct{ path, header, told string }{
		{"/v1/chat/completion", "", `{"error":{"message":"Nothing is served at POST \"/v1/chat/completion\". The nearest endpoint is POST /v1/chat/completions; as base URL give the SDK http://relay.test/v1.","type":"invalid_request_error","code":"not_found","param":null}}`},
		{"/v1/model", "", "The nearest endpoint is GET /v1/models; as base URL give the SDK http://relay.test/v1."},
		{"/v1/embedding", "", "The nearest endpoint is POST /v1/embeddings;"},
		{"/v1/messages/batches", "", `{"type":"error","error":{"type":"not_found_error","message":"Nothing is served at POST \"/v1/messages/batches\". The nearest endpoint is POST /v1/messages; as base URL give the SDK http://relay.test."}`},
		{"/anthropic/v1/mesages", "", `give the SDK http://relay.test."}`},
		{"/v1/complete", "anthropic-version: 2023-06-01", `{"type":"error","error":{"type":"not_found_error"`},
		{"/v1/chat/completion?key=sk-wr-secret", "", `Nothing is served at POST \"/v1/chat/completion\".`},
	} {
		lines := []string{"X-None: 1"}
		if c.header != "" {
			lines = append(lines, c.header)
		}
		a := gatewaytest.Do(t, f.addr, f.head("POST", c.path, lines...)+"Content-Length: 2\r\n\r\n{}")
		f.want(a, 404, c.told)
		if strings.Contains(a.Body, "sk-wr-secret") {
			t.Errorf("%s: %s", c.path, a.Body)
		}
	}
}

func TestClientPaths_AWrongMethodIsToldTheRightOnes(t *testing.T) {
	f := newFront(t)
	for path, allow := range map[string]string{
		"/v1/chat/completions": "POST", "/v1/messages": "POST", "/v1/embeddings": "POST", "/openai/v1/embeddings": "POST",
		"/v1/models": "GET, HEAD", "/v1/models/chat": "GET, HEAD", "/v1/usage": "GET, HEAD", "/": "GET, HEAD", "/livez": "GET, HEAD", "/readyz": "GET, HEAD", "/healthz": "GET, HEAD",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"} {
			if strings.Contains(allow, method) {
				continue
			}
			c := gatewaytest.Dial(t, f.addr)
			c.Send(f.head(method, path, "Connection: close") + "\r\n")
			said, _ := c.Rest()
			if !strings.HasPrefix(said, "HTTP/1.1 405 Method Not Allowed\r\n") || !strings.Contains(said, "\r\nAllow: "+allow+"\r\n") || !strings.Contains(said, "method_not_allowed") && method != "HEAD" && path != "/v1/messages" {
				t.Errorf("%s %s: %q", method, path, said)
			}
		}
	}
	f.mustBeFree("all methods")
}

func TestClientPaths_HEADAnswersWhereGETDoes(t *testing.T) {
	f := newFront(t)
	for _, path := range []string{"/", "/livez", "/readyz", "/v1/models", "/v1/models/chat", "/v1/usage"} {
		c := gatewaytest.Dial(t, f.addr)
		c.Send(f.head("HEAD", path, "Connection: close") + "\r\n")
		said, _ := c.Rest()
		if !strings.HasPrefix(said, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(said, "\r\n\r\n") {
			t.Errorf("HEAD %s: %q", path, said)
		}
	}
}

func TestClientUpgrades_WebSocketsAreRefusedAndOtherOffersIgnored(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		f.up.Otherwise(k.says(5, 5))
		for _, lines := range [][]string{
			{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="},
			{"Connection: keep-alive, Upgrade", "Upgrade: h2c, WebSocket"},
		} {
			for _, method := range []string{"GET", "POST"} {
				for _, path := range []string{k.path, "/v1/realtime"} {
					a := gatewaytest.Do(t, f.addr, f.head(method, path, lines...)+"\r\n")
					f.mustRefuse("an upgrade", a, path, 426, "upgrade_not_supported")
					if a.Header.Get("Upgrade") != "HTTP/1.1" {
						t.Errorf("Upgrade is %q", a.Header.Get("Upgrade"))
					}
				}
			}
			f.mustBeFree("an upgrade")
		}
		f.want(f.send(k, k.json(), "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"), 200, "")
		f.want(f.send(k, k.json(), "Connection: Upgrade", "Upgrade: TLS/1.2"), 200, "")
		for _, sent := range f.up.Requests() {
			if len(sent.Header("Upgrade"))+len(sent.Header("HTTP2-Settings")) != 0 {
				t.Errorf("the upstream got %s", sent.Head)
			}
		}
	}
}
