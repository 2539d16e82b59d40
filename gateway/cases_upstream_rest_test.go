package gateway_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/store"
)

// keyState is what is known of the key with the name.
func (r *rig) keyState(name string) plan.KeyState {
	r.tb.Helper()
	return r.server.KeyStates()[r.record(store.KindHostKey, name)]
}

// reset forgets what is known of the key.
func (r *rig) reset(names ...string) {
	r.tb.Helper()
	for _, name := range names {
		r.server.ResetKey(r.record(store.KindHostKey, name))
	}
}

// refusal is an answer with header lines of its own.
func refusal(status int, lines ...string) gatewaytest.Script {
	lines = append(lines, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(upstreamError)))
	return gatewaytest.Join(gatewaytest.Head(status, lines...), gatewaytest.Raw(upstreamError))
}

func TestRest_IsAsLongAsTheUpstreamAsks(t *testing.T) {
	r, up := newStand(t)
	key := r.key("laptop", store.RelayKeySpec{})
	for _, c := range []struct {
		lines []string
		rests time.Duration
		about time.Duration // how far off it may be
	}{
		{nil, 2 * time.Second, 0},
		{[]string{"Retry-After: 7"}, 7 * time.Second, 0},
		{[]string{"Retry-After: 3.5"}, 3500 * time.Millisecond, 0},
		{[]string{"Retry-After: 1.5"}, 1500 * time.Millisecond, 0},
		{[]string{"Retry-After: 0"}, 250 * time.Millisecond, 0},
		{[]string{"Retry-After: "}, 2 * time.Second, 0},
		{[]string{"Retry-After: abc"}, 2 * time.Second, 0},
		{[]string{"Retry-After: NaN"}, 2 * time.Second, 0},
		{[]string{"Retry-After: Inf"}, 2 * time.Second, 0},
		{[]string{"Retry-After: 0x10"}, 2 * time.Second, 0},
		{[]string{"Retry-After: 1e3"}, 2 * time.Second, 0},
		{[]string{"Retry-After: -5"}, 2 * time.Second, 0},
		{[]string{"Retry-After: 99999999"}, time.Hour, 0},
		{[]string{"Retry-After: 1000000000000"}, time.Hour, 0},
		{[]string{"Retry-After: 999999999999999999999999999999"}, time.Hour, 0},
		{[]string{"Retry-After: in 30s"}, 30 * time.Second, 2 * time.Second},
		{[]string{"Retry-After: in -1h"}, 250 * time.Millisecond, 0},
		{[]string{"Retry-After: in 240h"}, time.Hour, 0},
		{[]string{"Retry-After: Mon, 99 Foo 2026"}, 2 * time.Second, 0},
		{[]string{"Retry-After-Ms: 250"}, 250 * time.Millisecond, 0},
		{[]string{"Retry-After-Ms: 10"}, 250 * time.Millisecond, 0},
		{[]string{"Retry-After-Ms: 6500", "Retry-After: 7"}, 6500 * time.Millisecond, 0},
		{[]string{"Retry-After-Ms: soon", "Retry-After: 7"}, 7 * time.Second, 0},
		{[]string{"Retry-After-Ms: -1", "Retry-After: 7"}, 7 * time.Second, 0},
		{[]string{"Retry-After: 7", "Retry-After: 9"}, 7 * time.Second, 0},
		{[]string{"x-ratelimit-reset-requests: 60s", "anthropic-ratelimit-requests-reset: 2030-01-01T00:00:00Z"}, 2 * time.Second, 0},
	} {
		for _, status := range []int{429, 503, 529} {
			r.reset("up-1", "anthropic-1")
			for _, k := range kinds()[1:3] {
				up.Play(refusal(status, dated(c.lines)...))
				r.ask(k, key)
				state := r.keyState(k.keyOf())
				rests := state.Until.Sub(noon)
				if status != 429 && c.rests == 2*time.Second {
					if state.State != "closed" { // nothing was asked for: a server error
						t.Errorf("%d %q: the key is %+v", status, c.lines, state)
					}
					continue
				}
				if state.State != "resting" || rests > c.rests+c.about || rests < c.rests-c.about || len(state.Models) != 1 {
					t.Errorf("%d %q: the key is %+v, resting for %v; want %v", status, c.lines, state, rests, c.rests)
				}
			}
		}
	}
}

// dated writes "in" and a duration as the date of that moment.
func dated(lines []string) []string {
	lines = slices.Clone(lines)
	for i, line := range lines {
		name, wait, found := strings.Cut(line, ": in ")
		if d, err := time.ParseDuration(wait); found && err == nil {
			lines[i] = name + ": " + time.Now().Add(d).UTC().Format(http.TimeFormat)
		}
	}
	return lines
}

