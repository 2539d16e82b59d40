package hub

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// sealsMark begins, behind the mark of a seal, what SealAll writes of several: no
// shape's name begins so.
const sealsMark = sealMark + "\x01"

// SealAll writes parts as one text, for shapes whose clients keep fewer opaque parts
// than an answer has: all of them come back or none. Of one it is what Seal writes.
func SealAll(parts []Opaque) Text {
	if len(parts) == 1 {
		return parts[0].Seal()
	}
	inner := strconv.AppendInt([]byte(sealsMark), int64(len(parts)), 10)
	for i := range parts {
		inner = append(append(inner, 0), parts[i].Seal()...)
	}
	return Text(base64.StdEncoding.EncodeToString(inner))
}

// UnsealAll calls take with each part of what SealAll wrote, in order, or with what
// Unseal finds. A list with a part that is none is none.
func UnsealAll(t Text, own Opaque, take func(Opaque)) {
	inner, err := base64.StdEncoding.DecodeString(strings.Map(standard, string(t)))
	rest, listed := strings.CutPrefix(string(inner), sealsMark)
	if err != nil || !listed {
		take(Unseal(t, own))
		return
	}
	seals := strings.Split(rest, "\x00")
	var parts []Opaque
	for _, seal := range seals[1:] {
		if part := Unseal(Text(seal), Opaque{}); part.Present() {
			parts = append(parts, part)
		}
	}
	if seals[0] != strconv.Itoa(len(parts)) {
		return
	}
	for _, part := range parts {
		take(part)
	}
}
