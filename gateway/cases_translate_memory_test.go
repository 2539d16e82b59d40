package gateway_test

import (
	"io"
	"net"
	"syscall"
	"testing"

	"relay/store"
)

// narrow sends a request on a connection that holds little of what has not been read.
func (r *rig) narrow(request string) net.Conn {
	r.tb.Helper()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 128<<10) })
	}}
	c, err := d.DialContext(r.tb.Context(), "tcp", r.addr)
	if err != nil {
		r.tb.Fatal(err)
	}
	r.tb.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, request); err != nil {
		r.tb.Fatal(err)
	}
	return c
}

// TestTranslatedMemory_OfStreamsToSlowReadersIsBounded is case B117 across shapes:
// what has been told is not kept, and what is not read yet stays with the upstream.
func TestTranslatedMemory_OfStreamsToSlowReadersIsBounded(t *testing.T) {
	const streams, most = 200, 128 << 10 // both ends of both connections included
	for _, k := range append(kindsNamed("messages stream", "ollama stream"), generateKinds()[1]) {
		r, _ := newTongues(t)
		edit(r, "openai", func(h *store.Host) { h.Spec.BaseURL = "http://" + newBare(t, 64<<20).listener.Addr().String() + "/v1" })
		text := k.of("to-openai").request(r.key("k", store.RelayKeySpec{}), "Connection: close")
		first := r.narrow(text)
		readOpening(t, first)
		before := inUse()
		readers := []net.Conn{first}
		for range streams {
			readers = append(readers, r.narrow(text))
		}
		piece := make([]byte, 64<<10)
		for round := range 4 {
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
