package gateway_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// denial is what a caller is told whom a limit refuses.
type denial struct {
	code  string        // empty: rate_limit_exceeded
	by    string        // empty: limit
	text  string        // of the message, up to when to come back
	scope string        // empty: nothing is told of a limit
	wait  time.Duration // exact
}

// denied fails the test unless the answer refuses the call so, in its shape.
func (r *rig) denied(k kind, a gatewaytest.Answer, d denial) {
	r.tb.Helper()
	if d.code == "" {
		d.code = "rate_limit_exceeded"
	}
	if d.by == "" {
		d.by = "limit"
	}
	seconds := strconv.FormatInt(int64((d.wait+time.Second-1)/time.Second), 10)
	text := d.text
	if d.by == "limit" {
		text += "; retry after " + seconds + " s."
	}
	status, begins, holds := toldIn(k.shape, 429, d.code)
	if a.Status != status || !strings.HasPrefix(a.Body, begins+inJSON(text)) || !strings.Contains(a.Body, strings.TrimSuffix(holds, "}")) {
		r.tb.Fatalf("%s: got %d %s, want %s%s", k.name, a.Status, a.Body, begins, inJSON(text))
	}
	if d.scope != "" && tellsScope(k) && !strings.Contains(a.Body, `"scope":"`+d.scope+`"`) {
		r.tb.Errorf("%s: got %s, want scope %s", k.name, a.Body, d.scope)
	}
	if d.scope != "" && codedIn(k) && !strings.HasSuffix(a.Body, `"retry_after":`+seconds+`}}}`) {
		r.tb.Errorf("%s: got %s, want a wait of %s", k.name, a.Body, seconds)
	}
	told := map[string]string{"Retry-After": seconds, "X-Relay-Refused-By": d.by, "Retry-After-Ms": "", "X-Should-Retry": "false"}
	if d.wait <= time.Minute {
		told["Retry-After-Ms"], told["X-Should-Retry"] = strconv.FormatInt(int64((d.wait+time.Millisecond-1)/time.Millisecond), 10), ""
	}
	if k.shape == store.ShapeResponses && d.wait > 2*time.Minute { // its agent would sit it out
		told["Retry-After"] = ""
	}
	r.tells(k, a, told)
}

// tells fails the test unless the answer has the headers; an empty one is none.
func (r *rig) tells(k kind, a gatewaytest.Answer, want map[string]string) {
	r.tb.Helper()
	for name, value := range want {
		if got := a.Header.Get(name); got != value {
			r.tb.Errorf("%s, %d: %s is %q, want %q", k.name, a.Status, name, got, value)
		}
	}
}

// codedIn reports whether errors of the shape tell everything of the limit.
func codedIn(k kind) bool { return k.shape == store.ShapeOpenAI || k.shape == store.ShapeResponses }

// tellsScope reports whether they have more than a text.
func tellsScope(k kind) bool {
	return k.shape != store.ShapeAnthropic && k.shape != store.ShapeOllama
}

func inJSON(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted[1 : len(quoted)-1])
}
