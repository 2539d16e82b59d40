package cmd_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// blabber is an upstream that says the key it is shown wherever an answer has
// room for it, and goes through all the ways of failing.
type blabber struct {
	*gatewaytest.Upstream
	calls atomic.Int64
}

func newBlabber(t *testing.T) *blabber {
	b := &blabber{Upstream: gatewaytest.New(t)}
	b.Otherwise(b.answer)
	return b
}

func (b *blabber) answer(x *gatewaytest.Exchange) error {
	if strings.HasPrefix(x.Request.Line(), "GET /v1/models") {
		return gatewaytest.JSON(200, `{"object":"list","data":[{"id":"loud","object":"model","owned_by":"up"}]}`)(x)
	}
	shown := strings.TrimPrefix(strings.Join(append(x.Request.Header("Authorization"), x.Request.Header("X-Api-Key")...), ""), "Bearer ")
	spoken := written(shown)
	delete(spoken, "most of it")
	words := make([]string, 0, len(spoken))
	for _, form := range []string{"clear", "JSON", "query", "path", "base64", "base64 for URL", "hex"} {
		words = append(words, spoken[form])
	}
	n := int(b.calls.Add(1) - 1)
	faults := blabs(words[n/40%len(words)])
	return faults[n%len(faults)](x)
}

// blabs are answers and faults that hold the words. There are fewer than 40.
func blabs(words string) []gatewaytest.Script {
	object := `{"error":{"message":"bad key ` + words + `","type":"` + words + `","code":"` + words + `","param":"` + words + `"}}`
	event := "event: error\ndata: " + object + "\n\n"
	delta := gatewaytest.Data(`{"choices":[{"index":0,"delta":{"content":"hel"}}]}`)
	whole := `{"choices":[{"index":0,"message":{"content":"hello"},"finish_reason":"stop"}],"content":[],"data":[],"usage":{"prompt_tokens":1,"input_tokens":1}}`
	all := []gatewaytest.Script{
		gatewaytest.JSON(200, whole),
		gatewaytest.JSON(200, object),
		gatewaytest.JSON(200, `{"error":"`+words+`"}`),
		gatewaytest.JSON(200, "<html>"+words),
		gatewaytest.JSON(500, "<html>"+words),
		gatewaytest.JSON(502, strings.Repeat("x", 500)+words),
		gatewaytest.Stream(event),
		gatewaytest.Stream(delta, event),
		gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(delta, "event: error\ndata: "+words[:len(words)/2]), gatewaytest.Reset()),
		gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", "Content-Length: 900"), gatewaytest.Raw(object), gatewaytest.Reset()),
		gatewaytest.Join(gatewaytest.Head(400, "Content-Type: application/json", "X-Request-Id: "+words, fmt.Sprintf("Content-Length: %d", len(object))), gatewaytest.Raw(object)),
		gatewaytest.Join(gatewaytest.Head(429, "X-Ratelimit-Owner: "+words, "Retry-After: "+words, "Content-Length: 0")),
		gatewaytest.Head(302, "Location: http://127.0.0.1:1/?key="+words, "Content-Length: 0"),
		gatewaytest.Join(gatewaytest.Head(200, "X-"+words+" : "+words+"\x00", "Content-Length: 0"), gatewaytest.Close()),
		gatewaytest.Join(gatewaytest.Raw("HTTP/1.1 2xx "+words+"\r\n\r\n"), gatewaytest.Close()),
		gatewaytest.Join(gatewaytest.Raw("HTTP/1.1 500 " + words + "\r\nContent-Length: 0\r\n\r\n")),
		gatewaytest.Join(gatewaytest.Head(200, "Content-Encoding: "+words, "Content-Length: 0")),
		gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Raw("5;"+words+"\r\nzz\r\n"), gatewaytest.Close()),
		gatewaytest.Join(gatewaytest.Raw(words), gatewaytest.Close()),
		gatewaytest.Reset(),
	}
	for _, status := range []int{400, 401, 402, 403, 404, 413, 422, 429, 500, 503, 529} {
		all = append(all, gatewaytest.JSON(status, object))
	}
	return all
}

