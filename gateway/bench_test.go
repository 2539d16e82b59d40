package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// discard is a caller that reads nothing.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) Flush()                      {}

// BenchmarkRequest is a whole request through the handler with everything on:
// credential, ladder, 3 limits of 2 rules, a real upstream on loopback, usage
// with cost into a real database.
func BenchmarkRequest(b *testing.B) {
	for name, body := range map[string]string{"whole": chatBody, "stream": streamBody} {
		b.Run(name, func(b *testing.B) {
			r := newRig(b)
			up := httptest.NewServer(upstreamOf(name))
			b.Cleanup(up.Close)
			r.host("up", gatewaytest.New(b), 1)
			spec := r.db.Catalog().Hosts.ByName("up").Spec
			spec.BaseURL = up.URL + "/v1"
			put(r, "up", spec)
			caps := &store.Limits{RPM: int64p(limiter.MaxAmount), TPM: int64p(limiter.MaxAmount)}
			key := r.key("laptop", store.RelayKeySpec{Limits: caps})
			org := r.db.Catalog().Organizations.ByName("acme")
			put(r, "acme", store.OrganizationSpec{Limits: caps})
			put(r, "research", store.TeamSpec{OrganizationID: org.Metadata.ID, Limits: caps})
			body := strings.Replace(body, "hi", strings.Repeat("word ", 400), 1)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				req, _ := http.NewRequest(http.MethodPost, "/v1/chat/completions", io.NopCloser(strings.NewReader(body)))
				req.Header.Set("Authorization", "Bearer "+key)
				req.RemoteAddr = "127.0.0.1:1"
				req.ContentLength = int64(len(body))
				r.server.ServeHTTP(&discard{header: http.Header{}}, req)
			}
		})
	}
}

func upstreamOf(kind string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if kind == "whole" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answerBody)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for range 50 {
			_, _ = io.WriteString(w, deltaEvent)
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, finishEvent+usageEvent+doneEvent)
	})
}
