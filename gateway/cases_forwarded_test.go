package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// forwardedLines are header lines that proxies add, one of them each.
func forwardedLines() []string {
	return []string{
		"X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 127.0.0.1", "x-forwarded-for:", "Forwarded: for=203.0.113.9;proto=https",
		"X-Forwarded-Host: llm.example", "X-Forwarded-Proto: https", "X-Real-IP: 203.0.113.9", "Via: 1.1 proxy",
	}
}

// Behind a proxy on this machine everybody comes from a loopback address, so
// that a request without a key is not taken through one.
func TestOpen_TakesNoRequestWithoutAKeyThroughAProxy(t *testing.T) {
	r, up := newOpen(t)
	key := r.key("laptop", store.RelayKeySpec{})
	served := 0
	for _, ask := range r.asksWith() {
		for _, line := range forwardedLines() {
			a := ask("", line)
			r.want(a, 403, "inference.auth: open")
			if !strings.Contains(a.Body, "relay key add") || !strings.Contains(a.Body, "inference.auth: key") {
				t.Errorf("%s: the text does not say what to do: %s", line, a.Body)
			}
			r.want(ask(key, line), 200, "")
		}
		r.want(ask("", "X-None: 1"), 200, "")
		served++
	}
	if served == 0 || len(up.Requests()) == 0 {
		t.Fatal("nothing was asked")
	}
	for _, sent := range up.Requests() {
		for _, name := range []string{"X-Forwarded-For", "Forwarded", "Via", "X-Real-Ip"} {
			if got := sent.Header(name); len(got) > 0 {
				t.Errorf("%s went up as %q", name, got)
			}
		}
	}
}

// asksWith are the routes that want a credential, whose upstream answers well.
func (r *rig) asksWith() []func(key, line string) gatewaytest.Answer {
	var all []func(key, line string) gatewaytest.Answer
	for _, k := range kinds() {
		if k.path != "/v1/chat/completions" {
			continue
		}
		all = append(all, func(key, line string) gatewaytest.Answer { return r.ask(k, key, line) })
	}
	for _, path := range lookups() {
		all = append(all, func(key, line string) gatewaytest.Answer { return r.get(path, key, line) })
	}
	return all
}
