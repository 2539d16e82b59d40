package contract

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/testdata/e2e/rig"
	"relay/testdata/e2e/upstream"
)

// longest is how long a call may take, whatever relay says.
const longest = time.Minute

// run is the client's run against a relay.
type run struct {
	Client
	relay *rig.Relay
	wire  *wire
	setup Setup
	held  int // requests of the test's own
}

// Run calls relay in all the ways of the client, and compares what relay says of
// its usage with what the upstream has answered.
func Run(t *testing.T, relay *rig.Relay, c Client) {
	w := &wire{}
	r := &run{c, relay, w, Setup{URL: relay.URL, Model: c.Model, Prompt: Prompt(c.Name), HTTP: client(w)}, 0}
	r.setup.Key = r.key(t, c.Name)
	t.Run("a whole answer", func(t *testing.T) { r.answers(t, c.Whole) })
	t.Run("a streamed answer", func(t *testing.T) { r.answers(t, c.Streamed) })
	t.Run("a tool", func(t *testing.T) { r.calls(t, false) })
	t.Run("a tool, streamed", func(t *testing.T) { r.calls(t, true) })
	r.errors(t)
	r.retries(t)
	t.Run("an overload", r.overload)
	t.Run("usage", r.usage)
}

// Prompt is one that the upstream books under a client's name.
func Prompt(name string) string { return "Say hello. [client:" + name + "]" }

// Background ends with the test, and calls that hang before it.
func Background(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	t.Cleanup(cancel)
	return ctx
}

// Key makes a key.
func Key(t *testing.T, relay *rig.Relay, name string, caps ...string) string {
	t.Helper()
	key, err := relay.Run(append([]string{"key", "add", name}, caps...)...)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (r *run) key(t *testing.T, name string, caps ...string) string {
	t.Helper()
	return Key(t, r.relay, name, caps...)
}

func (r *run) answers(t *testing.T, call func(context.Context, Setup) (Answer, error)) {
	answer, err := call(Background(t), r.setup)
	if err != nil {
		t.Fatal(err)
	}
	want := Answer{Text: upstream.Text, Input: r.Input, Output: 7, Pieces: answer.Pieces}
	if want.Input == 0 {
		want.Input = 30
	}
	if answer != want || answer.Pieces == 1 {
		t.Errorf("got %+v, want %+v", answer, want)
	}
}

func (r *run) calls(t *testing.T, streamed bool) {
	called, err := r.Tools(Background(t), r.setup, streamed)
	if want := (Called{"add", `{"a":17,"b":25}`, upstream.Sum}); err != nil || called != want {
		t.Errorf("got %+v, %v, want %+v", called, err, want)
	}
}

// errors checks that refusals reach the caller as the SDK's own error.
func (r *run) errors(t *testing.T) {
	for name, c := range map[string]struct {
		key, model, words string
		status            int
	}{
		"an unknown key":              {"sk-wr-unknown", r.Model, "No valid relay key", 401},
		"an unknown model":            {r.setup.Key, "no-such-model", "; this key may use", 404},
		"a model that is not allowed": {r.key(t, r.Name+"--narrow", "--models", "chat-embed"), r.Model, "may not use model", 403},
	} {
		t.Run(name, func(t *testing.T) {
			s := r.setup
			s.Key, s.Model = c.key, c.model
			_, err := r.refused(t, s, []int{c.status})
			status, message := r.Failure(err)
			dropped := status == 401 && message == ""
			if status != c.status || !dropped && !strings.Contains(message, c.words) {
				t.Errorf("got status %d of %v", status, err)
			}
		})
	}
}

// refused makes a whole call and checks the statuses of its attempts.
func (r *run) refused(t *testing.T, s Setup, statuses []int) (Answer, error) {
	t.Helper()
	before := len(r.wire.seen())
	answer, err := r.Whole(Background(t), s)
	if got := r.wire.seen()[before:]; !slices.Equal(got, statuses) {
		t.Errorf("attempts answered by %v, want %v: %v", got, statuses, err)
	}
	if (err == nil) != (statuses[len(statuses)-1] == 200) {
		t.Errorf("got %+v, %v", answer, err)
	}
	return answer, err
}

// retries checks what the SDK does about refusals of relay's own.
func (r *run) retries(t *testing.T) {
	for name, c := range map[string]struct {
		caps     []string
		statuses []int
		words    string
	}{
		"a limit over a second": {[]string{"--rps", "1"}, r.Retries.Short, "1 of 1 requests in 1s used"},
		"a limit over a day":    {[]string{"--rpd", "1"}, r.Retries.Long, "1 of 1 requests in 1d used"},
		"a budget a day":        {[]string{"--budget", "0.01/day"}, r.Retries.Budget, "quota of $0.01"},
		"a budget in total":     {[]string{"--budget", "0.01/total"}, r.Retries.Budget, "quota of $0.01"},
	} {
		t.Run(name, func(t *testing.T) {
			s := r.setup
			s.Key = r.key(t, r.Name+"--"+strings.ReplaceAll(name, " ", "-"), c.caps...)
			if _, err := r.Whole(Background(t), s); err != nil {
				t.Fatal(err)
			}
			_, err := r.refused(t, s, c.statuses)
			if err == nil {
				return
			}
			if status, message := r.Failure(err); status != 429 || !strings.Contains(message, c.words) {
				t.Errorf("got status %d of %v", status, err)
			}
		})
	}
	t.Run("a model that no key serves", func(t *testing.T) {
		s := r.setup
		s.Model = "dark-mini"
		_, err := r.refused(t, s, r.Retries.Unserved)
		if status, _ := r.Failure(err); status != 503 {
			t.Errorf("got status %d of %v", status, err)
		}
	})
}

func (r *run) usage(t *testing.T) {
	rows, err := r.relay.Usage("key")
	if err != nil {
		t.Fatal(err)
	}
	var spent upstream.Spent
	var all, refused int
	for name, row := range rows {
		if name == r.Name || strings.HasPrefix(name, r.Name+"--") {
			spent.Add(row.Spent())
			all, refused = all+row.Requests, refused+row.Errors
		}
	}
	if want := r.relay.Upstream.Spent(r.Name); spent != want || want.Calls == 0 {
		t.Errorf("usage has %+v, the upstream %+v", spent, want)
	}
	sent, failed := r.held, 0
	for _, status := range r.wire.seen() {
		if status == 401 {
			continue // nobody's
		}
		sent++
		if status >= 400 {
			failed++
		}
	}
	if all != sent || refused != failed {
		t.Errorf("usage has %d requests, %d of them refused; the SDK has sent %d and %d", all, refused, sent, failed)
	}
}