// canaries are secrets that occur nowhere else.
func canaries() map[string]string {
	raw := "CANARY-master-key-32-bytes-4f9a!"
	return map[string]string{
		"the provider key":          `sk-up/CANARY+key==<5Jw8>&qT3zN7vB0yH`,
		"the admin token":           "admin-CANARY-token-8c7b6a5d4e3f2g1h",
		"the master key":            base64.StdEncoding.EncodeToString([]byte(raw)),
		"the raw master key":        raw,
		"a cookie":                  "session=CANARY-cookie-0p9o8i7u6y5t",
		"a key in a query":          "CANARY-query-q1w2e3r4t5y6u7i8",
		"a password in a URL":       "CANARY-password-a1s2d3f4g5h6",
		"a key of another product":  "sk-ant-api03-CANARY-z1x2c3v4b5n6",
		"a wrong relay key":         "sk-wr-CANARY-wrong-m6n5b4v3c2x1",
		"a caller's idempotent key": "CANARY-idempotency-k9j8h7g6f5d4",
	}
}

// After every fault that an upstream knows, at the most talkative log level, no
// secret stands in any place that somebody may read.
func TestCanary_NoSecretComesOutOfAStormOfFaults(t *testing.T) {
	secrets := canaries()
	dir, up := dataDir(t), newBlabber(t)
	s := startServing(t, dir, map[string]string{
		"RELAY_LOG_LEVEL": "trace", "RELAY_ADMIN_TOKEN": secrets["the admin token"], "RELAY_MASTER_KEY": secrets["the master key"],
		"RELAY_STREAM_KEEPALIVE": "20ms",
	})
	seen := &evidence{t: t}
	secrets["the first relay key"] = firstKey(t, dir)
	s.stock(seen, secrets, up.URL())
	s.storm(seen, secrets, 40*7)
	s.sinks(seen, filepath.Join(dir, "by-hand.backup"))
	s.stop()
	seen.add("the log", s.log.String())
	seen.add("stdout", s.out.String())
	s.files(seen, dir)
	for _, told := range []string{`"error_kind":"upstream_error"`, `"error_kind":"upstream_auth"`, `"error_kind":"truncated"`, `"error_kind":"upstream_redirect"`, `"error_kind":"upstream_invalid_response"`, `"error_kind":"unauthenticated"`} {
		if !strings.Contains(s.log.String(), told) {
			t.Errorf("the storm had no %s", told)
		}
	}
	seen.acquit(secrets)
}

// stock connects the upstream and makes a key.
func (s *serving) stock(seen *evidence, secrets map[string]string, upstream string) {
	s.t.Helper()
	seen.add("connect", s.done(secrets["the provider key"], "connect", "up", "--base-url", upstream+"/v1", "--shape", "openai", "--shape", "anthropic", "--value", "-"))
	refused := s.relay("", "host", "add", "leaky", "--base-url", "https://user:"+secrets["a password in a URL"]+"@up.example/v1", "--shape", "openai", "--auth", "none")
	if refused.code == 0 {
		s.t.Errorf("a URL with a password was taken: %+v", refused)
	}
	seen.add("the refusal of a URL", refused.stdout+refused.stderr)
	made := s.relay("", "key", "add", "alice", "--rpm", "100000")
	_, key, _ := strings.Cut(made.stdout, "sk-wr-")
	key, _, _ = strings.Cut(key, "\n")
	if made.code != 0 || key == "" {
		s.t.Fatalf("relay key add: %+v", made)
	}
	secrets["the key of alice"] = "sk-wr-" + strings.Trim(key, ` "`)
}

