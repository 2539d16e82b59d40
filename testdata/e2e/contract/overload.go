package contract

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"relay/testdata/e2e/rig"
)

// overload makes as many requests as relay takes of an account at once, and one
// more by the SDK. They end when that is refused.
func (r *run) overload(t *testing.T) {
	s := r.setup
	s.Key = r.key(t, r.Name+"--crowd")
	var crowd sync.WaitGroup
	for range rig.MostOfAnAccount {
		r.held++
		crowd.Go(func() {
			if err := r.hold(s); err != nil {
				t.Error(err)
			}
		})
	}
	r.untilHeld(t)
	r.wire.refused = func() {
		r.relay.Upstream.Release(r.Name)
		crowd.Wait()
	}
	_, err := r.refused(t, s, r.Retries.Overloaded)
	r.wire.refused = nil
	r.relay.Upstream.Release(r.Name)
	if status, _ := r.Failure(err); err != nil && status != r.Retries.Overloaded[0] {
		t.Errorf("got status %d of %v", status, err)
	}
}

// hold makes a request that is in flight until the client is released.
func (r *run) hold(s Setup) error {
	body := fmt.Sprintf(`{"model":"chat-mini","messages":[{"role":"user","content":%q}]}`, "[hold] "+s.Prompt)
	request, err := http.NewRequest(http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.Key)
	request.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("a request that is held: %s", resp.Status)
	}
	return nil
}

func (r *run) untilHeld(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(longest)
	for r.relay.Upstream.Waiting(r.Name) < r.held {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the upstream does not get all that relay should take")
		}
	}
}
