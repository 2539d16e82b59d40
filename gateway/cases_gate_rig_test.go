package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// gated is a call with something in it that policies may mind.
type gated struct {
	path  string
	body  string // of members, without braces; a form as it is
	uses  string // the capabilities that it uses, by their names
	lines []string
}

// The bodies of calls in each shape, with members and a part in them.
func chatCall(uses, members, part string) gated {
	return gated{path: "/v1/chat/completions", uses: "chat " + uses, body: `"model":"chat",` + members + `"messages":[{"role":"user","content":[` + part + `]}]`}
}

func responsesCall(uses, members, part string) gated {
	return gated{path: "/v1/responses", uses: "chat " + uses, body: `"model":"chat",` + members + `"input":[{"role":"user","content":[` + part + `]}]`}
}

func messagesCall(uses, members, part string) gated {
	return gated{path: "/v1/messages", uses: "chat " + uses, body: `"model":"claude",` + members + `"messages":[{"role":"user","content":[` + part + `]}]`}
}

func geminiCall(uses, members, part string) gated {
	return gated{path: "/v1beta/models/gem:generateContent", uses: "chat " + uses, body: members + `"contents":[{"parts":[` + part + `]}]`}
}

func ollamaCall(uses, members, beside string) gated {
	return gated{path: "/api/chat", uses: "chat " + uses, body: `"model":"lama",` + members + `"messages":[{"role":"user","content":"hi"` + beside + `}]`}
}

func generateCall(uses, members, part string) gated {
	return gated{path: "/v1/generate", uses: "chat " + uses, body: `"model":"chat",` + members + `"input":[{"role":"user","content":[` + part + `]}]`}
}

func (g gated) with(lines ...string) gated {
	g.lines = append(g.lines, lines...)
	return g
}

func (g gated) isForm() bool { return strings.HasPrefix(g.body, "--") }

func (g gated) request(key string) string {
	body, contentType := "{"+g.body+"}", "application/json"
	if g.isForm() {
		body, contentType = g.body, formType
	}
	text := strings.Replace(request(key, body, g.lines...), "/v1/chat/completions", g.path, 1)
	return strings.Replace(text, "application/json", contentType, 1)
}

// shape is that in which the caller is told errors.
func (g gated) shape() store.Shape {
	switch {
	case strings.HasPrefix(g.path, "/v1/messages"):
		return store.ShapeAnthropic
	case strings.HasPrefix(g.path, "/v1beta"):
		return store.ShapeGemini
	case strings.HasPrefix(g.path, "/api"):
		return store.ShapeOllama
	}
	return store.ShapeOpenAI
}

// gatePass is what the upstream of newGates answers: whatever reaches it is known by
// that.
const gatePass = `{"error":{"message":"it has come through","type":"invalid_request_error"}}`

// newGates is a stand whose upstream answers everything alike.
func newGates(t *testing.T) (*rig, *gatewaytest.Upstream) {
	t.Helper()
	r, up := newStand(t)
	up.Otherwise(gatewaytest.JSON(400, gatePass))
	r.account()
	return r, up
}

func (r *rig) callGated(g gated, key string) gatewaytest.Answer {
	r.tb.Helper()
	return gatewaytest.Do(r.tb, r.addr, g.request(key))
}

// mustPassGate fails the test where a policy refuses the call.
func (r *rig) mustPassGate(g gated, key string) {
	r.tb.Helper()
	if a := r.callGated(g, key); a.Header.Get("X-Relay-Refused-By") == "policy" || a.Status == 429 {
		r.tb.Errorf("%s %s: refused with %d %s", g.path, g.body, a.Status, a.Body)
	}
}

// mustRefuseByPolicy fails the test unless a policy refuses the call with the code,
// in the caller's shape.
func (r *rig) mustRefuseByPolicy(g gated, key string, status int, code string, texts ...string) {
	r.tb.Helper()
	a := r.callGated(g, key)
	told, begins, _ := toldIn(g.shape(), status, code)
	if a.Status != told || !strings.HasPrefix(a.Body, begins) || a.Header.Get("X-Relay-Refused-By") != "policy" {
		r.tb.Errorf("%s %s: got %d by %q: %s", g.path, g.body, a.Status, a.Header.Get("X-Relay-Refused-By"), a.Body)
	}
	if g.shape() == store.ShapeOpenAI && !strings.Contains(a.Body, `"code":"`+code+`"`) {
		r.tb.Errorf("%s %s: the code is not %s: %s", g.path, g.body, code, a.Body)
	}
	for _, text := range texts {
		if !strings.Contains(a.Body, text) {
			r.tb.Errorf("%s %s: %q is not in %s", g.path, g.body, text, a.Body)
		}
	}
}
