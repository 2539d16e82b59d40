package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// A whole answer is held until it is known to be one, and no longer.
func TestMemory_OfLargeWholeAnswersIsGivenBack(t *testing.T) {
	const calls, size = 4, 30 << 20
	for _, k := range kinds() {
		if k.streamed {
			continue
		}
		r, up := newStand(t)
		answer := k.answer(7, 3)[0]
		up.Otherwise(gatewaytest.Join(
			gatewaytest.Head(200, "Content-Type: application/json"), gatewaytest.Raw(strings.TrimSuffix(answer, "}")+`,"more":"`),
			gatewaytest.Fill(size, "x"), gatewaytest.Raw(`"}`), gatewaytest.Close()))
		key := r.key("laptop", store.RelayKeySpec{})
		before := liveHeap()
		var running sync.WaitGroup
		for range calls {
			running.Go(func() {
				if n := r.lengthOf(k, key); n != int64(len(answer)+len(`,"more":""`)+size) {
					t.Errorf("%s: got %d bytes", k.name, n)
				}
			})
		}
		running.Wait()
		until(t, "the answers are over", func() bool { return r.server.InFlight() == 0 })
		if now := liveHeap(); now > before+16<<20 {
			t.Errorf("%s: %d MiB are still held after %d answers", k.name, (now-before)>>20, calls)
		}
	}
}

// lengthOf makes a call and keeps nothing of its answer.
func (r *rig) lengthOf(k kind, key string) int64 {
	req, err := http.NewRequestWithContext(r.tb.Context(), http.MethodPost, "http://"+r.addr+k.path, strings.NewReader(k.json()))
	if err != nil {
		r.tb.Error(err)
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+key)
	client := &http.Transport{DisableKeepAlives: true}
	answer, err := client.RoundTrip(req)
	if err != nil {
		r.tb.Error(err)
		return 0
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		r.tb.Errorf("%s: %d, %v", k.name, answer.StatusCode, err)
	}
	return n
}
