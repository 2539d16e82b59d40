package hub_test

import (
	"flag"
	"testing"
)

var update = flag.Bool("update", false, "write the golden sections and documents anew")

// TestCorpus takes every conversation of testdata/wire through every ordered pair
// of shapes: the caller's request to the host, the host's answer, streamed and
// whole, and its errors back to the caller.
func TestCorpus(t *testing.T) {
	for _, c := range conversations(t) {
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			c.requests(t)
			c.streams(t)
			c.answers(t)
			c.replays(t)
			c.errors(t)
			c.check(t)
		})
	}
}
