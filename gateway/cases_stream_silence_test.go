package gateway_test

import (
	"fmt"
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
			if more != "" && k.path != "/v1/embeddings" {
				continue // embeddings are whole, whatever was asked for
			}
			r, up := newStand(t, impatient(2*time.Millisecond))
			r.second("up", "anthropic")
			clock, wait := make(chan struct{}), make(chan struct{})
			ticks := streamKinds()[0]
			up.Play(gatewaytest.Join(gatewaytest.Wait(wait), gatewaytest.JSON(503, upstreamError)))
			key := r.key("laptop", store.RelayKeySpec{})
			c := gatewaytest.Dial(t, r.addr)
			body := "{" + more + k.body + "}"
			c.Send(strings.Replace(request(key, body), "/v1/chat/completions", k.path, 1))
			up.Request(0)
			up.Play(gatewaytest.Join(ticks.opening(), gatewaytest.Wait(clock), ticks.closing()), k.says(7, 3))
			_, ticking := r.stream(ticks, key)
			r.hears(ticking, ticks.keepAlive(), 10)
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
		for _, host := range []string{"up", "anthropic"} {
			spec := r.db.Catalog().Hosts.ByName(host).Spec
			spec.BaseURL = chaos.URL() + "/v1"
			put(r, host, spec)
		}
		up.Otherwise(k.says(7, 3))
		key := r.key("laptop", store.RelayKeySpec{})
		alive := 0
		for range 20 {
			a := r.ask(k, key)
			alive += strings.Count(a.Body, k.keepAlive())
			if got := strings.ReplaceAll(a.Body, k.keepAlive(), ""); got != k.sent() || a.Err != nil {
				t.Fatalf("%s: got %q, %v", k.name, a.Body, a.Err)
			}
		}
		if alive == 0 {
			t.Errorf("%s: no silence was filled", k.name)
		}
	}
}

// The writer of a keep-alive that panics must not end the process.
func TestKeepAlive_OutlivesAWriterThatPanics(t *testing.T) {
	for _, k := range streamKinds() {
		for _, writes := range []int{0, 1} {
			t.Run(fmt.Sprint(k.name, writes), func(t *testing.T) {
				r, up := newStand(t, impatient(5*time.Millisecond))
				up.Otherwise(gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Hang()))
				key := r.key("laptop", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
				front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					r.server.ServeHTTP(&frail{w, 1 << 20, writes}, req)
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
