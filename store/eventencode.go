package store

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// An encoded event is a version byte, a CRC-32C of all other bytes, and fields:
// one byte of number and form each, then the value.
const (
	eventVersion = 1
	eventHeader  = 5

	formNumber  = 0 // varint
	formID      = 1 // 16 bytes
	formText    = 2 // varint of the length, bytes
	formWord    = 3 // varint, a place in the field's list of words
	formBits    = 2
	idSize      = 16
	idTextSize  = 36
	hexDigits   = "0123456789abcdef"
	maxInterned = 4096
)

// AppendEvent appends the encoded event to dst. It allocates nothing when dst
// has room. The time is kept to the nanosecond; Seq is not part of it.
func AppendEvent(dst []byte, e *Event) []byte {
	start := len(dst)
	w := eventWriter{append(dst, eventVersion, 0, 0, 0, 0)}
	if !e.At.IsZero() {
		w.number(fieldAt, e.At.UnixNano())
	}
	for f := firstText; f <= lastText; f++ {
		w.textIfAny(f, *f.text(e))
	}
	for f := firstNumber; f <= lastNumber; f++ {
		w.numberIfAny(f, *f.number(e))
	}
	w.numberIfAny(fieldStatus, int64(e.Status))
	w.numberIfAny(fieldFlags, e.flags())
	w.numberIfAny(fieldSeconds, int64(math.Float64bits(e.Units.Seconds)))
	if e.CostNanos != nil {
		w.number(fieldCost, *e.CostNanos)
	}
	w.lists(e)
	binary.BigEndian.PutUint32(w.b[start+1:], eventSum(w.b[start:]))
	return w.b
}

// eventSum is the checksum of everything but itself.
func eventSum(b []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Update(0, table, b[:1]), table, b[eventHeader:])
}

func (e *Event) flags() (flags int64) {
	if e.Streamed {
		flags |= flagStreamed
	}
	if e.UsageMissing {
		flags |= flagUsageMissing
	}
	if e.UsageClamped {
		flags |= flagUsageClamped
	}
	if e.Truncated {
		flags |= flagTruncated
	}
	return flags
}

type eventWriter struct{ b []byte }

func (w *eventWriter) lists(e *Event) {
	for _, policy := range e.Policies {
		w.text(fieldPolicy, policy)
	}
	for i := range e.Attempts {
		w.attempt(e, &e.Attempts[i])
	}
	for i := range e.CostBreakdown {
		w.text(fieldPart, e.CostBreakdown[i].Meter)
		w.numberIfAny(fieldPartNanos, e.CostBreakdown[i].Nanos)
	}
	for key, value := range e.Tags {
		w.text(fieldTag, key)
		w.textIfAny(fieldTagValue, value)
	}
}

func (w *eventWriter) attempt(e *Event, a *EventAttempt) {
	head := int64(a.Status) << attemptFlags
	if a.HostKey == e.HostKey {
		head |= attemptSameKey
	}
	if a.Model == e.Model {
		head |= attemptSameModel
	}
	w.number(fieldAttempt, head)
	if a.HostKey != e.HostKey {
		w.text(fieldAttemptHostKey, a.HostKey)
	}
	if a.Model != e.Model {
		w.text(fieldAttemptModel, a.Model)
	}
	w.textIfAny(fieldAttemptErrorKind, a.ErrorKind)
	w.numberIfAny(fieldAttemptDuration, a.MS)
}

func (w *eventWriter) head(f eventField, form byte) { w.b = append(w.b, byte(f)<<formBits|form) }

func (w *eventWriter) number(f eventField, n int64) {
	w.head(f, formNumber)
	w.b = binary.AppendUvarint(w.b, uint64(n))
}

func (w *eventWriter) numberIfAny(f eventField, n int64) {
	if n != 0 {
		w.number(f, n)
	}
}

func (w *eventWriter) textIfAny(f eventField, text string) {
	if text != "" {
		w.text(f, text)
	}
}

func (w *eventWriter) text(f eventField, text string) {
	if id, ok := packID(text); ok {
		w.head(f, formID)
		w.b = append(w.b, id[:]...)
		return
	}
	for i, word := range f.words() {
		if word == text {
			w.head(f, formWord)
			w.b = binary.AppendUvarint(w.b, uint64(i))
			return
		}
	}
	w.head(f, formText)
	w.b = binary.AppendUvarint(w.b, uint64(len(text)))
	w.b = append(w.b, text...)
}

// hexValues is one more than the value of each digit that packID takes.
var hexValues = [256]uint8{
	'0': 1, '1': 2, '2': 3, '3': 4, '4': 5, '5': 6, '6': 7, '7': 8, '8': 9, '9': 10,
	'a': 11, 'b': 12, 'c': 13, 'd': 14, 'e': 15, 'f': 16,
}

// idDigits is where the pairs of digits stand in the text of an id.
var idDigits = [idSize]uint8{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// packID packs an id in the one form that unpackID writes.
func packID(text string) (id [idSize]byte, ok bool) {
	if len(text) != idTextSize || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	for i, at := range idDigits {
		high, low := hexValues[text[at]], hexValues[text[at+1]]
		if high == 0 || low == 0 {
			return id, false
		}
		id[i] = (high-1)<<4 | (low - 1)
	}
	return id, true
}

func unpackID(id []byte) string {
	text := [idTextSize]byte{8: '-', 13: '-', 18: '-', 23: '-'}
	for i, at := range idDigits {
		text[at], text[at+1] = hexDigits[id[i]>>4], hexDigits[id[i]&15]
	}
	return string(text[:])
}
