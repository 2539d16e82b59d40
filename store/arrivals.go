package store

// arrivals knows up to which commit the events of all commits have arrived. It
// is guarded by the mutex of the queue.
type arrivals struct {
	through uint64              // every commit up to this one
	ahead   map[uint64]struct{} // and these, with gaps before them
	wanted  uint64              // what reached stands for; 0: nobody waits
	reached chan struct{}
}

func (a *arrivals) add(commit uint64) {
	if commit <= a.through {
		return // came after it was given up
	}
	if commit > a.through+1 {
		if a.ahead == nil {
			a.ahead = map[uint64]struct{}{}
		}
		a.ahead[commit] = struct{}{}
		return
	}
	a.advance(commit)
}

// advance moves to a commit and over those that wait behind it.
func (a *arrivals) advance(commit uint64) {
	a.through = commit
	for len(a.ahead) > 0 {
		if _, here := a.ahead[a.through+1]; !here {
			break
		}
		delete(a.ahead, a.through+1)
		a.through++
	}
	if a.wanted > 0 && a.through >= a.wanted {
		close(a.reached)
		a.wanted = 0
	}
}

// want returns a channel that is closed once every commit up to the given one
// has arrived, or nil when they have.
func (a *arrivals) want(commit uint64) <-chan struct{} {
	if a.through >= commit {
		return nil
	}
	a.wanted, a.reached = commit, make(chan struct{})
	return a.reached
}

// giveUp takes every commit up to the given one as arrived, and returns how
// many had not.
func (a *arrivals) giveUp(commit uint64) (missing uint64) {
	if commit <= a.through {
		return 0
	}
	missing = commit - a.through
	for n := range a.ahead {
		if n <= commit {
			delete(a.ahead, n)
			missing--
		}
	}
	a.advance(commit)
	return missing
}
