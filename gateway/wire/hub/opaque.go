package hub

import (
	"bytes"
	"encoding/base64"
	"strings"

	"relay/gateway/wire"
)

// Opaque is a part of an answer that only the model that wrote it can read: the
// signature of a thought, thoughts that are redacted or encrypted. A caller sends
// it back with the next request, and it goes up again where it came from: to a
// host of the same shape and provider, byte for byte. Others never see it.
type Opaque struct {
	Shape    string // that it was read in; empty: there is no opaque part
	Provider string // of the host it came from; empty: unknown
	Kind     OpaqueKind
	ID       Text // of the item it belongs to, where its shape has one
	Data     Text
	Signed   Text // of an OpaqueSignature the text that it signs, where that goes another way than beside it
}

// OpaqueKind says what an Opaque is.
type OpaqueKind uint8

const (
	OpaqueSignature OpaqueKind = iota // of a text of reasoning, of a text or of a call
	OpaqueRedacted                    // in place of a text of reasoning
	OpaqueEncrypted                   // reasoning as a whole, beside its summary
)

// Present reports whether there is an opaque part.
func (o *Opaque) Present() bool { return o.Shape != "" }

// For reports whether the part may go to a host of the shape and provider.
func (o *Opaque) For(shape, provider string) bool {
	return o.Shape == shape && (o.Provider == "" || provider == "" || o.Provider == provider)
}

// sealMark begins what Seal writes; no provider's own parts begin so. sealBegins is
// how its first six bytes are written.
const (
	sealMark   = "relay1\x00"
	sealBegins = "cmVsYXkx"
)

// Seal writes the part as one text, for callers whose shape has a place for opaque
// parts of its own kind alone. It is base64 (RFC 4648, standard alphabet), as some
// clients insist, and the same for the same part.
func (o *Opaque) Seal() Text {
	inner := append([]byte(sealMark), o.Shape...)
	for _, field := range [...][]byte{[]byte(o.Provider), {'0' + byte(o.Kind)}, o.ID, o.Data} {
		inner = append(append(inner, 0), field...)
	}
	if len(o.Signed) > 0 {
		inner = append(append(inner, 0), o.Signed...)
	}
	return Text(base64.StdEncoding.EncodeToString(inner))
}

// Unsigned is a seal of nothing. It stands where a shape has a place for an opaque
// part and the answer has none, so that the answer is known again when it comes
// back: hosts of that shape would refuse it.
func Unsigned() Text { return (&Opaque{}).Seal() }

// HoldsSeal reports whether a body holds what begins like a seal. A seal is never
// written with escapes.
func HoldsSeal(body []byte) bool {
	const itsX = 5
	_, found := After(body, sealBegins, itsX)
	return found
}

// Unseal reads an opaque part that a caller sends back in the place that its shape
// has for them: what Seal wrote, or else a part of that shape's own. There is none
// in Unsigned and in what begins like a seal but has been cut or altered.
func Unseal(t Text, own Opaque) Opaque {
	if !bytes.HasPrefix(t, []byte(sealBegins)) {
		own.Data = t
		return own
	}
	inner, err := base64.StdEncoding.DecodeString(strings.Map(standard, t.String()))
	rest, found := strings.CutPrefix(string(inner), sealMark)
	fields := strings.Split(rest, "\x00")
	if err != nil || !found || len(fields) < 5 || len(fields) > 6 || fields[0] == "" || len(fields[2]) != 1 {
		return Opaque{}
	}
	sealed := Opaque{
		Shape: fields[0], Provider: fields[1], Kind: OpaqueKind(fields[2][0] - '0'),
		ID: Text(fields[3]), Data: Text(fields[4]),
	}
	if len(fields) > 5 {
		sealed.Signed = Text(fields[5])
	}
	if !sealed.ID.sound() || !sealed.Data.sound() || !sealed.Signed.sound() {
		return Opaque{}
	}
	return sealed
}

// standard turns the alphabet of base64 for addresses (RFC 4648, section 5) into the
// standard one: some clients read the bytes of an opaque part and write them so.
func standard(r rune) rune {
	switch r {
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return r
}

// sound reports whether the text can stand in a body that goes up. A caller may
// have sealed anything.
func (t Text) sound() bool {
	object := append(t.AppendAfter(nil, `{"":`), '}')
	return wire.Valid(object[len(`{"":`):len(object)-1]) && wire.Scan(object, &wire.Members{}) == nil
}
