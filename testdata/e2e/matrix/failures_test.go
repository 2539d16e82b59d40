package matrix_test

import (
	"context"
	"strings"
	"time"

	"relay/testdata/e2e/strict"
)

// unsupported checks that what the upstream cannot express is refused as it is
// documented, before the upstream sees it.
func (c cell) unsupported(talk conversation, words string) {
	c.Helper()
	a, err := talk.next(c.context())
	f := c.caller.failure(err)
	if err == nil || f.status != 400 || f.code != "" && f.code != "unsupported_param" || !strings.Contains(f.message, words) {
		c.Errorf("got %+v, %+v of %v", a, f, err)
	}
	if seen := bench.providers.Seen(c.name); len(seen) > 0 {
		c.Errorf("the provider has seen %s", seen[0].Raw)
	}
}

func (c cell) refused() { c.fails(strict.PlayRefuse, 400, strict.Refusal) }

func (c cell) limited() { c.fails(strict.PlayLimit, 429, strict.Limit) }

// overloaded is 502 on every shape: what is overloaded is not Relay.
func (c cell) overloaded() { c.fails(strict.PlayOverload, 502, strict.Overload) }

// fails checks that a provider's refusal reaches the caller as an error of its SDK,
// with the provider's words.
func (c cell) fails(script string, status int, words string) {
	c.Helper()
	a, err := c.begin(script, question{}).next(c.context())
	f := c.caller.failure(err)
	if kind := c.caller.kinds.of(status); c.caller.shape != c.upstream && f.kind != kind {
		c.Errorf("the error is of kind %q, not %q", f.kind, kind)
	}
	if err == nil || f.status != status || !strings.Contains(f.message, words) {
		c.Errorf("got %+v, %+v of %v\n%s", a, f, err, c.bodies())
	}
	if n := len(bench.providers.Seen(c.name)); n != 1 {
		c.Errorf("the provider has been asked %d times", n)
	}
}

// dies checks that a stream that breaks off does not look complete.
func (c cell) dies() {
	begun := false
	a, err := c.begin(strict.PlayDie, question{piece: func() { begun = true; bench.providers.Release(c.name) }}).next(c.context())
	if err == nil || !begun || !strings.Contains(err.Error(), strict.Overload) {
		c.Errorf("got %+v, %v, begun: %v\n%s", a, err, begun, c.bodies())
	}
}

// gone leaves while the provider answers, which must see its connection closed.
func (c cell) gone() {
	ctx, leave := context.WithCancel(c.context())
	defer leave()
	talk := c.begin(strict.PlayEndless, question{piece: leave})
	ended := make(chan error, 1)
	go func() {
		_, err := talk.next(ctx)
		ended <- err
	}()
	if !c.streamed {
		c.until(func() bool { return len(bench.providers.Seen(c.name)) > 0 || len(ended) > 0 })
		leave()
	}
	err := <-ended
	if err == nil {
		c.Error("the caller has been answered all the same")
	}
	if len(bench.providers.Seen(c.name)) == 0 {
		c.Fatalf("the provider has seen nothing: %v", err)
	}
	left := time.Now()
	select {
	case <-bench.providers.Closed(c.name):
		c.Logf("the provider's connection is closed %v later", time.Since(left).Round(time.Millisecond))
	case <-time.After(5 * time.Second):
		c.Error("the provider goes on for a caller that has gone")
	}
}

func (c cell) until(is func() bool) {
	c.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(longest)
	for !is() {
		select {
		case <-tick.C:
		case <-deadline:
			c.Fatal("it does not come to this")
		}
	}
}
