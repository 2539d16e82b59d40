package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// DecodeEvent reads what AppendEvent has made into e, whatever e held before.
// It refuses bytes that have changed since, and never panics.
func DecodeEvent(b []byte, e *Event) error {
	var r eventReader
	return r.read(b, 0, e)
}

// eventReader reads events. With ids it gives equal ids one string.
type eventReader struct {
	b   []byte
	tag string // the one that a value belongs to
	ids map[[idSize]byte]string
}

// readRow reads an event that bindEvent has bound to its key.
func (r *eventReader) readRow(key, value []byte, e *Event) error {
	if len(key) != eventKeySize {
		return errors.New("event has a key of another form")
	}
	err := r.read(value, eventKeySum(key), e)
	e.Seq = eventSequence(key)
	return err
}

// read reads an event whose checksum is mixed with mask.
func (r *eventReader) read(b []byte, mask uint32, e *Event) error {
	*e, r.tag = Event{}, ""
	switch {
	case len(b) < eventHeader:
		return errors.New("event is cut short")
	case b[0] != eventVersion:
		return fmt.Errorf("event has the unknown format %d", b[0])
	case binary.BigEndian.Uint32(b[1:])^mask != eventSum(b):
		return errors.New("event does not match its checksum")
	}
	for r.b = b[eventHeader:]; len(r.b) > 0; {
		if err := r.field(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *eventReader) field(e *Event) error {
	f, form := eventField(r.b[0]>>formBits), r.b[0]&(1<<formBits-1)
	r.b = r.b[1:]
	if form == formNumber {
		n, err := r.varint()
		if err != nil {
			return err
		}
		return setNumber(e, f, int64(n))
	}
	text, err := r.text(f, form)
	if err != nil {
		return err
	}
	return r.setText(e, f, text)
}

func (r *eventReader) varint() (uint64, error) {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		return 0, errors.New("event holds a broken number")
	}
	r.b = r.b[size:]
	return n, nil
}

func (r *eventReader) take(size uint64) ([]byte, error) {
	if size > uint64(len(r.b)) {
		return nil, errors.New("event ends within a member")
	}
	taken := r.b[:size]
	r.b = r.b[size:]
	return taken, nil
}

func (r *eventReader) text(f eventField, form byte) (string, error) {
	if form == formID {
		id, err := r.take(idSize)
		if err != nil {
			return "", err
		}
		return r.id(f, id), nil
	}
	n, err := r.varint()
	if err != nil {
		return "", err
	}
	if form == formWord {
		return word(f, n)
	}
	text, err := r.take(n)
	return string(text), err
}

func (r *eventReader) id(f eventField, id []byte) string {
	if r.ids == nil || f == fieldRequestID || f == fieldSession {
		return unpackID(id)
	}
	key := [idSize]byte(id)
	text, known := r.ids[key]
	if !known {
		text = unpackID(id)
		if len(r.ids) < maxInterned {
			r.ids[key] = text
		}
	}
	return text
}

func word(f eventField, n uint64) (string, error) {
	words := f.words()
	if n >= uint64(len(words)) {
		return "", fmt.Errorf("event holds word %d of field %d, which this version does not know", n, f)
	}
	return words[n], nil
}

func setNumber(e *Event, f eventField, n int64) error {
	if member := f.number(e); member != nil {
		*member = n
		return nil
	}
	switch f {
	case fieldAt:
		e.At = time.Unix(0, n).UTC()
	case fieldStatus:
		e.Status = int(n)
	case fieldFlags:
		e.Streamed, e.Truncated = n&flagStreamed != 0, n&flagTruncated != 0
		e.UsageMissing, e.UsageClamped = n&flagUsageMissing != 0, n&flagUsageClamped != 0
	case fieldSeconds:
		e.Units.Seconds = math.Float64frombits(uint64(n))
	case fieldCost:
		cost := n
		e.CostNanos = &cost
	case fieldAttempt:
		beginAttempt(e, n)
	case fieldAttemptDuration:
		return setLast(e.Attempts, func(a *EventAttempt) { a.MS = n })
	case fieldPartNanos:
		return setLast(e.CostBreakdown, func(p *CostPart) { p.Nanos = n })
	}
	return nil
}

func beginAttempt(e *Event, head int64) {
	a := EventAttempt{Status: int(head >> attemptFlags)}
	if head&attemptSameKey != 0 {
		a.HostKey = e.HostKey
	}
	if head&attemptSameModel != 0 {
		a.Model = e.Model
	}
	e.Attempts = append(e.Attempts, a)
}

func (r *eventReader) setText(e *Event, f eventField, text string) error {
	if member := f.text(e); member != nil {
		*member = text
		return nil
	}
	switch f {
	case fieldPolicy:
		e.Policies = append(e.Policies, text)
	case fieldAttemptHostKey:
		return setLast(e.Attempts, func(a *EventAttempt) { a.HostKey = text })
	case fieldAttemptModel:
		return setLast(e.Attempts, func(a *EventAttempt) { a.Model = text })
	case fieldAttemptErrorKind:
		return setLast(e.Attempts, func(a *EventAttempt) { a.ErrorKind = text })
	case fieldPart:
		e.CostBreakdown = append(e.CostBreakdown, CostPart{Meter: text})
	case fieldTag:
		r.setTag(e, text, "")
	case fieldTagValue:
		r.setTag(e, r.tag, text)
	}
	return nil
}

func (r *eventReader) setTag(e *Event, key, value string) {
	if e.Tags == nil {
		e.Tags = map[string]string{}
	}
	r.tag, e.Tags[key] = key, value
}

// setLast changes the item of a list that was begun last.
func setLast[T any](list []T, set func(*T)) error {
	if len(list) == 0 {
		return errors.New("event holds a member of an item that is not there")
	}
	set(&list[len(list)-1])
	return nil
}
