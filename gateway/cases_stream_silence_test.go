package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// Whole answers are not begun before they are there, so another key may still
// be tried. A stream, silent as long, tells that the time had come.
func TestKeepAlive_IsNothingForWholeAnswers(t *testing.T) {
	for _, k := range kinds() {
		if k.streamed {
			continue
		}
		for _, more := range []string{"", `"stream":true,`} {
			if more != "" && k.path != "/v1/embeddings" && !k.namesInPath() {
				continue // what asks by its path is whole, whatever its body says
			}
			r, up := newStand(t, impatient(2*time.Millisecond))
			r.second(hosts()...)
			clock, wait := make(chan struct{}), make(chan struct{})
			ticks := streamKinds()[0]
			up.Play(gatewaytest.Join(gatewaytest.Wait(wait), gatewaytest.JSON(503, upstreamError)))
			key := r.key("laptop", store.RelayKeySpec{})
			c := gatewaytest.Dial(t, r.addr)
			asking := k
			asking.asks += more
			c.Send(asking.request(key))
			up.Request(0)
			up.Play(gatewaytest.Join(ticks.opening(), gatewaytest.Wait(clock), ticks.closing()), k.says(7, 3))
			_, ticking := r.stream(ticks, key)
			r.hearsAlive(ticking, ticks, 10)
			close(wait)
			if a := c.Answer(); a.Status != 200 || a.Body != k.answer(7, 3)[0] || a.Header.Get("X-Relay-Attempts") != "2" {
				t.Errorf("%s: got %d %q", k.name, a.Status, a.Body)
			}
			close(clock)
			if _, err := readAll(ticking.Body); err != nil {
				t.Error(err)
			}
		}
	}
}

// Events come in pieces at any moment and silences are filled at any moment:
// neither takes a byte from the other.
func TestKeepAlive_MixesWithEventsAtAnyMoment(t *testing.T) {
	for _, k := range streamKinds() {
		r, up := newStand(t, impatient(time.Millisecond))
		chaos := gatewaytest.NewChaos(t, up.Addr())
		chaos.Set(gatewaytest.Weather{Piece: 23, Delay: 700 * time.Microsecond})
		r.moveHosts(chaos.URL())
		up.Otherwise(k.says(7, 3))
		key := r.key("laptop", store.RelayKeySpec{})
		alive := 0
		for range 20 {
			a := r.ask(k, key)
			alive += k.filled(a.Body)
			if got := k.unfilled(a.Body); got != k.sent() || a.Err != nil {
				t.Fatalf("%s: got %q, %v", k.name, a.Body, a.Err)
			}
		}
		if alive == 0 && k.alive != "" {
			t.Errorf("%s: no silence was filled", k.name)
		}
	}
}

// The writer of a keep-alive that panics must not end the process.
func TestKeepAlive_OutlivesAWriterThatPanics(t *testing.T) {
	for _, k := range streamKinds() {
		for name, broken := range map[string]frail{
			"at its head": {headers: 1, writes: 1 << 20}, "at its first word": {headers: 1 << 20, writes: 0}, "at its second": {headers: 1 << 20, writes: 1},
		} {
			if !k.begins || k.alive == "" && broken.writes < 1<<20 {
				continue // nobody writes
			}
			t.Run(k.name+" "+name, func(t *testing.T) {
				r, up := newStand(t, impatient(5*time.Millisecond))
				up.Otherwise(gatewaytest.Join(k.head(), gatewaytest.Hang()))
				key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
				front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					weak := broken
					weak.ResponseWriter = w
					r.server.ServeHTTP(&weak, req)
				}))
				defer front.Close()
				c := gatewaytest.Dial(t, strings.TrimPrefix(front.URL, "http://"))
				c.Send(k.request(key, "Connection: close"))
				c.Rest()
				until(t, "the request is over", func() bool { return r.server.InFlight() == 0 })
				r.mustBeIdle("a panic")
				<-up.Request(0).Gone()
				up.Otherwise(k.says(7, 3))
				r.want(r.ask(k, key), 200, "")
			})
		}
	}
}

// Where the shape has nothing to fill silences with, they stay silent; another
// stream, silent as long, tells that the time had come. The head goes out all the
// same where the stream may begin without an event.
func TestKeepAlive_IsNothingWhereTheShapeHasNothing(t *testing.T) {
	for _, k := range streamKinds() {
		if k.alive != "" {
			continue
		}
		r, up := newStand(t, impatient(2*time.Millisecond))
		key, ticks := r.key("laptop", store.RelayKeySpec{}), talkingKinds()[0]
		pass := func() {
			t.Helper()
			end := make(chan struct{})
			up.Play(gatewaytest.Join(ticks.opening(), gatewaytest.Wait(end), ticks.closing()))
			_, ticking := r.stream(ticks, key)
			r.hearsAlive(ticking, ticks, 10)
			close(end)
			if _, err := readAll(ticking.Body); err != nil {
				t.Error(err)
			}
		}
		first, second := make(chan struct{}), make(chan struct{})
		up.Play(gatewaytest.Join(gatewaytest.Wait(first), k.opening(), gatewaytest.Wait(second), k.closing()))
		c := gatewaytest.Dial(t, r.addr)
		c.Send(k.request(key))
		up.Request(0)
		pass()
		if !k.begins {
			close(first)
		}
		answer := c.Response()
		if k.begins {
			close(first)
		}
		heard := r.hears(answer, k.ends, 1)
		pass()
		close(second)
		if rest, err := readAll(answer.Body); heard+rest != k.sent() || err != nil || answer.Header.Get("Content-Type") != k.contentType {
			t.Errorf("%s: got %q, %v, %v", k.name, heard+rest, err, answer.Header)
		}
	}
}

// A stream that cannot begin without an event keeps the failover for as long.
func TestKeepAlive_OfAStreamThatCannotBeginLeavesTheNextKeyItsTurn(t *testing.T) {
	for _, k := range streamKinds() {
		if k.begins {
			continue
		}
		for name, late := range map[string]gatewaytest.Script{
			"reset": gatewaytest.Reset(), "401": gatewaytest.JSON(401, upstreamError), "503": gatewaytest.JSON(503, upstreamError), "error": k.streams(k.first(upstreamError)),
			"fillers": gatewaytest.Join(k.head(), gatewaytest.Chunk(k.filler), gatewaytest.Reset()),
		} {
			r, up := newStand(t, impatient(2*time.Millisecond))
			r.second(hosts()...)
			key, ticks := r.key("laptop", store.RelayKeySpec{}), talkingKinds()[0]
			wait, end := make(chan struct{}), make(chan struct{})
			up.Play(gatewaytest.Join(gatewaytest.Wait(wait), late))
			c := gatewaytest.Dial(t, r.addr)
			c.Send(k.request(key))
			up.Request(0)
			up.Play(gatewaytest.Join(ticks.opening(), gatewaytest.Wait(end), ticks.closing()), k.says(7, 3))
			_, ticking := r.stream(ticks, key)
			r.hearsAlive(ticking, ticks, 10)
			close(wait)
			if a := c.Answer(); a.Status != 200 || a.Body != k.sent() || a.Header.Get("X-Relay-Attempts") != "2" {
				t.Errorf("%s, %s: got %d %q", k.name, name, a.Status, a.Body)
			}
			close(end)
			if _, err := readAll(ticking.Body); err != nil {
				t.Error(err)
			}
		}
	}
}
