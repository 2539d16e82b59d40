package gateway_test

import (
	"relay/gateway/gatewaytest"
)

// begin sends a call and reads what comes before the pause of saysAfter. The
// call is at the upstream then.
func (r *rig) begin(k kind, key string) (*gatewaytest.Client, *pending) {
	r.tb.Helper()
	c := gatewaytest.Dial(r.tb, r.addr)
	c.Send(k.request(key))
	p := &pending{r: r, kind: k, client: c}
	if k.streamed {
		p.readOpening()
	}
	return c, p
}

// pending is a call whose answer has not come to its end.
type pending struct {
	r      *rig
	kind   kind
	client *gatewaytest.Client
	rest   func() (string, error)
}

func (p *pending) readOpening() {
	p.r.tb.Helper()
	answer := p.client.Response()
	if answer.StatusCode != 200 {
		p.r.tb.Fatalf("the stream began with %d", answer.StatusCode)
	}
	if _, err := gatewaytest.ReadUntil(answer.Body, p.kind.ends); err != nil {
		p.r.tb.Fatal(err)
	}
	p.rest = func() (string, error) { return readAll(answer.Body) }
}

// end reads the rest of the answer, which must be whole.
func (p *pending) end() {
	p.r.tb.Helper()
	if p.rest == nil {
		p.r.want(p.client.Answer(), 200, "")
		return
	}
	if text, err := p.rest(); err != nil || holdsError(text) {
		p.r.tb.Fatalf("the stream ended with %q, %v", text, err)
	}
}
