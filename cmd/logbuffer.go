package cmd

import (
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	logDelay = 100 * time.Millisecond // the longest that a line waits
	logRoom  = 32 << 10               // bytes that wait at most
)

// logBuffer writes lines of a log together, since a write of its own is a
// twentieth of what a request costs. Lines of level warn and worse, and those
// before them, are written at once; others within logDelay. What waits when the
// process is killed is lost. Writes are whole lines in order; errors of the
// writer below are dropped, as a logger has nowhere to tell them.
type logBuffer struct {
	out     sync.Mutex // serialises writes; taken before mu
	w       io.Writer
	mu      sync.Mutex
	waiting []byte
	spare   []byte
	first   chan struct{} // holds one once a line waits
	closed  chan struct{}
	running sync.WaitGroup
}

func newLogBuffer(w io.Writer) *logBuffer {
	b := &logBuffer{w: w, first: make(chan struct{}, 1), closed: make(chan struct{})}
	b.running.Go(b.run)
	return b
}

// Write takes a line whose level is not known.
func (b *logBuffer) Write(line []byte) (int, error) {
	return b.WriteLevel(zerolog.NoLevel, line)
}

// WriteLevel takes a line.
func (b *logBuffer) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	b.mu.Lock()
	empty := len(b.waiting) == 0
	b.waiting = append(b.waiting, line...)
	full := len(b.waiting) >= logRoom
	b.mu.Unlock()
	switch {
	case full || level >= zerolog.WarnLevel:
		b.flush()
	case empty:
		select {
		case b.first <- struct{}{}:
		default: // told already
		}
	}
	return len(line), nil
}

// run writes what waits once it has waited long enough.
func (b *logBuffer) run() {
	due := time.NewTimer(logDelay)
	due.Stop()
	for {
		select {
		case <-b.first:
			due.Reset(logDelay)
		case <-due.C:
			b.flush()
		case <-b.closed:
			return
		}
	}
}

func (b *logBuffer) flush() {
	b.out.Lock()
	defer b.out.Unlock()
	b.mu.Lock()
	lines := b.waiting
	b.waiting = b.spare[:0]
	b.mu.Unlock()
	if len(lines) > 0 {
		_, _ = b.w.Write(lines)
	}
	b.spare = lines
}

// Close writes what waits. Lines that come later are written only when they
// are of level warn or worse.
func (b *logBuffer) Close() error {
	close(b.closed)
	b.running.Wait()
	b.flush()
	return nil
}
