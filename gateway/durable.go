package gateway

import (
	"context"
	"time"

	"relay/gateway/wire"
	"relay/store"
)

// durable waits, where usage is strict, until the usage event is on disk, and
// returns nil once the last byte may go out. The error is what the caller gets
// in its place; the event is still written when the disk takes it.
func (x *exchange) durable() *wire.Error {
	ticket := x.recorded
	if ticket == (store.UsageTicket{}) {
		return nil
	}
	x.recorded = store.UsageTicket{}
	ctx, cancel := context.WithTimeout(x.r.Context(), x.s.opt.StrictUsage)
	defer cancel()
	before := time.Now()
	err := x.s.opt.DB.WaitUsage(ctx, ticket)
	switch {
	case err == nil:
		return nil
	case x.left():
		gone := *errCallerGone
		return &gone
	case x.stopping():
		return errStopping()
	}
	x.s.opt.Log.Error().Str("request_id", x.id).Dur("waited", time.Since(before)).Err(err).
		Msg("answer is cut: its usage event is not on disk")
	return wire.NewError(wire.CodeUsageUnavailable, "The usage of this answer cannot be recorded now, so the answer is cut (usage.durability: strict). Ask your gateway administrator to look at relay status.")
}

// withhold cuts a whole answer of which nothing has gone out. An SDK that sent
// the request again by itself would pay for it twice.
func (x *exchange) withhold(e *wire.Error) {
	x.w.Header()["X-Should-Retry"] = []string{"false"}
	x.fail(e)
}
