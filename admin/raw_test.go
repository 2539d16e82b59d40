package admin_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// raw sends a request as it is written and returns the status of the answer.
func (f *fixture) raw(line string, headers ...string) int {
	f.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer conn.Close()
	const body = `{"metadata":{"name":"taken"},"spec":{}}`
	head := append([]string{line + " HTTP/1.1"}, headers...)
	head = append(head, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)), "Connection: close")
	if _, err := fmt.Fprintf(conn, "%s\r\n\r\n%s", strings.Join(head, "\r\n"), body); err != nil {
		f.t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		f.t.Fatalf("%s %v: %v", line, headers, err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// TestRawRequests_OpenNothing sends what has confused others about which path is
// asked for. Nobody is signed in, so that nothing may be done.
func TestRawRequests_OpenNothing(t *testing.T) {
	f := start(t)
	const host = "Host: 127.0.0.1"
	refused := []int{400, 401, 403, 404, 405, 421}
	for _, c := range [][]string{
		{"POST /api/providers", host},
		{"POST /api/providers", "Host: localhost:4000/#@x"},
		{"POST /api/providers", "Host: localhost#/livez"},
		{"POST /api/providers", "Host: localhost?/api/session"},
		{"POST /api/providers", "Host: "},
		{"POST /api/providers"},
		{"POST /api/providers", host, "Host: evil.example"},
		{"POST /api/providers", "Host: evil.example"},
		{"POST http://127.0.0.1/api/providers", "Host: evil.example"},
		{"POST http://evil.example/api/providers", host},
		{"POST http://127.0.0.1/api/session/../providers", host},
		{"POST //api/providers", host},
		{"POST /api//providers", host},
		{"POST /api/session/../providers", host},
		{"POST /api/session/%2e%2e/providers", host},
		{"POST /api/%2e%2e/api/providers", host},
		{"POST /%61pi/providers", host},
		{"POST /api/providers;/session", host},
		{"POST /api/session;x", host},
		{"POST /api/providers#/session", host},
		{"POST /API/providers", host},
		{"POST /api/Providers", host},
		{"GET /api/providers", host, "X-HTTP-Method-Override: POST"},
		{"GET /livez", "Host: 127.0.0.1", "X-Original-URL: /api/providers", "X-HTTP-Method-Override: POST"},
		{"POST /api/session", host, "X-Original-URL: /api/providers", "X-Rewrite-URL: /api/providers"},
		{"POST /api/setup/../providers", host},
	} {
		status := f.raw(c[0], c[1:]...)
		if probe := strings.HasPrefix(c[0], "GET /livez"); probe && status != 200 || !probe && !slices.Contains(refused, status) {
			t.Errorf("%q: %d", c, status)
		}
	}
	if got := f.db.Catalog().Providers.Len(); got != 0 {
		t.Errorf("%d providers were made", got)
	}
}
