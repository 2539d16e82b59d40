package limiter

import (
	"context"
	"fmt"
	"sync"
)

// kept tells requests that the snapshot that holds their reserve is on disk.
// Its mutex is not the ledger's, so that waiting costs nobody else anything.
type kept struct {
	wanted chan struct{} // holds one when somebody waits

	mu      sync.Mutex
	through uint64        // every reserve up to this one is on disk
	moved   chan struct{} // closed when through moves on; nil: nobody waits
}

// AwaitKept returns nil once the reserve with that stamp, every reserve before
// it and every commit before it are on disk, so that a restart forgets none of
// them: what limits.restart never-over asks for between Reserve and the call
// of the upstream. Stamp 0 waits for nothing. When ctx ends first the error
// says so, and the caller cancels its ticket.
//
// It never touches the mutex of Reserve. The writer of snapshots, see Wanted and
// Kept, decides how long it takes.
func (m *Memory) AwaitKept(ctx context.Context, stamp uint64) error {
	k := &m.registry.kept
	for {
		moved := k.after(stamp)
		if moved == nil {
			return nil
		}
		select {
		case k.wanted <- struct{}{}:
		default: // told already
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("wait for the limits to be stored: %w", ctx.Err())
		}
	}
}

// after returns nil when the stamp is on disk, else what is closed when more
// is.
func (k *kept) after(stamp uint64) <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if stamp <= k.through {
		return nil
	}
	if k.moved == nil {
		k.moved = make(chan struct{})
	}
	return k.moved
}

// Wanted receives when requests wait in AwaitKept: the writer of snapshots
// then takes one without delay. However many wait, it receives once; those
// that come while a snapshot is being written make it receive again.
func (m *Memory) Wanted() <-chan struct{} { return m.registry.kept.wanted }

// Kept says that all that Snapshot has put up to now is on disk, and lets the
// requests go that waited for it. The goroutine that takes snapshots calls it
// after each write that succeeded; states that an earlier write failed to
// store must be in that one. An empty snapshot counts, too.
func (m *Memory) Kept() {
	l := &m.registry.ledger
	l.mu.Lock()
	cut := l.cut
	l.mu.Unlock()

	k := &m.registry.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	k.through = max(k.through, cut)
	if k.moved != nil {
		close(k.moved)
		k.moved = nil
	}
}
