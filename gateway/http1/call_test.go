package http1_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/http1"
)

func TestCancel_BeforeAllElseSendsNothing(t *testing.T) {
	up := gatewaytest.New(t)
	client, _ := counting(t, up.Addr())
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errEnough)
	var first, second http1.Call
	if _, err := client.Do(ctx, &first, post(t, nil)); !errors.Is(err, errEnough) || !http1.Unsent(err) {
		t.Errorf("got %v", err)
	}
	second.Cancel(nil)
	if _, err := client.Do(context.Background(), &second, post(t, nil)); !errors.Is(err, context.Canceled) || !http1.Unsent(err) {
		t.Errorf("got %v", err)
	}
	up.Play(gatewaytest.Raw(text("hello")))
	ask(t, client).want(t, 200, "hello")
	second = http1.Call{}
	second.Cancel(errEnough)
	if _, err := client.Do(context.Background(), &second, post(t, nil)); !errors.Is(err, errEnough) || !http1.Unsent(err) {
		t.Errorf("with a connection that is idle: got %v", err)
	}
	if n := len(up.Requests()); n != 1 {
		t.Errorf("the server saw %d requests, want 1", n)
	}
}

func TestCancel_AfterTheEndHarmsNobodyElse(t *testing.T) {
	up := gatewaytest.New(t)
	up.Otherwise(gatewaytest.Raw(text("hello")))
	client, _ := counting(t, up.Addr())
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	for range 100 {
		var call http1.Call
		resp, err := client.Do(ctx, &call, post(t, nil))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); string(b) != "hello" || err != nil {
			t.Fatalf("got %q, %v", b, err)
		}
		call.Cancel(errEnough)
	}
	if n := up.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// An answer that has come to its end is whole, whatever happens then.
func TestCancel_TakesNothingFromAnAnswerThatHasCome(t *testing.T) {
	c := play(text("hello"), 1<<20)
	var call http1.Call
	resp, err := c.on(t).Do(context.Background(), &call, post(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	call.Cancel(errEnough)
	if b, err := io.ReadAll(resp.Body); string(b) != "hello" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	<-c.closed // all the same: nobody knows what the cancel has done to it
}

// watched is a context that counts who waits for its end.
type watched struct {
	context.Context
	count atomic.Int32
}

func (w *watched) Done() <-chan struct{} { return make(chan struct{}) }

func (w *watched) AfterFunc(func()) func() bool {
	w.count.Add(1)
	return func() bool { return w.count.Add(-1) >= 0 }
}

func TestDo_LetsGoOfItsContextAtTheEnd(t *testing.T) {
	for name, wire := range map[string]string{"whole": text("hello"), "empty": text(""), "cut": raw(200, "h", "Content-Length: 5"), "broken": "nonsense\r\n\r\n", "closed": ""} {
		ctx := &watched{Context: context.Background()}
		var call http1.Call
		resp, err := play(wire, 1).on(t).Do(ctx, &call, post(t, nil))
		if err == nil {
			if name != "empty" && ctx.count.Load() != 1 {
				t.Errorf("%s: %d wait while the answer is read", name, ctx.count.Load())
			}
			_, _ = io.ReadAll(resp.Body)
		}
		if n := ctx.count.Load(); n > 0 {
			t.Errorf("%s: %d still wait", name, n)
		}
	}
}

func TestCall_HasAContextThatEndsWithIt(t *testing.T) {
	var call http1.Call
	ctx := call.Context(context.Background())
	call.Cancel(errEnough)
	call.Cancel(errors.New("too late"))
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), errEnough) || !errors.Is(call.Cause(), errEnough) {
		t.Errorf("causes %v, %v", context.Cause(ctx), call.Cause())
	}
	if ctx := call.Context(context.Background()); !errors.Is(context.Cause(ctx), errEnough) {
		t.Errorf("of a cancelled call: %v", context.Cause(ctx))
	}
}

func TestDialError_IsPassedOnAsUnsent(t *testing.T) {
	client := newClient(t, "up.test:80", func(o *http1.Options) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errEnough }
	})
	if r := ask(t, client); !errors.Is(r.err, errEnough) || !http1.Unsent(r.err) {
		t.Errorf("got %v", r)
	}
}

func TestHandshake_HasATimeOut(t *testing.T) {
	up := gatewaytest.New(t)
	up.OnConnect(gatewaytest.Hang())
	client, _ := counting(t, up.Addr(), trusting(nil), func(o *http1.Options) { o.HandshakeTimeout = 20 * time.Millisecond })
	r := ask(t, client)
	var handshake *http1.HandshakeError
	if !errors.As(r.err, &handshake) || !errors.Is(r.err, context.DeadlineExceeded) || !http1.Unsent(r.err) {
		t.Errorf("got %v", r)
	}
}
