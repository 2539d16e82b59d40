package http1_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway/http1"
)

// Many at once, over few connections that both sides close all the time: every
// answer belongs to its request, and the server sees each request once, save
// those that are cancelled or cut.
func TestClient_ServesManyAtOnceWithoutMixingThemUp(t *testing.T) {
	var seen sync.Map
	var twice atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if _, again := seen.LoadOrStore(r.Header.Get("X-Number"), true); again {
			twice.Add(1)
		}
		n, _ := strconv.Atoi(r.Header.Get("X-Number"))
		switch n % 7 {
		case 1:
			w.Header().Set("Connection", "close")
		case 2:
			_, _ = w.Write(body[:len(body)/2])
			w.(http.Flusher).Flush()
			body = body[len(body)/2:]
		case 3:
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, _ = w.Write(body)
	}))
	server.Config.IdleTimeout = time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	client, _ := counting(t, server.Listener.Addr().String(), func(o *http1.Options) { o.MaxIdle = 16 })
	var whole atomic.Int32
	var all sync.WaitGroup
	for worker := range 64 {
		all.Go(func() {
			for i := range 50 {
				ok, err := exchange(client, start(t, http.MethodPost), 50*worker+i)
				if err != nil {
					t.Error(err)
				}
				if ok {
					whole.Add(1)
				}
			}
		})
	}
	all.Wait()
	if n := twice.Load(); n != 0 {
		t.Errorf("the server saw %d requests twice", n)
	}
	if n := whole.Load(); n < 1000 {
		t.Errorf("%d of 3200 were answered whole", n)
	}
}

// exchange sends a numbered request, checks the answer and reports whether it is
// whole. Some are cancelled or closed at a moment of their own, some are large.
func exchange(client *http1.Client, start []byte, n int) (whole bool, err error) {
	body := fmt.Appendf(nil, "body of %d, ", n)
	if n%11 == 0 {
		body = append(body, large[:100<<10]...)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var call http1.Call
	if n%5 == 0 {
		go call.Cancel(nil)
	}
	resp, err := client.Do(ctx, &call, &http1.Request{Start: start, Body: body, Fields: []http1.Field{{Name: "X-Number", Value: strconv.Itoa(n)}}})
	if err != nil {
		return false, unlessCut(n, err)
	}
	defer resp.Body.Close()
	if n%13 == 0 {
		return false, nil
	}
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return false, unlessCut(n, err)
	}
	if empty := n%7 == 3; empty != (resp.StatusCode == http.StatusNoContent) || !empty && string(got) != string(body) {
		return false, fmt.Errorf("request %d got %d with %d bytes, want %d bytes", n, resp.StatusCode, len(got), len(body))
	}
	return true, nil
}

// unlessCut passes errors on that nobody has brought about. A server that ends
// idle connections may do so when a request is already on its way; of that the
// client must say that the request may have been seen.
func unlessCut(n int, err error) error {
	if n%5 == 0 || !http1.Unsent(err) {
		return nil
	}
	return fmt.Errorf("request %d: %w", n, err)
}
