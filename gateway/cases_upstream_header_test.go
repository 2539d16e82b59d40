package gateway_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// nasty are header lines of upstreams that are nobody's business behind Relay.
func nasty() []string {
	return []string{
		"Set-Cookie: session=1; Domain=relay.test", "Set-Cookie2: a=b", "Access-Control-Allow-Origin: *", "Access-Control-Allow-Credentials: true",
		"Strict-Transport-Security: max-age=1", "Alt-Svc: h3=\":443\"", "Server: nginx", "Via: 1.1 cache", "X-Powered-By: PHP", "Authorization: Bearer up",
		"WWW-Authenticate: Basic realm=up", "Proxy-Authenticate: Basic", "Proxy-Authorization: x", "X-Accel-Redirect: /etc/passwd", "X-Accel-Expires: 0",
		"X-Sendfile: /etc/passwd", "Location: http://192.0.2.1/", "Refresh: 0; url=http://192.0.2.1/", "Clear-Site-Data: *", "Content-Security-Policy: x",
		"Report-To: x", "NEL: x", "Link: <x>; rel=preload", "Trailer: X-Late", "Upgrade: h2c", "Keep-Alive: timeout=5", "Connection: X-Up, X-Request-Id",
		"Proxy-Connection: keep-alive", "TE: trailers", "X-Up: 1", "Age: 1", "Expires: 0", "ETag: \"1\"", "Last-Modified: x", "Vary: *", "P3P: x", "Date: x",
		"X-Relay-Request-ID: forged", "X-Relay-Host: forged", "X-Relay-Cost-Usd: 9", "X-Relay-Refused-By: forged", "X-Should-Retry: true", "X-RateLimit-Foreign: 1",
		"X-Content-Type-Options: x", "X-Frame-Options: x", "Public-Key-Pins: x", "Set-Login: x", "SourceMap: x", "Server-Timing: x", "Timing-Allow-Origin: *",
		"Content-Language: en", "Content-Location: /x", "Content-Disposition: attachment", "Content-MD5: x", "Digest: x", "Accept-Ranges: bytes", "Allow: GET",
	}
}

func TestHeaders_OnlyThoseOfTheListComeBack(t *testing.T) {
	passed := []string{
		"X-Request-Id: up-1", "request-id: up-2", "openai-processing-ms: 7", "openai-version: 2020-10-01", "x-ratelimit-remaining-requests: 5",
		"x-ratelimit-limit-tokens: 9", "anthropic-ratelimit-requests-remaining: 4",
	}
	for _, k := range kinds() {
		r, up, key := faultStand(t)
		for _, status := range []int{200, 400} {
			var lines []string
			for _, line := range nasty() {
				if !strings.HasPrefix(line, "Connection:") || status == 200 {
					lines = append(lines, line)
				}
			}
			lines = append(lines, passed...)
			body := k.answer(7, 3)
			if status == 400 {
				body = []string{upstreamError}
			}
			contentType := "Content-Type: application/json"
			if status == 200 {
				contentType = "Content-Type: " + k.typeOf()
			}
			up.Play(gatewaytest.Join(gatewaytest.Head(status, append(lines, contentType)...), gatewaytest.Raw(body...), gatewaytest.Close()))
			a := r.ask(k, key)
			want := []string{
				"Content-Type", "Date", "Openai-Processing-Ms", "Openai-Version", "Request-Id", "X-Ratelimit-Foreign", "X-Ratelimit-Limit-Tokens",
				"X-Ratelimit-Remaining-Requests", "Anthropic-Ratelimit-Requests-Remaining", "X-Relay-Request-Id", "X-Relay-Host",
			}
			switch {
			case status == 400:
				want = append(want, "X-Request-Id", "X-Relay-Refused-By", "Content-Length")
			case k.streamed:
				want = append(want, "Cache-Control", "X-Accel-Buffering", "X-Relay-Model", "X-Relay-Attempts")
			default:
				want = append(want, "Content-Length", "X-Relay-Cost-Usd", "X-Relay-Model", "X-Relay-Attempts")
			}
			var got []string
			for name := range a.Header {
				got = append(got, name)
			}
			slices.Sort(got)
			slices.Sort(want)
			if a.Status != status || !slices.Equal(got, want) {
				t.Errorf("%s, %d: got %d\n%q, want\n%q", k.name, status, a.Status, got, want)
			}
			if a.Header.Get("X-Relay-Host") == "forged" || a.Header.Get("X-Relay-Request-Id") == "forged" || a.Header.Get("X-Relay-Cost-Usd") == "9" {
				t.Errorf("%s: forged headers came through: %v", k.name, a.Header)
			}
		}
	}
}

