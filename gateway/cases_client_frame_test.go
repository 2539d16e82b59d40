package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
)

// framing is a request that servers read in different ways, and what Relay
// answers to it. Text may hold HEAD, a request line with host and key, LEN, the
// length of BODY, and CHUNKED, that body in chunks.
type framing struct {
	name, text string
	answers    []string // beginnings of the answers, in order
	upstream   int      // requests that may reach the upstream
	ends       bool     // the caller ends its half at once
}

// smuggled is what an attacker hides behind a request. It carries no
// credential, so that it can only count as part of another one.
const smuggled = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 30\r\n\r\n{\"model\":\"chat\",\"messages\":[]}"

func framings() []framing {
	const ok, bad, unauthorized = "HTTP/1.1 200 OK\r\n", "HTTP/1.1 400 Bad Request", "HTTP/1.1 401 Unauthorized\r\n"
	const unknown = "HTTP/1.1 501 Not Implemented\r\n"
	return []framing{
		{"CL and TE, the length first", "HEADContent-Length: LEN\r\nTransfer-Encoding: chunked\r\n\r\nCHUNKED" + smuggled, []string{ok, unauthorized}, 1, false},
		{"CL and TE, a short length", "HEADTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\nCHUNKED", []string{ok}, 1, false},
		{"two lengths", "HEADContent-Length: LEN\r\nContent-Length: 5\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"a list of lengths", "HEADContent-Length: LEN, LEN\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"the same length twice", "HEADContent-Length: LEN\r\nContent-Length: LEN\r\n\r\nBODY", []string{ok}, 1, false},
		{"a length with a sign", "HEADContent-Length: +LEN\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"a length below 0", "HEADContent-Length: -1\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"a length in hex", "HEADContent-Length: 0x10\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"a length beyond all numbers", "HEADContent-Length: 99999999999999999999\r\n\r\nBODY", []string{bad}, 0, false},
		{"TE twice", "HEADTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\nCHUNKED" + smuggled, []string{unknown}, 0, false},
		{"TE in a list", "HEADTransfer-Encoding: chunked, identity\r\n\r\nCHUNKED" + smuggled, []string{unknown}, 0, false},
		{"TE in another list", "HEADTransfer-Encoding: identity, chunked\r\n\r\nCHUNKED" + smuggled, []string{unknown}, 0, false},
		{"TE identity", "HEADTransfer-Encoding: identity\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{unknown}, 0, false},
		{"TE of another name", "HEADTransfer-Encoding: xchunked\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{unknown}, 0, false},
		{"TE in mixed case", "HEADTransfer-Encoding: ChUnKeD\r\n\r\nCHUNKED", []string{ok}, 1, false},
		{"TE with a tab", "HEADTransfer-Encoding:\tchunked\r\n\r\nCHUNKED", []string{ok}, 1, false},
		{"TE with a space before the colon", "HEADTransfer-Encoding : chunked\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"TE in quotes", "HEADTransfer-Encoding: \"chunked\"\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{unknown}, 0, false},
		{"TE folded", "HEADTransfer-Encoding:\r\n chunked\r\n\r\nCHUNKED", []string{ok}, 1, false},
		{"a folded header", "HEADX-Folded: a\r\n b\r\nContent-Length: LEN\r\n\r\nBODY", []string{ok}, 1, false},
		{"a fold before any header", "POST PATH HTTP/1.1\r\n Host: 127.0.0.1\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"bare line feeds", "POST PATH HTTP/1.1\nHost: 127.0.0.1\nAuthorization: Bearer KEY\nContent-Length: LEN\n\nBODY", []string{ok}, 1, false},
		{"a bare carriage return", "HEADX-A: b\rContent-Length: 0\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"NUL in a header", "HEADX-A: b\x00\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"a header without a colon", "HEADX-A\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"a chunk extension", "HEADTransfer-Encoding: chunked\r\n\r\nLENX;a=b;c=\"d\"\r\nBODY\r\n0\r\n\r\n", []string{ok}, 1, false},
		{"a chunk extension of 64 KiB", "HEADTransfer-Encoding: chunked\r\n\r\nLENX;a=" + strings.Repeat("b", 64<<10) + "\r\nBODY\r\n0\r\n\r\n" + smuggled, []string{bad}, 0, false},
		{"a chunk without its size", "HEADTransfer-Encoding: chunked\r\n\r\nBODY\r\n0\r\n\r\n" + smuggled, []string{bad}, 0, false},
		{"a chunk longer than its size", "HEADTransfer-Encoding: chunked\r\n\r\n1\r\nBODY\r\n0\r\n\r\n" + smuggled, []string{bad}, 0, false},
		{"a chunk of a size below 0", "HEADTransfer-Encoding: chunked\r\n\r\n-1\r\nBODY\r\n0\r\n\r\n" + smuggled, []string{bad}, 0, false},
		{"a chunk of a size beyond all numbers", "HEADTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nBODY\r\n0\r\n\r\n" + smuggled, []string{bad}, 0, false},
		{"chunks without an end", "HEADTransfer-Encoding: chunked\r\n\r\nLENX\r\nBODY\r\n", []string{bad}, 0, true},
		{"a trailer", "HEADTransfer-Encoding: chunked\r\nTrailer: X-Api-Key\r\n\r\nLENX\r\nBODY\r\n0\r\nX-Api-Key: sk-wr-other\r\n\r\n", []string{ok}, 1, false},
		{"a body longer than its length", "HEADContent-Length: LEN\r\n\r\nBODYrest\r\n\r\n", []string{ok, bad}, 1, false},
		{"pipelined with another request", "HEADContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{ok, unauthorized}, 1, false},
		{"HTTP/1.0", "POST PATH HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{"HTTP/1.0 200 OK\r\n"}, 1, false},
		{"HTTP/1.0 in chunks", "POST PATH HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nTransfer-Encoding: chunked\r\n\r\nCHUNKED" + smuggled, []string{"HTTP/1.0 400 Bad Request\r\n"}, 0, false},
		{"HTTP/2 at once", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []string{"HTTP/1.1 404 Not Found\r\n"}, 0, false},
		{"no version", "POST PATH\r\nHost: 127.0.0.1\r\n\r\n", []string{bad}, 0, false},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []string{bad}, 0, false},
		{"an upgrade to h2c", "HEADConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: LEN\r\n\r\nBODY", []string{ok}, 1, false},
		{"absolute form", "POST http://127.0.0.1:1PATH HTTP/1.1\r\nHost: other.example\r\nAuthorization: Bearer KEY\r\nContent-Length: LEN\r\n\r\nBODY", []string{ok}, 1, false},
		{"no host", "POST PATH HTTP/1.1\r\nAuthorization: Bearer KEY\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"two hosts", "HEADHost: other.example\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{bad}, 0, false},
		{"an expectation that nobody meets", "HEADExpect: 200-maybe\r\nContent-Length: LEN\r\n\r\nBODY" + smuggled, []string{"HTTP/1.1 417 Expectation Failed\r\n"}, 0, false},
	}
}

// fill puts a call of the kind into the framing.
func (f framing) fill(k kind, key string) string {
	body := k.json()
	head := "POST PATH HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\n"
	return strings.NewReplacer("HEAD", strings.NewReplacer("PATH", k.path, "KEY", key).Replace(head), "PATH", k.path, "KEY", key,
		"LENX", fmt.Sprintf("%x", len(body)), "LEN", fmt.Sprint(len(body)), "CHUNKED", inChunks(body, 7), "BODY", body).Replace(f.text)
}

func TestClientFraming_NoReadingMakesASecondRequestOfOne(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			f := newFront(t)
			f.up.Otherwise(k.says(5, 5))
			seen := 0
			for _, framing := range framings() {
				c := gatewaytest.Dial(t, f.addr)
				_ = c.TrySend(framing.fill(k, f.key)) // the connection may be closed before all of it is sent
				if framing.ends {
					c.CloseWrite()
				}
				for range framing.answers {
					c.Answer()
				}
				c.CloseWrite()
				_, _ = c.Rest()
				f.mustAnswer(framing, c.Received())
				f.mustBeFree(framing.name)
				seen += framing.upstream
				if n := len(f.up.Requests()); n != seen {
					t.Fatalf("%s: %d requests reached the upstream, want %d", framing.name, n, seen)
				}
			}
			for _, sent := range f.up.Requests() {
				if text := sent.Head; strings.Contains(text, "Folded") || strings.Contains(text, "Trailer") || strings.Contains(text, "Settings") ||
					strings.Contains(text, "Upgrade") || strings.Contains(text, "other") || strings.Count(text, "Content-Length") != 1 || len(sent.Header("Transfer-Encoding")) != 0 {
					t.Errorf("the upstream got the head %s", text)
				}
			}
		})
	}
}

// mustAnswer fails the test unless the answers begin as the framing says, and
// there are no others.
func (f *front) mustAnswer(framing framing, said string) {
	f.tb.Helper()
	rest := said
	for _, begins := range framing.answers {
		at := strings.Index(rest, begins)
		if at < 0 {
			f.tb.Errorf("%s: heard %q, want %q", framing.name, said, framing.answers)
			return
		}
		rest = rest[at+len(begins):]
	}
	if n := strings.Count(said, "HTTP/1."); n != len(framing.answers) {
		f.tb.Errorf("%s: heard %d answers, want %d: %q", framing.name, n, len(framing.answers), said)
	}
}

func TestClientFraming_MethodsThatProxiesKnowDoNothing(t *testing.T) {
	f := newFront(t)
	for _, k := range kinds() {
		for text, status := range map[string]string{
			"CONNECT example.com:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n":                                                            "404 Not Found",
			"CONNECT PATH HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\n\r\n":                                          "405 Method Not Allowed",
			"TRACE PATH HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nX-Secret: s\r\n\r\n":                             "405 Method Not Allowed",
			"TRACE / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\n\r\n":                                               "405 Method Not Allowed",
			"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n":                                                                          "200 OK",
			"PUT PATH HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nContent-Length: 2\r\n\r\n{}":                       "405 Method Not Allowed",
			"GET PATH HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nX-HTTP-Method-Override: POST\r\n\r\n":              "405 Method Not Allowed",
			"post PATH HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\n\r\n":                                             "405 Method Not Allowed",
			"BREW PATH HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\n\r\n":                                             "405 Method Not Allowed",
			"POST http://127.0.0.1/api/keys HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nContent-Length: 2\r\n\r\n{}": "404 Not Found",
			"GET http://example.com/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nX-Original-URL: /v1/models\r\n\r\n": "200 OK",
			"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nX-Rewrite-URL: /v1/models\r\n\r\n":             "404 Not Found",
			"DELETE /v1/models/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\n\r\n":                                "405 Method Not Allowed",
			"POST /v1/usage HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer KEY\r\nContent-Length: 2\r\n\r\n{}":                 "405 Method Not Allowed",
			"POST /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}":                                                 "405 Method Not Allowed",
		} {
			c := gatewaytest.Dial(t, f.addr)
			c.Send(strings.NewReplacer("PATH", k.path, "KEY", f.key).Replace(text))
			c.CloseWrite()
			said, _ := c.Rest()
			if !strings.HasPrefix(said, "HTTP/1.1 "+status+"\r\n") || strings.Count(said, "HTTP/1.1") != 1 || strings.Contains(said, "X-Secret") {
				t.Errorf("%.40q on %s: heard %q, want %s", text, k.path, said, status)
			}
			if strings.HasPrefix(status, "405") != strings.Contains(said, "\r\nAllow: ") {
				t.Errorf("%.40q on %s: heard %q", text, k.path, said)
			}
			f.mustBeFree(text)
		}
	}
	if n := len(f.up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
	f.recorded = len(f.events(0))
	if f.recorded != 0 {
		t.Errorf("%d usage events were left", f.recorded)
	}
}
