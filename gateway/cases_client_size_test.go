package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
)

// padded is a body of the kind with so many bytes.
func (k kind) padded(size int) string {
	body := k.with(`"pad":""`)
	return strings.Replace(body, `"pad":""`, `"pad":"`+strings.Repeat("x", size-len(body))+`"`, 1)
}

// inChunks frames a body in chunks of that size.
func inChunks(body string, size int) string {
	var b strings.Builder
	for ; len(body) > 0; body = body[min(size, len(body)):] {
		part := body[:min(size, len(body))]
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(part), part)
	}
	return b.String() + "0\r\n\r\n"
}

func TestClientSizes_UpToTheLimitPassAndAboveItAreRefused(t *testing.T) {
	const limit = 1 << 20
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			f := newFront(t)
			f.up.Otherwise(k.says(5, 5))
			f.want(f.send(k, k.padded(limit)), 200, "")
			f.mustRecord("a body at the limit", 200, "")
			f.want(gatewaytest.Do(t, f.addr, f.head("POST", k.path, "Transfer-Encoding: chunked")+"\r\n"+inChunks(k.padded(limit), 100_000)), 200, "")
			f.mustRecord("a chunked body at the limit", 200, "")
			for i := range 2 {
				if n := len(f.up.Request(i).Body); n < limit {
					t.Errorf("%d bytes reached the upstream", n)
				}
			}
			for name, text := range map[string]string{
				"one byte over, by length":    f.head("POST", k.path, fmt.Sprintf("Content-Length: %d", limit+1)) + "\r\n" + k.padded(limit+1),
				"half as much more":           f.head("POST", k.path, fmt.Sprintf("Content-Length: %d", limit*3/2)) + "\r\n" + k.padded(limit*3/2),
				"one byte over, in chunks":    f.head("POST", k.path, "Transfer-Encoding: chunked") + "\r\n" + inChunks(k.padded(limit+1), 100_000),
				"in chunks of a few bytes":    f.head("POST", k.path, "Transfer-Encoding: chunked") + "\r\n" + inChunks(k.padded(limit+1), 64),
				"half as much more in chunks": f.head("POST", k.path, "Transfer-Encoding: chunked") + "\r\n" + inChunks(k.padded(limit*3/2), 100_000),
			} {
				// The whole request is written before the answer is read, as simple clients do.
				c := gatewaytest.Dial(t, f.addr)
				c.Send(text)
				a := c.Answer()
				f.mustRefuse(name, a, k.path, 413, "request_too_large")
				if !strings.Contains(a.Body, "over 1 MiB, the limit max_request_bytes of this gateway") || !strings.Contains(c.Received(), "\r\nConnection: close\r\n") {
					t.Errorf("%s: %s %v", name, a.Body, a.Header)
				}
				if rest, clean := c.Rest(); rest != "" || !clean {
					t.Errorf("%s: after the answer came %q, in good order: %v", name, rest, clean)
				}
				f.mustBeFree(name)
				f.mustRecord(name, 413, "request_too_large")
			}
			if n := len(f.up.Requests()); n != 2 {
				t.Errorf("the upstream saw %d requests, want 2", n)
			}
		})
	}
}

// What agents and images need passes with the limit of a process that was told
// nothing.
func TestClientSizes_ThirtyTwoMebibytesPassByDefault(t *testing.T) {
	for _, k := range []kind{kinds()[0], kinds()[2]} {
		f := newFront(t, func(o *gateway.Options) { o.MaxRequestBytes, o.MaxBufferedBytes = 32<<20, 256<<20 })
		f.up.Otherwise(k.says(5, 5))
		for _, c := range []struct {
			size   int
			framed bool
			status int
		}{{1<<20 + 1, false, 200}, {32 << 20, false, 200}, {33 << 20, false, 413}, {33 << 20, true, 413}} {
			body := k.padded(c.size)
			text := f.head("POST", k.path, fmt.Sprintf("Content-Length: %d", c.size)) + "\r\n" + body
			if c.framed {
				text = f.head("POST", k.path, "Transfer-Encoding: chunked") + "\r\n" + inChunks(body, 1<<20)
			}
			a := gatewaytest.Do(t, f.addr, text)
			if a.Status != c.status || c.status == 413 && !strings.Contains(a.Body, "over 32 MiB") {
				t.Errorf("%s, %d bytes, in chunks %v: %d %s", k.name, c.size, c.framed, a.Status, a.Body)
			}
			f.mustBeFree("a large body")
		}
	}
}

// Callers that wait for 100 Continue are refused before they send a byte.
func TestClientSizes_ARefusedBodyIsNotAskedFor(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		f.up.Otherwise(k.says(5, 5))
		for _, c := range []struct {
			name   string
			lines  []string
			key    string
			status int
			code   string
			event  string
		}{
			{"too large", []string{"Content-Length: 1048577"}, f.key, 413, "request_too_large", "request_too_large"},
			{"an encoding that is not read", []string{"Content-Length: 10", "Content-Encoding: br"}, f.key, 415, "unsupported_encoding", "unsupported_encoding"},
			{"an unknown key", []string{"Content-Length: 10"}, "sk-wr-unknown", 401, "unauthenticated", "nothing"},
			{"no key", []string{"Content-Length: 10"}, "", 401, "unauthenticated", "nothing"},
			{"bad tags", []string{"Content-Length: 10", "X-Relay-Tags: x"}, f.key, 400, "bad_tags", "bad_tags"},
			{"a foreign origin", []string{"Content-Length: 10", "Origin: https://evil.example"}, f.key, 403, "origin_not_allowed", "nothing"},
		} {
			c1 := gatewaytest.Dial(t, f.addr)
			head := strings.Replace(f.head("POST", k.path, append(c.lines, "Expect: 100-continue")...), f.key, c.key, 1)
			c1.Send(head + "\r\n")
			a := c1.Answer()
			f.mustRefuse(c.name, a, k.path, c.status, c.code)
			if strings.Contains(c1.Received(), "100 Continue") {
				t.Errorf("%s: the body was asked for", c.name)
			}
			if rest, clean := c1.Rest(); rest != "" || !clean {
				t.Errorf("%s: after the answer came %q, in good order: %v", c.name, rest, clean)
			}
			f.mustBeFree(c.name)
			f.mustRecord(c.name, c.status, c.event)
		}
		conn := talkTo(t, f.addr)
		conn.say(f.head("POST", k.path, fmt.Sprintf("Content-Length: %d", len(k.json())), "Expect: 100-continue") + "\r\n")
		conn.mustHear("HTTP/1.1 100 Continue\r\n\r\n")
		conn.say(k.json())
		conn.mustHear("HTTP/1.1 200 OK\r\n")
	}
}
