package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"relay/gateway"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

// slowRig is a gateway in a bubble of its own time, called over pipes. Its
// time-outs are those of a process that was told nothing.
type slowRig struct {
	*rig
	registry *prometheus.Registry
	key      string
	calls    chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newSlow(t *testing.T) *slowRig {
	t.Helper()
	s := &slowRig{rig: &rig{tb: t}, registry: prometheus.NewRegistry(), calls: make(chan net.Conn), closed: make(chan struct{})}
	s.db = storetest.Open(t, func(o *store.Options) { o.Getenv = func(name string) string { return "secret-of-" + name } })
	limits := limiter.NewRegistry()
	s.memory, s.clock = limiter.NewMemory(limits), limiter.NewClock(nil)
	s.server = gateway.New(gateway.Options{
		DB: s.db, Limiter: s.memory, Readings: s.memory, Clock: s.clock, Log: zerolog.Nop(), Metrics: s.registry, Version: "test", BaseURL: "http://relay.test",
		MaxInFlight: 1024, MaxBufferedBytes: 256 << 20, MaxRequestBytes: 32 << 20, MaxAttempts: 6,
		ReadHeaderTimeout: 10 * time.Second, BodyIdleTimeout: 30 * time.Second, BodyTimeout: 5 * time.Minute,
	})
	s.db.SetCompiler(func(next *store.Catalog) (func(), []store.Problem) {
		p := plan.Compile(plan.Input{Catalog: next, Registry: limits, KeyValue: s.db.HostKeyValue})
		return func() { s.server.Swap(p) }, nil
	})
	s.db.StartUsage(snapshots{s.memory, s.clock})
	s.policy(sliding(limiter.MeterConcurrency, 9, time.Minute))
	s.key = s.rig.key("laptop", store.RelayKeySpec{})
	hs := s.server.HTTPServer(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { _ = hs.Serve(s) })
	t.Cleanup(func() {
		_ = hs.Close()
		serving.Wait()
		s.server.Close()
	})
	return s
}

// Accept, Close and Addr make it the listener of its server.
func (s *slowRig) Accept() (net.Conn, error) {
	select {
	case c := <-s.calls:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *slowRig) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *slowRig) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns the caller's end of a connection.
func (s *slowRig) dial() net.Conn {
	caller, server := net.Pipe()
	s.tb.Cleanup(func() { _ = caller.Close() })
	s.calls <- server
	return caller
}

func (s *slowRig) head(k kind, lines ...string) string {
	return "POST " + k.path + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + s.key + "\r\n" + strings.Join(append(lines, "", ""), "\r\n")
}

// lastWords are heard until the peer closed the connection, and when that
// was.
type lastWords struct {
	said string
	at   time.Duration
}

// hear reads everything while something else is said.
func hear(c net.Conn, since time.Time) <-chan lastWords {
	heard := make(chan lastWords, 1)
	go func() {
		text, _ := io.ReadAll(c)
		heard <- lastWords{string(text), time.Since(since)}
	}()
	return heard
}

// sayEvery says a text byte by byte, until it is said or nobody listens.
func sayEvery(c net.Conn, text string, pause time.Duration) {
	for i := range text {
		<-time.After(pause)
		if _, err := io.WriteString(c, text[i:i+1]); err != nil {
			return
		}
	}
}

func (s *slowRig) mustHold(inHand, buffered int) {
	s.tb.Helper()
	families, err := s.registry.Gather()
	if err != nil {
		s.tb.Fatal(err)
	}
	for _, family := range families {
		want := map[string]int{"relay_inflight_requests": inHand, "relay_buffered_bytes": buffered}
		if n, gauge := want[family.GetName()]; gauge && family.GetMetric()[0].GetGauge().GetValue() != float64(n) {
			s.tb.Errorf("%s is %v, want %d", family.GetName(), family.GetMetric()[0].GetGauge().GetValue(), n)
		}
	}
	s.mustBeIdle("a slow caller")
}

func TestSlowCallers_HeadersMustComeWithinTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(t)
		start := time.Now()
		var heard []<-chan lastWords
		var saying sync.WaitGroup
		for i := range 1000 {
			c := s.dial()
			half := s.head(kinds()[i%len(kinds())])
			heard = append(heard, hear(c, start))
			saying.Go(func() { sayEvery(c, half, time.Second) })
		}
		c := s.dial()
		if _, err := io.WriteString(c, "GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "+s.key+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != 200 || time.Since(start) != 0 {
			t.Errorf("beside them: %v, %v after %v", resp, err, time.Since(start))
		}
		for i, one := range heard {
			e := <-one // net/http takes half a request line for a bad one
			if e.said != "" && !strings.HasPrefix(e.said, "HTTP/1.1 400 Bad Request\r\n") || e.at != 10*time.Second {
				t.Fatalf("half headers %d: heard %q, closed after %v", i, e.said, e.at)
			}
		}
		saying.Wait()
		s.mustHold(0, 0)
	})
}

