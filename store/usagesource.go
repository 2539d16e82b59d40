package store

// CounterSource gives the states of counters.
type CounterSource interface {
	// Snapshot calls put for every counter that has changed since the last call
	// (state nil: it is gone), and returns the number of the last commit that
	// the states contain. Put keeps neither argument.
	Snapshot(put func(name string, state []byte)) (through uint64)
	// Dirty reports whether a counter has changed since the last Snapshot.
	Dirty() bool
}

// AwaitedSource is a CounterSource whose requests wait until their counters
// are on disk.
type AwaitedSource interface {
	CounterSource
	// Wanted receives when requests wait. The next batch then begins at once,
	// and serves all that have come before its snapshot.
	Wanted() <-chan struct{}
	// Kept says that everything Snapshot has put so far is in the database,
	// also what a batch before could not write. The goroutine that calls
	// Snapshot calls it after each batch that the disk has taken.
	Kept()
}
