package gateway_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"relay/store"
)

// tight serves the rig on connections that hold little of what has not been read, so
// that a slow reader is felt at once.
func (r *rig) tight() *httptest.Server {
	r.tb.Helper()
	front := httptest.NewUnstartedServer(http.HandlerFunc(r.server.ServeHTTP))
	front.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			_ = c.(*net.TCPConn).SetWriteBuffer(32 << 10)
		}
	}
	front.Start()
	r.tb.Cleanup(front.Close)
	return front
}

// TestTranslatedMemory_OfStreamsToSlowReadersIsBounded is case B117 across shapes:
// what has been told is not kept, and what is not read yet stays with the upstream.
func TestTranslatedMemory_OfStreamsToSlowReadersIsBounded(t *testing.T) {
	const streams, most = 200, 128 << 10 // both ends of both connections included
	for _, k := range append(kindsNamed("messages stream"), generateKinds()[1]) {
		r, _ := newTongues(t)
		edit(r, "openai", func(h *store.Host) { h.Spec.BaseURL = "http://" + newBare(t, 64<<20).listener.Addr().String() + "/v1" })
		r.addr = r.tight().Listener.Addr().String()
		text := k.of("to-openai").request(r.key("k", store.RelayKeySpec{}), "Connection: close")
		first := r.sendBare(text)
		readOpening(t, first)
		before := inUse()
		readers := []net.Conn{first}
		for range streams {
			readers = append(readers, r.sendBare(text))
		}
		piece := make([]byte, 4<<10)
		for round := range 8 {
			for _, c := range readers {
				if _, err := io.ReadFull(c, piece); err != nil {
					t.Fatal(err)
				}
			}
			if each := (inUse() - before) / streams; each > most {
				t.Errorf("%s: after %d rounds a stream takes %d KiB, want at most %d", k.name, round, each>>10, most>>10)
			}
		}
		r.hangUp(readers)
		until(t, "the memory is given back", func() bool { return inUse()-before < 16<<20 })
		for _, e := range r.events(streams + 1) {
			if e.ErrorKind != "client_closed" {
				t.Fatalf("%s: recorded %+v", k.name, e)
			}
		}
	}
}
