package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// ending is one way in which a call comes to its end.
type ending struct {
	name   string
	script func(k kind) gatewaytest.Script
	caller func(r *rig, k kind, key string) // nil: it reads the answer
}

func endings() []ending {
	says := func(s gatewaytest.Script) func(kind) gatewaytest.Script {
		return func(kind) gatewaytest.Script { return s }
	}
	all := []ending{
		{"success", func(k kind) gatewaytest.Script { return k.says(5, 5) }, nil},
		{"reset before the head", says(gatewaytest.Reset()), nil},
		{"cut within the head", says(gatewaytest.Join(gatewaytest.Raw("HTTP/1.1 200 OK\r\nContent-Le"), gatewaytest.Close())), nil},
		{"no HTTP", says(gatewaytest.Join(gatewaytest.Raw("SSH-2.0-x\r\n"), gatewaytest.Close())), nil},
		{"upgrade", says(gatewaytest.Join(gatewaytest.Head(101, "Upgrade: x", "Connection: Upgrade"), gatewaytest.Close())), nil},
		{"early hints first", func(k kind) gatewaytest.Script {
			return gatewaytest.Join(gatewaytest.Raw("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"), k.says(5, 5))
		}, nil},
		{"short body", says(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/json", "Content-Length: 500"), gatewaytest.Raw(`{"a":`), gatewaytest.Close())), nil},
		{"empty body", says(gatewaytest.JSON(200, "")), nil},
		{"error object with status 200", says(gatewaytest.JSON(200, `{"error":{"message":"busy","code":503}}`)), nil},
		{"reset after the first event", func(k kind) gatewaytest.Script {
			return gatewaytest.Join(k.streaming().opening(), gatewaytest.Reset())
		}, nil},
		{"end without a terminal event", func(k kind) gatewaytest.Script {
			return gatewaytest.Join(k.streaming().opening(), gatewaytest.LastChunk())
		}, nil},
		{"error as the first event", func(k kind) gatewaytest.Script {
			s := k.streaming()
			return s.streams(s.failingFirst(`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`))
		}, nil},
		{"error after the first event", func(k kind) gatewaytest.Script {
			s := k.streaming()
			return s.streams(s.answer(5, 5)[0], s.failing(`{"error":{"message":"x"}}`))
		}, nil},
		{"half-closed by the caller", func(k kind) gatewaytest.Script { return k.says(5, 5) }, halfClose},
	}
	for _, status := range []int{302, 400, 401, 403, 404, 413, 429, 500, 503, 529} {
		all = append(all, ending{fmt.Sprint(status), says(gatewaytest.JSON(status, upstreamError)), nil})
	}
	return all
}

func halfClose(r *rig, k kind, key string) {
	c := gatewaytest.Dial(r.tb, r.addr)
	c.Send(k.request(key))
	c.CloseWrite()
	_, _ = c.Rest()
}

// Hosts without a key have no breaker, so that every call gets through.
func TestConcurrency_EveryEndingGivesEverySlotBack(t *testing.T) {
	inFlight := &store.Limits{Concurrency: int64p(1)}
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			r, up := newStand(t)
			r.policy(sliding(limiter.MeterConcurrency, 1, time.Minute))
			key := r.key("laptop", store.RelayKeySpec{Limits: inFlight})
			put(r, k.model, store.ModelSpec{Limits: inFlight})
			r.withoutKeys(hosts()...)
			for _, e := range endings() {
				for range 3 {
					up.Otherwise(e.script(k))
					if e.caller == nil {
						r.ask(k, key)
					} else {
						e.caller(r, k, key)
					}
					until(t, e.name+" is over", func() bool { return r.server.InFlight() == 0 })
					r.mustBeIdle(e.name)
				}
				up.Otherwise(k.says(5, 5))
				r.want(r.ask(k, key), 200, "")
			}
		})
	}
}

// withoutKeys makes the hosts ask for no key and gives each a tier policy that
// allows one request in flight.
func (r *rig) withoutKeys(hosts ...string) {
	r.tb.Helper()
	tier := put(r, "tier-rl", store.RateLimitSpec{Rules: []limiter.Rule{sliding(limiter.MeterConcurrency, 1, time.Minute)}})
	for _, name := range hosts {
		spec := r.db.Catalog().Hosts.ByName(name).Spec
		spec.Auth = "none"
		put(r, name, spec)
		put(r, "tier-"+name, store.PolicySpec{RateLimitID: tier.Metadata.ID})
		r.giveTo(name, "tier-"+name)
		spec.DefaultTierPolicyID = r.record(store.KindPolicy, "tier-"+name)
		put(r, name, spec)
	}
}

// frail is a ResponseWriter that panics once the request is under way.
type frail struct {
	http.ResponseWriter
	headers int // calls of Header that still succeed
	writes  int // calls of Write that still succeed
}

func (f *frail) Unwrap() http.ResponseWriter { return f.ResponseWriter }

func (f *frail) Header() http.Header {
	if f.headers--; f.headers == -1 {
		panic("the headers broke")
	}
	return f.ResponseWriter.Header()
}

func (f *frail) Write(b []byte) (int, error) {
	if f.writes--; f.writes == -1 {
		panic("the writer broke")
	}
	return f.ResponseWriter.Write(b)
}

func TestConcurrency_APanicGivesEverySlotBack(t *testing.T) {
	for _, k := range kinds() {
		for name, broken := range map[string]frail{
			"before the answer": {headers: 1, writes: 1 << 20}, "within the answer": {headers: 1 << 20, writes: 0},
		} {
			t.Run(k.name+" "+name, func(t *testing.T) {
				r, up := newStand(t)
				up.Otherwise(k.says(5, 5))
				r.policy(sliding(limiter.MeterConcurrency, 1, time.Minute))
				key := r.key("laptop", store.RelayKeySpec{})
				r.withoutKeys(hosts()...)
				front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					weak := broken
					weak.ResponseWriter = w
					r.server.ServeHTTP(&weak, req)
				}))
				defer front.Close()
				for range 5 {
					c := gatewaytest.Dial(t, strings.TrimPrefix(front.URL, "http://"))
					c.Send(k.request(key, "Connection: close"))
					if text, _ := c.Rest(); strings.Contains(text, "hel") || strings.Contains(text, "0.5") {
						t.Errorf("the caller got %q", text)
					}
					until(t, "the panic is over", func() bool { return r.server.InFlight() == 0 })
					r.mustBeIdle(name)
				}
				r.want(r.ask(k, key), 200, "")
				if n := len(r.events(6)); n != 6 {
					t.Errorf("%d events, want 6", n)
				}
			})
		}
	}
}
