package gateway

import (
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// vigil keeps a streamed answer alive while its upstream is silent. It sends
// the status line and then keep-alives to the caller, and cuts off an upstream
// that is silent for too long. One timer does all of it and is set anew only
// when it has rung: an event costs it nothing.
//
// Whoever holds mu has the floor: the right to write to the caller and to use
// the exchange's members. That is the exchange's own goroutine, save while it
// waits for the upstream; only then may the timer's write. So a keep-alive
// never stands within what the other is writing.
type vigil struct {
	x     *exchange
	mu    sync.Mutex
	timer *time.Timer

	on    bool          // an upstream is being waited for
	a     *attempt      // on which the answer has come; nil before
	spoke bool          // the answer's first byte has come
	idle  time.Duration // silence of the upstream after which it is cut off; 0: none
	heard time.Time     // since when the upstream has been listened to in vain
	told  time.Time     // since when the caller has heard nothing
}

// watch begins the vigil of one attempt. The caller of watch has the floor.
func (x *exchange) watch(a *attempt) {
	if !x.streams() {
		return
	}
	if x.vigil == nil {
		x.vigil = &vigil{x: x}
	}
	v := x.vigil
	v.mu.Lock()
	v.on, v.a, v.spoke, v.idle, v.told = true, nil, false, 0, a.start
	x.splitter.Reset()
	x.held = x.held[:0]
	v.arm(a.start)
}

// answered tells that the attempt's answer has begun.
func (v *vigil) answered(a *attempt, idle time.Duration) {
	now := time.Now()
	v.a, v.idle, v.heard = a, idle, now
	v.arm(now)
}

// end is the end of the vigil; once more does nothing.
func (v *vigil) end() {
	if v == nil || !v.on {
		return
	}
	v.on, v.a = false, nil
	if v.timer != nil {
		v.timer.Stop()
	}
	v.mu.Unlock()
}

// leave gives up the floor before a wait for the upstream; back takes it again.
func (v *vigil) leave(now time.Time) {
	if v != nil && v.on {
		v.heard = now
		v.mu.Unlock()
	}
}

// back waits until the timer's goroutine, if it has the floor, has written.
// on changes under the floor of this goroutine alone, so it may be looked at.
func (v *vigil) back() {
	if v != nil && v.on {
		v.mu.Lock()
	}
}

// arm sets the timer to the next moment at which something may be due.
func (v *vigil) arm(now time.Time) {
	due, any := v.due(now)
	switch {
	case !any:
	case v.timer == nil:
		v.timer = time.AfterFunc(due, v.ring)
	default:
		v.timer.Reset(due)
	}
}

func (v *vigil) due(now time.Time) (wait time.Duration, any bool) {
	if silence := v.x.s.opt.StreamKeepAlive; silence > 0 {
		wait, any = v.told.Add(silence).Sub(now), true
	}
	if v.idle > 0 {
		if cut := v.heard.Add(v.idle).Sub(now); !any || cut < wait {
			wait, any = cut, true
		}
	}
	return max(wait, 0), any
}

// ring runs on a goroutine of the timer. A ring that comes late, when the
// exchange serves another request, does what is due for that one.
func (v *vigil) ring() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.on {
		return
	}
	defer v.survive()
	now := time.Now()
	if v.idle > 0 && now.Sub(v.heard) >= v.idle {
		v.a.cancel(errIdle)
		return
	}
	if silence := v.x.s.opt.StreamKeepAlive; silence > 0 && now.Sub(v.told) >= silence {
		v.told = now
		v.x.keepAlive()
	}
	v.arm(now)
}

// survive turns a panic of the writer into a caller that has gone: the
// goroutine is nobody's, so the panic would end the process.
func (v *vigil) survive() {
	p := recover()
	if p == nil {
		return
	}
	x := v.x
	x.s.opt.Log.Error().Str("request_id", x.id).Interface("panic", p).Bytes("stack", debug.Stack()).Msg("keep-alive panicked")
	x.callerGone = true
	if v.a != nil {
		v.a.cancel(errCallerGone)
	}
}

// keepAlive fills a silence. Comments of the upstream that have been held back
// serve as well as words of Relay's own.
func (x *exchange) keepAlive() {
	if x.gone() || x.splitter.MidEvent() {
		return
	}
	if !x.began {
		if x.codec.StreamType() == "" {
			return
		}
		x.startStream()
		if len(x.held) > 0 {
			return
		}
	}
	x.ahead = !x.vigil.spoke
	x.send([]byte(x.lineEnds(x.codec.KeepAlive())))
}

// lineEnds returns text with the line ends of the caller's stream.
func (x *exchange) lineEnds(text string) string {
	if x.translated() {
		return text
	}
	return x.splitter.LineEnds(text)
}

// upstreamHeader is that of the answer that is being passed on; none before it
// has come.
func (x *exchange) upstreamHeader() http.Header {
	if v := x.vigil; v != nil && v.a != nil {
		return v.a.resp.Header
	}
	return nil
}