func TestSlowCallers_ABodyMayPauseForThirtySecondsAndTakeFiveMinutes(t *testing.T) {
	for _, k := range kinds() {
		for name, c := range map[string]struct {
			every time.Duration // between two bytes
			at    time.Duration // of the answer
		}{
			"nothing comes":           {time.Hour, 30 * time.Second},
			"a byte every 31 seconds": {31 * time.Second, 30 * time.Second},
			"a byte every 29 seconds": {29 * time.Second, 5 * time.Minute},
			"a byte a second":         {time.Second, 5 * time.Minute},
		} {
			t.Run(k.name+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newSlow(t)
					conn, start := s.dial(), time.Now()
					heard := hear(conn, start)
					if _, err := io.WriteString(conn, s.head(k, "Content-Length: 4000")); err != nil {
						t.Fatal(err)
					}
					var saying sync.WaitGroup
					saying.Go(func() { sayEvery(conn, strings.Repeat(" ", 3999), c.every) })
					<-time.After(c.at - time.Second)
					synctest.Wait()
					s.mustHold(0, 4000) // the body's bytes, and no lease, reservation or unit in flight
					e := <-heard
					_, begins, holds := toldIn(k.shape, 408, "request_timeout")
					if !strings.HasPrefix(e.said, "HTTP/1.1 408 Request Timeout\r\n") || !strings.Contains(e.said, begins+"The request's body came too slowly") || !strings.Contains(e.said, holds) || !strings.Contains(e.said, "\r\nConnection: close\r\n") || e.at != c.at {
						t.Errorf("after %v heard %q", e.at, e.said)
					}
					saying.Wait()
					s.mustHold(0, 0)
					if events := s.events(1); len(events) != 1 || events[0].Status != 408 || events[0].ErrorKind != "request_timeout" {
						t.Errorf("events %+v", events)
					}
				})
			})
		}
	}
}

// Whoever is refused before his body is read is told so at once, and cannot hold
// the connection by keeping the body back.
func TestSlowCallers_ARefusalDoesNotWaitForTheBody(t *testing.T) {
	for _, k := range append(allRoutes(), kind{name: "/livez", path: "/livez", model: "GET"}) {
		for name, size := range map[string]int{"small": 10, "middling": 200_000, "large": 1_000_000, "too large": 33 << 20} {
			t.Run(k.name+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newSlow(t)
					conn, start := s.dial(), time.Now()
					method := map[bool]string{true: "GET", false: "POST"}[k.model == "GET"]
					text := strings.Replace(s.head(k, fmt.Sprintf("Content-Length: %d", size)), "POST", method, 1)
					if _, err := io.WriteString(conn, strings.Replace(text, s.key, "sk-wr-unknown", 1)); err != nil {
						t.Fatal(err)
					}
					in := bufio.NewReader(conn)
					resp, err := http.ReadResponse(in, nil)
					if err != nil {
						t.Fatal(err)
					}
					told := time.Since(start)
					_, _ = io.Copy(io.Discard, resp.Body)
					_, _ = io.Copy(io.Discard, in)
					want := 401
					switch k.path {
					case "/nothing":
						want = 404
					case "/", "/livez":
						want = 200
					}
					if resp.StatusCode != want || want != 200 && told != 0 || time.Since(start) > 30*time.Second {
						t.Errorf("got %d after %v, closed after %v", resp.StatusCode, told, time.Since(start))
					}
					s.mustHold(0, 0)
				})
			})
		}
	}
}

// A body that a route does not want is waited for no longer than any other.
func TestSlowCallers_ABodyThatNobodyReadsEndsTheConnection(t *testing.T) {
	for _, path := range append(lookups(), "/", "/livez", "/readyz") {
		for _, size := range []int{10, 200_000, 1_000_000} {
			t.Run(fmt.Sprint(path, " ", size), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newSlow(t)
					put(s.rig, "chat", store.ModelSpec{})
					conn, start := s.dial(), time.Now()
					heard := hear(conn, start)
					text := s.head(kind{path: path}, fmt.Sprintf("Content-Length: %d", size))
					if _, err := io.WriteString(conn, strings.Replace(text, "POST", "GET", 1)); err != nil {
						t.Fatal(err)
					}
					if e := <-heard; !strings.HasPrefix(e.said, "HTTP/1.1 200 OK\r\n") || e.at > 30*time.Second {
						t.Errorf("after %v heard %q", e.at, e.said)
					}
					s.mustHold(0, 0)
				})
			})
		}
	}
}

func TestSlowCallers_AConnectionMayRestForTwoMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(t)
		conn := s.dial()
		in := bufio.NewReader(conn)
		for range 3 {
			if _, err := io.WriteString(conn, s.head(kinds()[0], "Content-Length: 1")+"{"); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(in, nil)
			if err != nil || resp.StatusCode != 400 {
				t.Fatalf("%v, %v", resp, err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			<-time.After(119 * time.Second)
		}
		since := time.Now()
		if n, err := in.ReadByte(); err == nil || time.Since(since) != time.Second {
			t.Errorf("read %d, %v after %v more", n, err, time.Since(since))
		}
	})
}
