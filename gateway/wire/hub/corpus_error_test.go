package hub_test

import (
	"testing"

	"relay/gateway/wire"
)

// errors brings the error answer of every host to every caller of another shape.
func (c *conversation) errors(t *testing.T) {
	pairs(func(caller, host shape) {
		body, found := c.written[host.Shape()+".host.error.json"]
		if !found {
			return
		}
		status := int(c.number("status"))
		failure := wire.AnswerFailure(status, []byte(body))
		told := failure.AsError()
		if got := caller.wire.Status(told); got != status {
			t.Errorf("%s < %s: status %d becomes %d", caller.Shape(), host.Shape(), status, got)
		}
		c.got("error.json", caller.Shape(), host.Shape(), pretty(caller.wire.AppendError(nil, told)))
	})
}