// What may be read from a header about the key is left out with it.
func TestEcho_AHeaderThatHoldsTheKeyIsDropped(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		r.canaries(t)
		key := r.key("laptop", store.RelayKeySpec{})
		for form, said := range forms(canary) {
			up.Play(refusal(400, "X-Request-Id: req-"+said+"-1", "x-ratelimit-owner: "+said, "request-id: fine"))
			a := r.ask(k, key)
			findSecret(t, "the headers in "+form, fmt.Sprint(a.Header), canary)
			if a.Status != 400 || a.Header.Get("Request-Id") != "fine" {
				t.Errorf("%s, %s: got %d %v", k.name, form, a.Status, a.Header)
			}
		}
	}
}

// A secret may be written within a longer text, or with other digits.
func TestEcho_TheKeyIsFoundHoweverItIsWritten(t *testing.T) {
	written := map[string]string{
		"lower hex in a query": strings.NewReplacer("%2F", "%2f", "%2B", "%2b", "%3D", "%3d", "%3C", "%3c", "%3E", "%3e").Replace(forms(canary)["query"]),
	}
	for _, before := range []string{"", "x", "xy", "user:", "Bearer "} {
		for _, behind := range []string{"", "z", "zz"} {
			written[fmt.Sprintf("base64 of %q and %q", before, behind)] = base64.StdEncoding.EncodeToString([]byte(before + canary + behind))
			written[fmt.Sprintf("base64 for URLs of %q and %q", before, behind)] = base64.RawURLEncoding.EncodeToString([]byte(before + canary + behind))
		}
	}
	for _, k := range kinds() {
		log := &journal{}
		r, up := newStand(t, func(o *gateway.Options) { o.Log = zerolog.New(log).Level(zerolog.TraceLevel) })
		r.canaries(t)
		key := r.key("laptop", store.RelayKeySpec{})
		for name, said := range written {
			for status, script := range map[int]gatewaytest.Script{
				400: gatewaytest.JSON(400, `{"error":{"message":"key `+said+` is bad"}}`),
				502: gatewaytest.JSON(500, "key "+said+" is bad"),
			} {
				up.Play(script)
				a := r.ask(k, key)
				r.reset(k.keyOf())
				if a.Status != status || !strings.Contains(a.Body, "[redacted]") {
					t.Errorf("%s, %s: got %d %s", k.name, name, a.Status, a.Body)
				}
				shown := said[8 : len(said)-8]
				if strings.Contains(a.Body, shown) || strings.Contains(log.String(), shown) {
					t.Errorf("%s, %s: shown in %s", k.name, name, a.Body)
				}
			}
		}
	}
}

