package store

import (
	"fmt"
	"time"
)

// UncleanStop tells of a run that ended without Close: killed, or by a power
// cut.
type UncleanStop struct {
	Since      time.Time // when that run began to record usage
	Through    time.Time // what was recorded before is in the database; zero: nothing was
	Unrecorded int       // about how many requests have left no event
}

// UncleanStop returns how the last run that recorded usage ended, or nil when
// it closed the database and had nothing left to write.
func (db *DB) UncleanStop() *UncleanStop { return db.unclean }

func (s *UncleanStop) String() string {
	lost := "what came after that may be missing"
	if s.Unrecorded > 0 {
		lost = fmt.Sprintf("about %d requests after that may be missing", s.Unrecorded)
	}
	through := "it had recorded nothing"
	if !s.Through.IsZero() {
		through = "usage is on disk through " + s.Through.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("the run that began at %s did not stop as it should: %s, and %s",
		s.Since.UTC().Format(time.RFC3339), through, lost)
}

// uncleanStop reads from the state of the usage bucket how the last run ended.
// Missing are the requests that were open at the last batch, and of later ones
// those of a batch that was on its way and of one that gathered behind it.
func (s usageState) uncleanStop() *UncleanStop {
	if s.Running.IsZero() {
		return nil
	}
	return &UncleanStop{Since: s.Running, Through: s.Through, Unrecorded: s.Open + 2*s.Recent}
}

// reportStop logs that the last run did not close the database.
func (db *DB) reportStop() {
	if s := db.unclean; s != nil {
		db.log.Warn().Time("running_since", s.Since).Time("durable_through", s.Through).Int("unrecorded_about", s.Unrecorded).
			Msg("the last run did not stop as it should: usage after durable_through may be missing")
	}
}
