package agents_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"relay/testdata/e2e/rig"
)

func key(t *testing.T, name string, caps ...string) string {
	t.Helper()
	secret, err := relay.Run(append([]string{"key", "add", name}, caps...)...)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// call makes a call of the test's own and waits for its answer.
func call(t *testing.T, key, client string) {
	t.Helper()
	if err := chat(key, "[client:"+client+"]"); err != nil {
		t.Fatal(err)
	}
}

// hold makes a call that is in flight until the client is released, and returns
// what is closed when it has ended.
func hold(t *testing.T, key, client string) <-chan struct{} {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := chat(key, "[hold] [client:"+client+"]"); err != nil {
			t.Error(err)
		}
	}()
	until(t, func() bool { return relay.Upstream.Waiting(client) > 0 })
	return ended
}

func chat(key, text string) error {
	body := fmt.Sprintf(`{"model":"chat-mini","messages":[{"role":"user","content":%q}]}`, text)
	request, err := http.NewRequest(http.MethodPost, relay.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, answer)
	}
	return err
}

// untilRefused waits until the usage of a key has a refusal.
func untilRefused(t *testing.T, name string) {
	until(t, func() bool {
		rows, err := relay.Usage("key")
		return err == nil && rows[name].Errors > 0
	})
}

func until(t *testing.T, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(longest)
	for !is() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Error("it did not come to this within a minute")
			return
		}
	}
}

// used returns the usage of a key after comparing it with what the upstream has
// answered.
func used(t *testing.T, name string) rig.Row {
	t.Helper()
	rows, err := relay.Usage("key")
	if err != nil {
		t.Fatal(err)
	}
	spent, row := relay.Upstream.Spent(name), rows[name]
	if row.Spent() != spent || spent.Calls == 0 {
		t.Errorf("usage of %s is %+v, the upstream has answered %+v", name, row, spent)
	}
	return row
}
