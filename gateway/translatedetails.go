package gateway

import (
	"time"

	"relay/gateway/wire"
	"relay/store"
)

// shapeGenerate is the shape of callers of /v1/generate. No host speaks it.
const shapeGenerate store.Shape = "generate"

// tellDetails adds to an answer in the canonical shape what the caller asks to be
// told: what the call took.
func (x *exchange) tellDetails() {
	if x.call.shape != shapeGenerate {
		return
	}
	if asked := x.r.Header.Get("X-Relay-Usage"); asked != "full" && x.r.Header.Get("X-Wr-Usage") != "full" {
		return
	}
	x.price()
	x.translation.reply.Details = x.appendDetails(nil)
}

func (x *exchange) appendDetails(dst []byte) []byte {
	u := &x.tap.Usage
	dst = wire.AppendText(dst, `{"request_id":`, x.id)
	dst = wire.AppendNumber(dst, `,"tokens":{"input":`, u.Input)
	dst = wire.AppendNumber(dst, `,"cache_read":`, u.CacheRead)
	dst = wire.AppendNumber(dst, `,"cache_creation":`, u.CacheCreation)
	dst = wire.AppendNumber(dst, `,"output":`, u.Output)
	dst = wire.AppendNumber(dst, `,"reasoning":`, u.Reasoning)
	dst = append(dst, `},"cost_usd":`...)
	if x.cost != nil {
		dst = append(dst, usd(*x.cost)...)
	} else {
		dst = append(dst, "null"...)
	}
	dst = wire.AppendNumber(dst, `,"attempts":`, int64(x.attempts)+1)
	dst = wire.AppendText(dst, `,"host":`, x.key.Host.Name())
	took := time.Since(x.start)
	dst = wire.AppendNumber(dst, `,"timing_us":{"total":`, took.Microseconds())
	dst = wire.AppendNumber(dst, `,"upstream":`, x.waited.Microseconds())
	return append(dst, "}}"...)
}
