package admin

import (
	"reflect"
	"time"

	"relay/store"
)

// keepReadOnly gives rec the read-only members of what is stored. Those that
// the caller sent have to be equal, so that what was read can be edited and
// sent back.
func keepReadOnly(rec, stored store.AnyRecord) error {
	var faults []store.Problem
	faults = append(faults, keepIn("metadata.", reflect.ValueOf(rec.Meta()).Elem(), reflect.ValueOf(stored.Meta()).Elem())...)
	faults = append(faults, keepIn("spec.", reflect.ValueOf(rec.SpecValue()).Elem(), reflect.ValueOf(stored.SpecValue()).Elem())...)
	rec.Meta().Generation = stored.Meta().Generation
	return invalid(faults...)
}

func keepIn(prefix string, sent, stored reflect.Value) []store.Problem {
	var faults []store.Problem
	eachField(stored, func(name string, field reflect.StructField, kept reflect.Value) {
		if field.Tag.Get("readOnly") != "true" {
			return
		}
		given := sent.FieldByIndex(field.Index)
		if !given.IsZero() && !alike(given.Interface(), kept.Interface()) {
			faults = append(faults, store.Problem{Field: prefix + name, Message: "is read-only; leave it out or send it back as it was read"})
		}
		given.Set(kept)
	})
	return faults
}

func alike(a, b any) bool {
	switch a := a.(type) {
	case time.Time:
		return a.Equal(b.(time.Time))
	case *time.Time:
		other := b.(*time.Time)
		return other != nil && a.Equal(*other)
	}
	return reflect.DeepEqual(a, b)
}
