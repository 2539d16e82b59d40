package gateway_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// callersHeaders are what a caller may say: some of it goes up.
func callersHeaders() map[string][]string {
	return map[string][]string{
		"plain": nil,
		"an SDK": {
			"User-Agent: OpenAI/Python 2.1.0", "Accept: application/json", "X-Stainless-Lang: python", "x-stainless-retry-count: 0",
			"Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Tracestate: a=b", "Tracestate: c=d", "Session-Id:  s-1 ",
		},
		"Claude": {"Anthropic-Version: 2024-10-22", "Anthropic-Beta: a,b", "Anthropic-Beta: c", "X-Claude-Code-Session-Id: x"},
		"what stays here": {
			"Cookie: a=b", "X-Api-Key: sk-ant-other", "Idempotency-Key: once", "X-Forwarded-For: 192.0.2.1", "Te: trailers", "Accept-Encoding: gzip",
			"Openai-Organization: org-1", "X-Relay-No-Retry: 1", "Proxy-Connection: keep-alive", "Expect: 100-continue",
		},
		"for this connection": {"Connection: Accept, x-session-id , Anthropic-Version", "Accept: text/plain", "X-Session-Id: s", "Anthropic-Version: 2020-01-01"},
		"a hop":               {"Relay-Hops: 1", "User-Agent: " + strings.Repeat("long ", 100)},
	}
}

// hostsHeaders are ways in which a host may want to be called.
func hostsHeaders() map[string]store.HostSpec {
	return map[string]store.HostSpec{
		"bearer":    {Auth: "bearer"},
		"x-api-key": {Auth: "x-api-key"},
		"its own":   {Auth: "header:x-stainless-key", Headers: map[string]string{"x-stainless-lang": "go", "openai-organization": "org-2"}},
		"fixed": {Auth: "bearer", Headers: map[string]string{
			"User-Agent": "fixed/1", "accept": "application/json", "anthropic-version": "2023-01-01", "Accept-Encoding": "identity;q=1", "X-Idempotency-Key": "never", "X-Team": "a b",
		}},
	}
}

// Relay's own client and net/http, which calls hosts behind a proxy, say the
// same.
func TestHeaders_AreTheSameWithAndWithoutAProxy(t *testing.T) {
	for way, spec := range hostsHeaders() {
		for _, k := range kinds() {
			r, up := newStand(t)
			up.Otherwise(k.says(7, 3))
			key := r.key("laptop", store.RelayKeySpec{})
			heads := map[string][2]string{}
			for step, proxy := range []string{"", up.URL()} {
				for _, host := range []string{k.host()} {
					edit(r, host, func(h *store.Host) {
						h.Spec.Auth, h.Spec.Headers, h.Spec.ProxyURL = spec.Auth, spec.Headers, proxy
					})
				}
				for who, headers := range callersHeaders() {
					before := len(up.Requests())
					r.want(r.ask(k, key, headers...), 200, "")
					sent := up.Request(before)
					lines := sent.Lines()
					slices.Sort(lines)
					pair := heads[who]
					pair[step] = strings.Replace(sent.Line(), "http://"+up.Addr(), "", 1) + "\n" + strings.Join(lines, "\n")
					heads[who] = pair
				}
			}
			for who, pair := range heads {
				if pair[0] != pair[1] {
					t.Errorf("%s, %s, %s: without a proxy\n%s\nwith one\n%s", way, k.name, who, pair[0], pair[1])
				}
			}
		}
	}
}