// storm makes so many calls, of every shape, whole and streamed.
func (s *serving) storm(seen *evidence, secrets map[string]string, calls int) {
	s.t.Helper()
	bodies := []struct{ path, body string }{
		{"/v1/chat/completions", `{"model":"loud","messages":[{"role":"user","content":"hello"}]}`},
		{"/v1/chat/completions", `{"model":"loud","stream":true,"messages":[{"role":"user","content":"hello"}]}`},
		{"/v1/messages", `{"model":"loud","max_tokens":9,"messages":[{"role":"user","content":"hello"}]}`},
		{"/v1/messages", `{"model":"loud","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hello"}]}`},
		{"/v1/embeddings", `{"model":"loud","input":"hello"}`},
	}
	headers := []string{
		"Cookie", secrets["a cookie"], "X-Api-Key", secrets["a key of another product"], "Idempotency-Key", secrets["a caller's idempotent key"],
		"Referer", "https://app.example/?key=" + secrets["a key in a query"],
	}
	reset := "/api/host-keys/by-id/" + s.control.id("/api/host-keys/up") + "/reset"
	for i := range calls {
		b := bodies[i%len(bodies)]
		path := b.path + "?key=" + url.QueryEscape(secrets["a key in a query"])
		seen.add(fmt.Sprintf("answer %d to %s", i, b.path), s.tryPost(path, secrets["the key of alice"], b.body, headers...))
		s.control.must(http.StatusOK, http.MethodPost, reset, "")
		if i%50 == 0 {
			seen.add("a refusal", s.tryPost(path, secrets["a wrong relay key"], b.body, headers...))
			seen.add("a refused body", s.tryPost(path, secrets["the key of alice"], `{"model":`, headers...))
		}
	}
}

// tryPost is post for answers that may break off. It returns all that came back.
func (s *serving) tryPost(path, key, body string, headers ...string) string {
	s.t.Helper()
	request := "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer " + key + "\r\n"
	for i := 0; i < len(headers); i += 2 {
		request += headers[i] + ": " + headers[i+1] + "\r\n"
	}
	c := gatewaytest.Dial(s.t, strings.TrimSuffix(strings.TrimPrefix(s.inference, "http://"), "/"))
	defer c.Close()
	c.Send(request + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
	text, _ := c.Rest()
	return text
}

// sinks reads what administrators can read.
func (s *serving) sinks(seen *evidence, backup string) {
	s.t.Helper()
	paths := []string{
		"/metrics", "/readyz", "/livez", "/", "/api/status", "/api/version", "/api/export", "/api/openapi.json",
		"/api/usage/events?limit=1000", "/api/usage/summary?group_by=model", "/api/usage/summary?group_by=key", "/api/host-keys/up",
		"/api/host-keys/by-id/" + s.control.id("/api/host-keys/up") + "/health",
	}
	for _, kind := range store.Kinds() {
		paths = append(paths, "/api/"+kind.Plural()+"?limit=1000")
	}
	for _, path := range paths {
		status, text := s.control.send(http.MethodGet, path, "")
		if status != http.StatusOK {
			s.t.Errorf("GET %s: %d %s", path, status, text)
		}
		seen.add("GET "+path, text)
	}
	seen.add("GET /api/backup", s.control.must(http.StatusOK, http.MethodGet, "/api/backup", ""))
	for _, args := range [][]string{
		{"status"}, {"status", "-o", "json"}, {"hostkey", "show", "up"}, {"hostkey", "ls", "-o", "json"}, {"host", "show", "up"}, {"key", "show", "alice"},
		{"key", "ls", "-o", "json"}, {"usage", "-o", "json"}, {"export"}, {"config", "show"}, {"explain", "--key", "alice", "--model", "loud"},
		{"backup", backup},
	} {
		got := s.relay("", args...)
		seen.add("relay "+strings.Join(args, " "), got.stdout+got.stderr)
		if got.code == 2 {
			s.t.Errorf("relay %q: %+v", args, got)
		}
	}
	if text, err := os.ReadFile(backup); err != nil {
		s.t.Errorf("read the backup: %v", err)
	} else {
		seen.add("the backup", string(text))
	}
}
