package http1_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

var errEnough = errors.New("enough")

// wait is something a call waits for: how it is brought about, and when it is.
type wait struct {
	unsent bool
	set    func(t *testing.T) (client *http1.Client, body []byte, waits <-chan struct{})
}

func waits() map[string]wait {
	return map[string]wait{
		"dial": {true, func(t *testing.T) (*http1.Client, []byte, <-chan struct{}) {
			dialling := make(chan struct{})
			return newClient(t, "up.test:80", func(o *http1.Options) {
				o.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
					close(dialling)
					<-ctx.Done()
					return nil, ctx.Err()
				}
			}), nil, dialling
		}},
		"handshake": {true, func(t *testing.T) (*http1.Client, []byte, <-chan struct{}) {
			begun := make(chan struct{})
			up := gatewaytest.New(t)
			up.OnConnect(gatewaytest.Join(gatewaytest.Tell(begun), gatewaytest.Hang()))
			client, _ := counting(t, up.Addr(), trusting(nil))
			return client, nil, begun
		}},
		"write": {false, func(t *testing.T) (*http1.Client, []byte, <-chan struct{}) {
			begun := make(chan struct{})
			up := gatewaytest.New(t)
			up.OnConnect(gatewaytest.Join(gatewaytest.ReadHead(), gatewaytest.Tell(begun), gatewaytest.Hang()))
			client, _ := counting(t, up.Addr())
			return client, large, begun
		}},
		"a small write": {true, func(t *testing.T) (*http1.Client, []byte, <-chan struct{}) {
			here, there := net.Pipe()
			t.Cleanup(func() { _ = there.Close() })
			dialled := make(chan struct{})
			return newClient(t, "up.test:80", func(o *http1.Options) {
				o.Dial = func(context.Context, string, string) (net.Conn, error) {
					close(dialled)
					return here, nil
				}
			}), nil, dialled
		}},
		"the head": {false, func(t *testing.T) (*http1.Client, []byte, <-chan struct{}) {
			begun := make(chan struct{})
			up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.Tell(begun), gatewaytest.Hang()))
			client, _ := counting(t, up.Addr())
			return client, nil, begun
		}},
		"the rest of the head": {false, func(t *testing.T) (*http1.Client, []byte, <-chan struct{}) {
			begun := make(chan struct{})
			up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.Raw(raw(103, "")+"HTTP/1.1 200 OK\r\nA: "), gatewaytest.Tell(begun), gatewaytest.Hang()))
			client, _ := counting(t, up.Addr())
			return client, nil, begun
		}},
	}
}

func TestCancel_EndsWhateverACallWaitsFor(t *testing.T) {
	for name, w := range waits() {
		for way, end := range cancels() {
			t.Run(name+" by "+way, func(t *testing.T) {
				client, body, begun := w.set(t)
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				var call http1.Call
				failed := make(chan error, 1)
				go func() {
					resp, err := client.Do(ctx, &call, post(t, body))
					if err == nil {
						_ = resp.Body.Close()
					}
					failed <- err
				}()
				<-begun
				end(&call, cancel)
				if err := <-failed; !errors.Is(err, errEnough) || http1.Unsent(err) != w.unsent {
					t.Errorf("got %v, unsent %v; want the cause, unsent %v", err, http1.Unsent(err), w.unsent)
				}
			})
		}
	}
}

// cancels are the ways to end a call.
func cancels() map[string]func(*http1.Call, context.CancelCauseFunc) {
	return map[string]func(*http1.Call, context.CancelCauseFunc){
		"the call":    func(call *http1.Call, _ context.CancelCauseFunc) { call.Cancel(errEnough) },
		"its context": func(_ *http1.Call, cancel context.CancelCauseFunc) { cancel(errEnough) },
	}
}

func TestCancel_EndsTheReadingOfABodyAndItsConnection(t *testing.T) {
	for name, head := range map[string]string{
		"length":     raw(200, "hello", "Content-Length: 500"),
		"chunked":    raw(200, "5\r\nhello\r\n", "Transfer-Encoding: chunked"),
		"to the end": raw(200, "hello"),
	} {
		for way, end := range cancels() {
			t.Run(name+" by "+way, func(t *testing.T) {
				up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.Raw(head), gatewaytest.Hang()))
				client, n := counting(t, up.Addr())
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				var call http1.Call
				resp, err := client.Do(ctx, &call, post(t, nil))
				if err != nil {
					t.Fatal(err)
				}
				if b, err := gatewaytest.ReadUntil(resp.Body, "hello"); err != nil {
					t.Fatalf("got %q, %v", b, err)
				}
				go end(&call, cancel)
				if _, err := io.ReadAll(resp.Body); !errors.Is(err, errEnough) {
					t.Errorf("got %v, want the cause", err)
				}
				<-up.Request(0).Gone()
				if !errors.Is(call.Cause(), errEnough) || n.open.Load() != 0 {
					t.Errorf("cause %v, %d connections are open", call.Cause(), n.open.Load())
				}
				_ = resp.Body.Close()
			})
		}
	}
}

func TestCancel_OfAReadLetsAnotherGoroutineCloseTheBody(t *testing.T) {
	up := gatewaytest.New(t, gatewaytest.Join(gatewaytest.Raw(raw(200, "", "Content-Length: 5")), gatewaytest.Hang()))
	client, _ := counting(t, up.Addr())
	var call http1.Call
	resp, err := client.Do(context.Background(), &call, post(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() {
		_, err := resp.Body.Read(make([]byte, 1))
		failed <- err
	}()
	call.Cancel(errEnough)
	_ = resp.Body.Close()
	if err := <-failed; err == nil || errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}