func TestHeaders_OfAnAttemptAreTheseAndNoOthers(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(kinds()[2].says(7, 3))
	key := r.key("laptop", store.RelayKeySpec{})
	for who, more := range map[string][]string{
		"plain":           {"Anthropic-Version: 2023-06-01", "Relay-Hops: 1", "User-Agent: relay/test"},
		"what stays here": {"Anthropic-Version: 2023-06-01", "Relay-Hops: 1", "User-Agent: relay/test"},
		"Claude": {
			"Anthropic-Beta: a,b", "Anthropic-Beta: c", "Anthropic-Version: 2024-10-22", "Relay-Hops: 1", "User-Agent: relay/test", "X-Claude-Code-Session-Id: x",
		},
		"for this connection": {"Anthropic-Version: 2023-06-01", "Relay-Hops: 1", "User-Agent: relay/test"},
		"a hop":               {"Anthropic-Version: 2023-06-01", "Relay-Hops: 2", "User-Agent: " + strings.Repeat("long ", 100)[:128] + " relay/test"},
	} {
		before := len(up.Requests())
		r.want(r.ask(kinds()[2], key, callersHeaders()[who]...), 200, "")
		sent := up.Request(before)
		want := append(more, "Host: "+up.Addr(), "Content-Type: application/json", "Accept-Encoding: identity",
			fmt.Sprintf("Content-Length: %d", len(sent.Body)), sent.Lines()[slices.IndexFunc(sent.Lines(), func(l string) bool { return strings.Contains(l, "secret-of-") })])
		got := sent.Lines()
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || sent.Line() != "POST /v1/messages HTTP/1.1" {
			t.Errorf("%s: got %s %q, want %q", who, sent.Line(), got, want)
		}
	}
}

// What a host's configuration says is said, whatever callers say.
func TestHeaders_OfAHostStandAboveThoseOfItsCallers(t *testing.T) {
	k := kinds()[2]
	callers := []string{"User-Agent: sdk/1", "Accept: text/plain", "Anthropic-Version: 2024-10-22", "X-Stainless-Lang: python", "X-Stainless-Key: forged", "X-Stainless-Os: Linux"}
	always := []string{"Content-Type: application/json", "Relay-Hops: 1", "X-Stainless-Os: Linux"}
	for way, want := range map[string][]string{
		"bearer": {
			"Accept: text/plain", "Accept-Encoding: identity", "Anthropic-Version: 2024-10-22", "Authorization: Bearer secret-of-ANT_1",
			"User-Agent: sdk/1 relay/test", "X-Stainless-Key: forged", "X-Stainless-Lang: python",
		},
		"its own": {
			"Accept: text/plain", "Accept-Encoding: identity", "Anthropic-Version: 2024-10-22", "Openai-Organization: org-2",
			"User-Agent: sdk/1 relay/test", "X-Stainless-Key: secret-of-ANT_1", "X-Stainless-Lang: go",
		},
		"fixed": {
			"Accept: application/json", "Accept-Encoding: identity;q=1", "Anthropic-Version: 2023-01-01", "Authorization: Bearer secret-of-ANT_1",
			"User-Agent: fixed/1", "X-Stainless-Key: forged", "X-Stainless-Lang: python", "X-Team: a b",
		},
	} {
		r, up := newStand(t)
		up.Otherwise(k.says(7, 3))
		edit(r, "anthropic", func(h *store.Host) {
			h.Spec.Auth, h.Spec.Headers = hostsHeaders()[way].Auth, hostsHeaders()[way].Headers
		})
		key := r.key("laptop", store.RelayKeySpec{})
		for _, said := range [][]string{callers, nil} {
			before := len(up.Requests())
			r.want(r.ask(k, key, said...), 200, "")
			sent := up.Request(before)
			lines := append(slices.Clone(always), want...)
			if said == nil {
				lines = withoutCallers(lines)
			}
			lines = append(lines, "Host: "+up.Addr(), fmt.Sprintf("Content-Length: %d", len(sent.Body)))
			got := sent.Lines()
			slices.Sort(lines)
			slices.Sort(got)
			if !slices.Equal(got, lines) {
				t.Errorf("%s: got\n%s\nwant\n%s", way, strings.Join(got, "\n"), strings.Join(lines, "\n"))
			}
		}
	}
}