// An answer without choices passes as it is, and the log tells of it.
func TestNoChoices_PassAndAreFlagged(t *testing.T) {
	for _, k := range kinds() {
		if k.streamed {
			continue
		}
		log := &journal{}
		r, up := newStand(t, func(o *gateway.Options) { o.Log = zerolog.New(log) })
		key, calls := r.key("laptop", store.RelayKeySpec{}), 0
		for body, flagged := range map[string]bool{
			`{"choices":[],"content":1,"data":[]}`: true, `{"choices":null}`: true, `{}`: true, `{"id":"x","usage":{"prompt_tokens":7,"input_tokens":7}}`: true,
			k.answer(7, 3)[0]: false,
		} {
			up.Play(gatewaytest.JSON(http.StatusOK, body))
			a := r.ask(k, key)
			calls++
			if a.Status != 200 || a.Body != body {
				t.Errorf("%s: got %d %s, want %s", k.name, a.Status, a.Body, body)
			}
			until(t, "the request is logged", func() bool { return strings.Count(log.String(), `"message":"request"`) == calls })
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			if got := strings.Contains(lines[len(lines)-1], `"no_choices":true`); got != flagged {
				t.Errorf("%s: %s is flagged: %v", k.name, body, got)
			}
		}
	}
}

// What goes up is what the list allows, the host's own and the key: nothing of
// the connection, of the caller's credentials or of what stands before Relay.
func TestHeaders_OnlyThoseOfTheListGoUp(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		for _, host := range hosts() {
			edit(r, host, func(h *store.Host) { h.Spec.Headers = map[string]string{"OpenAI-Project": "p1"} })
		}
		up.Play(k.says(7, 3))
		key := r.key("laptop", store.RelayKeySpec{})
		r.want(r.ask(k, key,
			"Connection: keep-alive, X-Secret-Hop, X-Stainless-Hop", "X-Secret-Hop: 1", "X-Stainless-Hop: 1", "TE: trailers", "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive", "Trailer: X",
			"Cookie: a=b", "Origin-Agent-Cluster: ?1", "Referer: https://app.example/", "X-Api-Key: sk-ant-stale", "X-Goog-Api-Key: stale", "Proxy-Authorization: Basic x",
			"Idempotency-Key: 1", "X-Idempotency-Key: 1", "X-Relay-Tags: {}", "X-Relay-Host: "+k.host(), "X-WR-API-Key: x",
			"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: a", "Forwarded: for=1", "X-Real-IP: 192.0.2.1", "Via: 1.1 a", "CF-Connecting-IP: 192.0.2.1",
			"Accept-Encoding: gzip, br", "Accept-Language: de", "If-None-Match: x", "Range: bytes=0-1", "X-Custom: 1", "OpenAI-Organization: theirs", "OpenAI-Project: theirs", "X-Request-ID: r1",
			"Accept: text/event-stream", "User-Agent: curl/8", "anthropic-beta: b1", "openai-beta: b2", "x-stainless-lang: js", "traceparent: 00-1", "tracestate: a=1", "session-id: s", "x-session-id: s",
			"x-session-affinity: s", "x-claude-code-session-id: s",
		), 200, "")
		var got []string
		for _, line := range up.Request(0).Lines() {
			name, _, _ := strings.Cut(line, ":")
			got = append(got, strings.ToLower(name))
		}
		want := []string{
			"accept", "accept-encoding", "anthropic-beta", "content-length", "content-type", "host", "openai-beta", "openai-project", "relay-hops", "session-id", "traceparent", "tracestate",
			"user-agent", "x-claude-code-session-id", "x-session-affinity", "x-session-id", "x-stainless-lang",
		}
		switch k.shape {
		case store.ShapeAnthropic:
			want = append(want, "anthropic-version", "x-api-key")
		case store.ShapeGemini:
			want = append(want, "x-goog-api-key")
		default:
			want = append(want, "authorization")
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the upstream got\n%q, want\n%q", k.name, got, want)
		}
		for name, value := range map[string]string{"Host": up.Addr(), "Openai-Project": "p1", "User-Agent": "curl/8 relay/test", "Relay-Hops": "1", "Accept-Encoding": "identity"} {
			if got := up.Request(0).Header(name); !slices.Equal(got, []string{value}) {
				t.Errorf("%s: the upstream got %s %q, want %q", k.name, name, got, value)
			}
		}
	}
}
