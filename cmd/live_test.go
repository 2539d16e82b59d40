package cmd_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"
)

// follow opens a live stream and returns its lines.
func (s *serving) follow(topics string) *bufio.Scanner {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, strings.TrimSuffix(s.control.url, "/")+"/api/live?topics="+topics, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.control.token)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("status %d", answer.StatusCode)
	}
	return bufio.NewScanner(answer.Body)
}

// until reads up to a line that holds all the texts.
func until(t *testing.T, lines *bufio.Scanner, texts ...string) {
	t.Helper()
	hasAll := func(line string) bool {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				return false
			}
		}
		return true
	}
	for lines.Scan() {
		if hasAll(lines.Text()) {
			return
		}
	}
	t.Fatalf("the stream ends before %q: %v", texts, lines.Err())
}

func TestServe_TellsWhoFollowsOfRequestsAndTheirLimits(t *testing.T) {
	s := connected(t, nil)
	key := s.done("", "key", "add", "alice", "--rpm", "100")
	lines := s.follow("usage,limits")
	lines.Scan() // it is open
	if answer, text := s.ask(key); answer.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", answer.StatusCode, text)
	}
	limits := s.follow("limits")
	until(t, lines, `"credential_name":"alice"`, `"endpoint":"chat"`)
	until(t, limits, `"owner":"key alice"`, `"meter":"requests"`, `"used":1`, `"amount":100`)
}

func TestServe_StopsAlthoughSomebodyFollows(t *testing.T) {
	s := startServing(t, dataDir(t), map[string]string{"RELAY_SHUTDOWN_TIMEOUT": "10m"})
	lines := s.follow("usage")
	lines.Scan()
	stopped := make(chan struct{})
	go func() {
		s.stop()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(time.Minute):
		t.Fatal("it waits for the stream")
	}
}
