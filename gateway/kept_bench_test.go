package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// BenchmarkRestart is callers who send whole requests one after the other, with
// a limit of two rules and a budget, into a real database: without and with
// limits.restart never-over. It reports requests a second and what half and 99
// in 100 of the requests took at most, in microseconds.
func BenchmarkRestart(b *testing.B) {
	for _, c := range []struct {
		name    string
		callers int
		change  func(*gateway.Options)
	}{
		{"normal/1", 1, func(*gateway.Options) {}}, {"never-over/1", 1, neverOver(time.Minute)},
		{"normal/64", 64, func(*gateway.Options) {}}, {"never-over/64", 64, neverOver(time.Minute)},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := newUnrecordedRig(b, c.change)
			r.startUsage()
			up := httptest.NewServer(upstreamOf("whole"))
			b.Cleanup(up.Close)
			r.host("up", gatewaytest.New(b), 1)
			spec := r.db.Catalog().Hosts.ByName("up").Spec
			spec.BaseURL = up.URL + "/v1"
			put(r, "up", spec)
			key := r.key("laptop", store.RelayKeySpec{
				Limits:  &store.Limits{RPM: int64p(limiter.MaxAmount), TPM: int64p(limiter.MaxAmount)},
				Budgets: []store.Budget{{Amount: "1000000", Period: "total"}},
			})
			took := make([]time.Duration, b.N)
			b.ResetTimer()
			r.callers(c.callers, key, took)
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
		})
	}
}

// callers makes as many requests as there is room for their times.
func (r *rig) callers(n int, key string, took []time.Duration) {
	var next atomic.Int64
	var callers sync.WaitGroup
	for range n {
		callers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(took) {
					return
				}
				req, _ := http.NewRequest(http.MethodPost, "/v1/chat/completions", io.NopCloser(strings.NewReader(chatBody)))
				req.Header.Set("Authorization", "Bearer "+key)
				req.RemoteAddr = "127.0.0.1:1"
				req.ContentLength = int64(len(chatBody))
				began := time.Now()
				r.server.ServeHTTP(&discard{header: http.Header{}}, req)
				took[i] = time.Since(began)
			}
		})
	}
	callers.Wait()
}
