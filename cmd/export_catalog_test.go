package cmd

import (
	"time"

	"relay/admin"
	"relay/store"
	"relay/store/catalogdata"
)

// ShippedCatalogue is the catalogue of a database at a time that tests set.
type ShippedCatalogue struct{ c catalogue }

func NewShippedCatalogue(db *store.DB, now func() time.Time) *ShippedCatalogue {
	return &ShippedCatalogue{catalogue{db: db, now: now}}
}

// Boot is what a start of Relay with the embedded catalogue does.
func (s *ShippedCatalogue) Boot(embedded *catalogdata.Data) (changes catalogdata.Changes, err error) {
	_, err = s.c.db.Write(func(e *store.Edit) error {
		changes, err = s.c.boot(e, embedded)
		return err
	})
	return changes, err
}

func (s *ShippedCatalogue) API() admin.Catalogue { return &s.c }

func (s *ShippedCatalogue) Warnings() []store.Problem { return s.c.warnings() }
