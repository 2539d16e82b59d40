package cmd_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"relay/gateway/echo"
)

// upstreamPause is how long an answer takes at the least, so that requests are
// in flight at any moment.
const upstreamPause = 30 * time.Millisecond

// crashUpstream answers as echo does, and keeps when each request came.
type crashUpstream struct {
	url string

	mu       sync.Mutex
	arrivals map[string][]time.Time // by the member user
}

func newCrashUpstream(t *testing.T) *crashUpstream {
	u := &crashUpstream{arrivals: map[string][]time.Time{}}
	inner := echo.Handler(echo.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.arrive(r)
		pause := time.NewTimer(upstreamPause)
		defer pause.Stop()
		select {
		case <-pause.C:
			inner.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	u.url = server.URL + "/v1"
	return u
}

// arrive notes the request and leaves its body to be read again.
func (u *crashUpstream) arrive(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var sent struct{ User string }
	_ = json.Unmarshal(body, &sent)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.arrivals[sent.User] = append(u.arrivals[sent.User], time.Now())
}

// of returns when the requests of a user came, in order.
func (u *crashUpstream) of(user string) []time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := slices.Clone(u.arrivals[user])
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// mostWithin returns the largest number of times that lie in one window.
func mostWithin(times []time.Time, window time.Duration) (most int) {
	first := 0
	for last, at := range times {
		for at.Sub(times[first]) >= window {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}
