package hub_test

import (
	"bytes"
	"cmp"
	"errors"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// requests translates the request of every caller for every host of another shape.
func (c *conversation) requests(t *testing.T) {
	pairs(func(caller, host shape) {
		body, found := c.written[caller.Shape()+".request.json"]
		if !found {
			return
		}
		up, told, err := c.translated(t, caller, host, body)
		if len(told) > 0 {
			c.noted("dropped", caller.Shape(), host.Shape(), strings.Join(told, ", "))
		}
		if err != nil {
			c.noted("refused", caller.Shape(), host.Shape(), err.Code+" "+err.Param+": "+err.Message)
			return
		}
		c.got("request.json", host.Shape(), caller.Shape(), pretty(up))
	})
}

// translated is the body that goes up for a caller's.
func (c *conversation) translated(t *testing.T, caller, host shape, body string) (up []byte, told []string, refusal *wire.Error) {
	t.Helper()
	r, err := c.decoded(t, caller, body)
	if err != nil {
		return nil, nil, err
	}
	told, failed := r.Check(host.Shape(), host.up.Fates())
	if failed == nil {
		var left hub.Left
		to := c.target(host, r)
		to.Left = &left
		up, failed = host.up.Encode(nil, r, to)
		told = left.After(told)
	}
	if failed != nil {
		if !errors.As(failed, &refusal) || refusal.Status != 400 || refusal.Message == "" {
			t.Fatalf("%s > %s: a refusal is %#v", caller.Shape(), host.Shape(), failed)
		}
		return nil, told, refusal
	}
	c.checkBody(t, caller, host, r, up)
	return up, told, nil
}

func (c *conversation) decoded(t *testing.T, caller shape, body string) (*hub.Request, *wire.Error) {
	t.Helper()
	var m wire.Members
	if err := wire.Scan([]byte(body), &m); err != nil {
		t.Fatalf("%s: %v", caller.Shape(), err)
	}
	r := &hub.Request{}
	if err := caller.Decode([]byte(body), r); err != nil {
		var refusal *wire.Error
		if !errors.As(err, &refusal) {
			t.Fatalf("%s: a refusal is %#v", caller.Shape(), err)
		}
		return nil, refusal
	}
	r.Streamed = m.Streamed || c.setting("streamed") == "yes"
	return r, nil
}

func (c *conversation) target(host shape, r *hub.Request) hub.Target {
	return hub.Target{Model: cmp.Or(c.setting("model"), replyModel), Provider: host.provider, Streamed: r.Streamed, MaxOutput: c.number("max-output")}
}

// checkBody holds a body against what is true of all: it may go up, its tools and
// schemas are as the caller wrote them, and it is the same each time.
func (c *conversation) checkBody(t *testing.T, caller, host shape, r *hub.Request, up []byte) {
	t.Helper()
	var m wire.Members
	if err := wire.Scan(up, &m); err != nil {
		t.Errorf("%s > %s: %v\n%s", caller.Shape(), host.Shape(), err, up)
	}
	schemas := [][]byte{r.Format.Schema}
	for i := range r.Tools {
		if r.Choice.Mode != hub.ChoiceNone { // which leaves them out where it cannot be told
			schemas = append(schemas, r.Tools[i].Parameters)
		}
	}
	for _, schema := range schemas {
		if !bytes.Contains(up, schema) {
			t.Errorf("%s > %s: a schema is not as it was written:\n%s\n%s", caller.Shape(), host.Shape(), schema, up)
		}
	}
	for range 50 {
		again, err := host.up.Encode(nil, r, c.target(host, r))
		if err != nil || !bytes.Equal(again, up) {
			t.Fatalf("%s > %s: the same request goes up as\n%s\nand as\n%s", caller.Shape(), host.Shape(), up, again)
		}
	}
}
