package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// page is what the metrics say.
func (f *front) page() (lines int, text string) {
	w := httptest.NewRecorder()
	promhttp.HandlerFor(f.registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return strings.Count(w.Body.String(), "\n"), w.Body.String()
}

// passing makes a call of which the test keeps nothing.
func (f *front) passing(method, path, key, body string, headers ...string) int {
	f.tb.Helper()
	req, err := http.NewRequest(method, "http://"+f.addr+path, strings.NewReader(body))
	if err != nil {
		f.tb.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(req)
	if err != nil {
		f.tb.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// Whatever callers make up, the metrics stay as large as they are.
func TestClientNames_MakeNoSeriesAndKeepNoMemory(t *testing.T) {
	f := newFront(t)
	rounds := func(from, to int) {
		for i := from; i < to; i++ {
			name := fmt.Sprintf("made-up-%d", i)
			for _, k := range kinds() {
				for _, c := range []struct{ got, want int }{
					{f.passing("POST", k.of(name).path, f.key, k.of(name).json(), "User-Agent", name, "X-Relay-Tags", `{"`+name+`":"x"}`), 404},
					{f.passing("GET", k.at()+"/"+name, f.key, "", "User-Agent", name), 404},
					{f.passing("GET", "/v1/models/"+name, f.key, "", "X-Request-Id", name), 404},
					{f.passing("GET", "/v1/models", "sk-wr-"+name, ""), 401},
					{f.passing("GET", "/v1/models", f.key, "", "Origin", "https://"+name+".example"), 403},
					{f.passing("MADE"+fmt.Sprint(i), k.path, f.key, ""), 405},
				} {
					if c.got != c.want {
						t.Fatalf("%s, %s: got %d, want %d", k.name, name, c.got, c.want)
					}
				}
			}
		}
	}
	rounds(0, 5)
	before, _ := f.page()
	heap := liveHeap()
	rounds(5, 100)
	lines, text := f.page()
	if lines != before || lines > 2000 || len(text) > 1<<20 || strings.Contains(text, "made-up") {
		t.Errorf("from %d the metrics went to %d lines, %d bytes: %.1000s", before, lines, len(text), text)
	}
	if now := liveHeap(); now > heap+4<<20 {
		t.Errorf("the heap went from %d to %d KiB", heap>>10, now>>10)
	}
	f.mustBeFree("made-up names")
}
