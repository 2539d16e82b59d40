package gateway_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// What one attempt has decided about the caller's stream holds for that attempt alone:
// an answer in the other framing of Gemini's, and members that were left out.
func TestTranslatedTurn_LeavesNothingToTheNext(t *testing.T) {
	log := &journal{}
	r, up := newTongues(t, func(o *gateway.Options) { o.Log = zerolog.New(log) })
	r.others()
	key := r.key("k", store.RelayKeySpec{})
	array := kindsNamed("gemini array")[0].of("to-gemini")
	up.Play(gatewaytest.Stream(gatewaytest.Data(`{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}`)), kindsNamed("chat stream")[0].says(7, 3))
	a := r.ask(array, key)
	if a.Header.Get("X-Relay-Attempts") != "2" {
		t.Errorf("got %v %s", a.Header, a.Body)
	}
	array.mustHear(t, "after events", a, "hel")
	if got := a.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("an array is %s", got)
	}
	up.Play(gatewaytest.Stream(gatewaytest.Data(`{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}`)), gatewaytest.Join(kindsNamed("chat stream")[0].opening(), gatewaytest.Reset()))
	r.unbench()
	if a = r.ask(array, key); !json.Valid([]byte(a.Body)) || !holdsError(a.Body) {
		t.Errorf("an array that breaks off is %s", a.Body)
	}
	r.unbench()
	up.Play(gatewaytest.JSON(503, upstreamError), kindsNamed("chat whole")[0].says(7, 3))
	a = r.call(key, `{"model":"to-anthropic","seed":7,`+chatHi+`}`)
	if got := a.Header.Get("X-Relay-Dropped-Params"); a.Status != 200 || got != "" || !strings.Contains(lastBody(up).Raw, `"seed":7`) || strings.Contains(log.String(), `"dropped"`) {
		t.Errorf("got %d, dropped %q, logged %s", a.Status, got, log.String())
	}
}

// A caller with one call in flight, one after the other, is never refused.
func TestTranslatedTurn_ASequentialCallerOfStreamsIsNeverRefused(t *testing.T) {
	r, up := newTongues(t)
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	all := streamPairs()
	before := 0
	for i, p := range append(all, all...) {
		up.Otherwise(p.upstream.says(7, 3))
		c := gatewaytest.Dial(t, r.addr)
		for range 300 / len(all) {
			c.Send(p.asks().request(key))
			if a := c.Answer(); a.Status != 200 || holdsError(a.Body) || !strings.Contains(a.Body, "hel") {
				t.Fatalf("%s: %d %s", p.name(), a.Status, a.Body)
			}
		}
		c.Close()
		if i == len(all) {
			until(t, "the call is over", func() bool { return r.server.InFlight() == 0 })
			before = runtime.NumGoroutine()
		}
	}
	r.mustBeIdle("all")
	until(t, "the goroutines are back", func() bool { return runtime.NumGoroutine() <= before+4 })
}

// A host that says its key back shows it to no caller, of whatever shape.
func TestTranslatedTurn_ShowsNoKeyThatAHostEchoes(t *testing.T) {
	log := &journal{}
	r, up := newTongues(t, func(o *gateway.Options) { o.Log = zerolog.New(log).Level(zerolog.TraceLevel) })
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"openai", "openai-responses", "anthropic", "gemini", "ollama"} {
		put(r, host+"-1", store.HostKeySpec{HostID: r.record(store.KindHost, host), Source: store.KeySource{Kind: "file", Path: path}})
	}
	key := r.key("k", store.RelayKeySpec{})
	calls := 0
	for form, said := range forms(canary) {
		for i, p := range pairs() {
			if i%3 != len(form)%3 {
				continue // the text passes one function, whoever is told
			}
			for name, script := range echoes(p.upstream, said) {
				if strings.Contains(name, "later event") && !p.caller.streamed || form == "clear" && p.upstream.isNameless(name) {
					continue
				}
				up.Otherwise(script)
				a := r.ask(p.asks(), key)
				calls++
				findSecret(t, fmt.Sprint(p.name(), ", ", name, ", ", form), a.Body+fmt.Sprint(a.Header), canary)
				if !holdsError(p.caller.lastEvent(a.Body)) {
					t.Errorf("%s, %s, %s: got %d %s", p.name(), name, form, a.Status, a.Body)
				}
				r.unbench()
			}
		}
	}
	page, _, err := r.db.Events(store.EventQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	mustHaveOwnErrorKinds(t, page)
	findSecret(t, "the log", log.String(), canary)
	if n := len(up.Requests()); n != calls {
		t.Errorf("%d calls, %d requests", calls, n)
	}
}
