package gateway_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
)

func readAll(body io.Reader) (string, error) {
	b, err := io.ReadAll(body)
	return string(b), err
}

// until looks again and again until what is meant has come about.
func until(tb testing.TB, what string, come func() bool) {
	tb.Helper()
	end := time.NewTimer(gatewaytest.Patience)
	defer end.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !come() {
		select {
		case <-tick.C:
		case <-end.C:
			tb.Fatalf("it did not come about that %s", what)
		}
	}
}

// settlements is a limiter that tells of every reservation of a caller that has
// been committed.
type settlements struct {
	limiter.Limiter
	ended chan struct{}
}

func (s settlements) Commit(ctx context.Context, now limiter.Instant, u limiter.Usage, caller, upstream *limiter.Ticket) uint64 {
	number := s.Limiter.Commit(ctx, now, u, caller, upstream)
	s.ended <- struct{}{}
	return number
}

// toldOf makes a rig tell of every commit.
func toldOf(ended chan struct{}) func(*gateway.Options) {
	return func(o *gateway.Options) { o.Limiter = settlements{o.Limiter, ended} }
}

func await(tb testing.TB, told <-chan struct{}) {
	tb.Helper()
	timer := time.NewTimer(gatewaytest.Patience)
	defer timer.Stop()
	select {
	case <-told:
	case <-timer.C:
		tb.Fatal("the call was not settled")
	}
}

// parallel makes so many calls at once and counts their statuses. Meanwhile it
// runs what it is given, with how many are done.
func (r *rig) parallel(calls int, call func() gatewaytest.Answer, meanwhile func(done *atomic.Int64)) map[int]int {
	statuses := map[int]int{}
	var done atomic.Int64
	var mu sync.Mutex
	var running sync.WaitGroup
	for range calls {
		running.Go(func() {
			a := call()
			mu.Lock()
			statuses[a.Status]++
			mu.Unlock()
			done.Add(1)
		})
	}
	meanwhile(&done)
	running.Wait()
	return statuses
}

// journal keeps what is logged.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// bell wakes all that wait for it to ring next.
type bell struct {
	mu   sync.Mutex
	wait chan struct{}
}

func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wait == nil {
		b.wait = make(chan struct{})
	}
	return b.wait
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wait != nil {
		close(b.wait)
		b.wait = nil
	}
}
