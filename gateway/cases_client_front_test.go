package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// front is a stand whose gauges a test can read: those of limits and those of
// the process. A limit counts what is in flight, and refuses nothing.
type front struct {
	*rig
	up       *gatewaytest.Upstream
	registry *prometheus.Registry
	key      string
	recorded int // usage events that there should be
}

func newFront(tb testing.TB, change ...func(*gateway.Options)) *front {
	tb.Helper()
	f := &front{registry: prometheus.NewRegistry()}
	f.rig, f.up = newStand(tb, append(change, func(o *gateway.Options) { o.Metrics = f.registry })...)
	f.policy(sliding(limiter.MeterConcurrency, 1_000_000, time.Minute))
	f.key = f.rig.key("laptop", store.RelayKeySpec{})
	return f
}

// metric is what one series reads, of a gauge or of a counter with the label's
// value; a series that there is not yet reads 0.
func (f *front) metric(name, label string) float64 {
	f.tb.Helper()
	families, err := f.registry.Gather()
	if err != nil {
		f.tb.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() != name || label != "" && m.GetLabel()[0].GetValue() != label {
				continue
			}
			return m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return 0
}

func (f *front) shed(reason string) float64 { return f.metric("relay_shed_total", reason) }

// mustBeFree fails the test unless nothing is held soon: no slot of a limit,
// none of the process, no byte of a body.
func (f *front) mustBeFree(after string) {
	f.tb.Helper()
	until(f.tb, after+" is over", func() bool { return f.server.InFlight() == 0 })
	f.mustBeIdle(after)
	for _, gauge := range []string{"relay_inflight_requests", "relay_buffered_bytes"} {
		if n := f.metric(gauge, ""); n != 0 {
			f.tb.Fatalf("after %q %s is %v", after, gauge, n)
		}
	}
}

// mustRecord fails the test unless the last call has left a usage event with
// the status and the error kind, or none where kind is "nothing".
func (f *front) mustRecord(after string, status int, kind string) {
	f.tb.Helper()
	if kind != "nothing" {
		f.recorded++
	}
	events := f.events(f.recorded)
	if len(events) != f.recorded {
		f.tb.Fatalf("%s left %d usage events, want %d", after, len(events), f.recorded)
	}
	if kind == "nothing" {
		return
	}
	if e := events[len(events)-1]; e.Status != status || e.ErrorKind != kind || status >= 400 && e.CostNanos != nil {
		f.tb.Errorf("%s left the event %d %q, cost %v; want %d %q", after, e.Status, e.ErrorKind, e.CostNanos, status, kind)
	}
}

// mustRefuse fails the test unless the answer has the status, and says the code
// in the shape of the path.
func (f *front) mustRefuse(after string, a gatewaytest.Answer, path string, status int, code string) {
	f.tb.Helper()
	status, begins, want := toldIn(shapeOf(path), status, code)
	if a.Status != status || !strings.HasPrefix(a.Body, begins) || !strings.Contains(a.Body, want) || !json.Valid([]byte(a.Body)) || a.Header.Get("Content-Type") != "application/json" || a.Header.Get("X-Relay-Request-Id") == "" || a.Err != nil {
		f.tb.Errorf("%s on %s: got %d %s %v (%v), want %d with %s", after, path, a.Status, a.Body, a.Header, a.Err, status, want)
	}
}

// head is the beginning of a request, without the blank line.
func (f *front) head(method, path string, lines ...string) string {
	text := method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + f.key + "\r\n"
	for _, line := range lines {
		text += line + "\r\n"
	}
	return text
}

// send makes a call of the kind with another body.
func (f *front) send(k kind, body string, lines ...string) gatewaytest.Answer {
	f.tb.Helper()
	return gatewaytest.Do(f.tb, f.addr, f.head("POST", k.path, lines...)+fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

// talk is a connection on which a test says and hears exact bytes.
type talk struct {
	tb   testing.TB
	conn net.Conn
}

func talkTo(tb testing.TB, addr string) *talk {
	tb.Helper()
	conn, err := net.DialTimeout("tcp", addr, gatewaytest.Patience)
	if err != nil {
		tb.Fatalf("dial: %v", err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(gatewaytest.Patience))
	return &talk{tb, conn}
}

func (w *talk) say(text string) {
	w.tb.Helper()
	if _, err := io.WriteString(w.conn, text); err != nil {
		w.tb.Fatalf("say: %v", err)
	}
}

// mustHear fails the test unless these are the next bytes.
func (w *talk) mustHear(text string) {
	w.tb.Helper()
	heard := make([]byte, len(text))
	n, err := io.ReadFull(w.conn, heard)
	if string(heard) != text {
		w.tb.Fatalf("heard %q (%v), want %q", heard[:n], err, text)
	}
}