// withoutCallers are the lines when the caller says nothing.
func withoutCallers(lines []string) (left []string) {
	for _, line := range lines {
		switch line {
		case "User-Agent: sdk/1 relay/test":
			left = append(left, "User-Agent: relay/test")
		case "Anthropic-Version: 2024-10-22":
			left = append(left, "Anthropic-Version: 2023-06-01")
		case "Accept: text/plain", "X-Stainless-Lang: python", "X-Stainless-Os: Linux", "X-Stainless-Key: forged":
		default:
			left = append(left, line)
		}
	}
	return left
}

// A key that no header can carry is a key's fault: the next one serves, and the
// administrator learns of it.
func TestKey_ThatNoHeaderCanCarryGivesWayToTheNext(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		up.Otherwise(k.says(7, 3))
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte("sk-bad\x01Evil: x"), 0o600); err != nil {
			t.Fatal(err)
		}
		key := r.key("laptop", store.RelayKeySpec{})
		for _, host := range hosts() {
			put(r, host+"-1", store.HostKeySpec{HostID: r.record(store.KindHost, host), Source: store.KeySource{Kind: "file", Path: path}})
			put(r, host+"-2", store.HostKeySpec{HostID: r.record(store.KindHost, host), Source: store.KeySource{Kind: "env", Env: "SECOND"}})
		}
		r.want(r.ask(k, key), 200, "")
		if sent := up.Requests(); len(sent) != 1 || strings.Contains(sent[0].Head, "Evil") {
			t.Errorf("%s: %d requests have been sent", k.name, len(sent))
		}
		told := 0
		for _, state := range r.server.KeyStates() {
			if strings.Contains(state.Reason, "holds a character that no header can carry") && !strings.Contains(state.Reason, "sk-bad") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: %+v", k.name, r.server.KeyStates())
		}
	}
}

// An upstream that refuses a large request while it is being sent is heard.
func TestLargeRequest_RefusedEarlyGetsItsAnswer(t *testing.T) {
	for _, status := range []int{413, 429, 503} {
		for _, end := range []gatewaytest.Script{gatewaytest.Hang(), gatewaytest.Close()} {
			r, up := newStand(t)
			k := kinds()[0]
			k.body = `"model":"chat","messages":[{"role":"user","content":"` + strings.Repeat("much ", 200_000) + `"}]`
			up.OnConnect(gatewaytest.Join(gatewaytest.ReadHead(), gatewaytest.JSON(status, upstreamError), end))
			key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
			a := r.ask(k, key)
			if want := map[int]int{413: 413, 429: 429, 503: 502}[status]; a.Status != want || !strings.Contains(a.Body, "said by upstream") {
				t.Errorf("%d: got %d %.300s", status, a.Status, a.Body)
			}
			if n := len(up.Requests()); n != 1 {
				t.Errorf("%d: the upstream saw %d requests, want 1", status, n)
			}
			r.mustBeIdle(fmt.Sprint(status))
		}
	}
}

// Old servers say little about where their answers end.
func TestOldServer_OfHTTP10IsUnderstood(t *testing.T) {
	for _, k := range kinds() {
		r, up := newStand(t)
		up.Otherwise(gatewaytest.Join(gatewaytest.Raw("HTTP/1.0 200 OK\r\nContent-Type: "+k.typeOf()+"\r\n\r\n"), gatewaytest.Raw(k.answer(7, 3)...), gatewaytest.Close()))
		key := r.key("laptop", store.RelayKeySpec{})
		for range 2 {
			a := r.ask(k, key)
			r.want(a, 200, "")
			if a.Err != nil || holdsError(a.Body) {
				t.Errorf("%s: got %q, %v", k.name, a.Body, a.Err)
			}
		}
		if up.Connections() != 2 {
			t.Errorf("%s: %d connections, want 2", k.name, up.Connections())
		}
	}
}