func TestRest_OfGooglesDetailsIsRead(t *testing.T) {
	r, up := newStand(t)
	key := r.key("laptop", store.RelayKeySpec{})
	body := `[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"13s"}]}}]`
	up.Play(gatewaytest.JSON(429, body))
	a := r.call(key, chatBody)
	if a.Status != 429 || a.Body != body || a.Header.Get("Retry-After") != "13" {
		t.Errorf("got %d %s, Retry-After %q", a.Status, a.Body, a.Header.Get("Retry-After"))
	}
	if got := r.keyState("up-1").Until.Sub(noon); got != 13*time.Second {
		t.Errorf("the key rests for %v", got)
	}
	up.Play(gatewaytest.JSON(200, `{"error":{"code":429,"message":"m","details":[{"retryDelay":"20s"}]}}`))
	r.reset("up-1")
	if a := r.call(key, chatBody); a.Status != 429 || a.Header.Get("Retry-After") != "20" {
		t.Errorf("got %d %s, Retry-After %q", a.Status, a.Body, a.Header.Get("Retry-After"))
	}
}

// A key rests for the model that was asked for, and for no other.
func TestRest_IsForOneModel(t *testing.T) {
	r, up := newStand(t)
	r.also("small", "up")
	key := r.key("laptop", store.RelayKeySpec{})
	up.Play(refusal(429))
	up.Otherwise(answer)
	small := `{"model":"small","messages":[]}`
	r.want(r.call(key, chatBody), 429, "said by upstream")
	r.want(r.call(key, chatBody), 503, "no_keys")
	r.want(r.call(key, small), 200, "hello")
	state := r.keyState("up-1")
	if !slices.Equal(state.Models, []string{r.record(store.KindModel, "chat")}) {
		t.Errorf("the key is %+v", state)
	}
	r.advance(2 * time.Second)
	r.want(r.call(key, chatBody), 200, "hello")
}

// also binds another model to a host.
func (r *rig) also(model, host string) {
	r.tb.Helper()
	m := put(r, model, store.ModelSpec{})
	put(r, model+"-"+host, store.HostBindingSpec{ModelID: m.Metadata.ID, HostID: r.record(store.KindHost, host)})
}

// Money is the account's affair: the key rests for every model.
func TestRest_WithoutMoneyIsForEveryModel(t *testing.T) {
	for _, script := range []gatewaytest.Script{
		gatewaytest.JSON(429, `{"error":{"message":"m","code":"insufficient_quota"}}`),
		gatewaytest.JSON(429, `{"error":{"message":"check your plan and billing details","type":"x"}}`),
		gatewaytest.JSON(200, `{"error":{"message":"m","code":"insufficient_quota"}}`),
	} {
		r, up := newStand(t)
		r.also("small", "up")
		key := r.key("laptop", store.RelayKeySpec{})
		up.Play(script)
		up.Otherwise(answer)
		if a := r.call(key, chatBody); a.Status != 429 {
			t.Errorf("got %d %s", a.Status, a.Body)
		}
		if state := r.keyState("up-1"); state.State != "resting" || state.Until.Sub(noon) != 15*time.Minute || state.Models != nil {
			t.Errorf("the key is %+v", state)
		}
		r.want(r.call(key, `{"model":"small","messages":[]}`), 503, "no_keys")
		r.advance(15 * time.Minute)
		r.want(r.call(key, chatBody), 200, "hello")
	}
}

// Of two waits the longer one counts, whichever was asked for last.
func TestRest_IsNotShortenedByALaterAnswer(t *testing.T) {
	r, up := newStand(t)
	key := r.key("laptop", store.RelayKeySpec{})
	first, second := make(chan struct{}), make(chan struct{})
	up.Play(gatewaytest.Join(gatewaytest.Wait(first), refusal(429, "Retry-After: 60")), gatewaytest.Join(gatewaytest.Wait(second), refusal(429)))
	var calls []*gatewaytest.Client
	for i := range 2 {
		c := gatewaytest.Dial(t, r.addr)
		c.Send(request(key, chatBody))
		up.Request(i)
		calls = append(calls, c)
	}
	for i, release := range []chan struct{}{first, second} {
		close(release)
		if a := calls[i].Answer(); a.Status != 429 {
			t.Fatalf("got %d", a.Status)
		}
	}
	if got := r.keyState("up-1").Until.Sub(noon); got != time.Minute {
		t.Errorf("the key rests for %v, want the minute that was asked for", got)
	}
}
