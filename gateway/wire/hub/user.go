package hub

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

// UserWithin returns whom the provider may tell apart, as a JSON string, for hosts
// that take a bounded number of characters, 64 at least. Of a longer text, such as
// the object that some agents send, it is the SHA-256 (FIPS 180-4) in hexadecimal;
// nil: the caller has said none.
func (r *Request) UserWithin(most int) []byte {
	value := r.Param(User)
	user, ok := TextOf(value)
	if !ok || utf8.RuneCount(user.Plain()) <= most {
		return value
	}
	sum := sha256.Sum256(user.Plain())
	return Text(hex.EncodeToString(sum[:])).Append(nil)
}
