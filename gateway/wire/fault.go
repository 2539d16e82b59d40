package wire

import "strconv"

// A step of the grammar takes the index of a byte and returns the index behind
// what it has stepped over, or a fault: a negative number that says what is
// wrong, and where.

// flaw is what can be wrong with a JSON document.
type flaw int

const (
	whyValue flaw = iota
	whyName
	whyColon
	whyBrace
	whyBracket
	whyDeep
	whyEndless
	whyControl
	whyEscape
	whyEncoding
	whyNumber
	whyLarge
	whyTrailing
	flaws // how many there are
)

// flawBits is the room of a flaw within a fault.
const flawBits = 4

// fault says that the bytes at an index are wrong.
func fault(why flaw, at int) int { return ^(at<<flawBits | int(why)) }

// whyOf and whereOf read a fault.
func whyOf(fault int) flaw { return flaw(^fault & (1<<flawBits - 1)) }

func whereOf(fault int) int { return ^fault >> flawBits }

func (r flaw) String() string {
	return [flaws]string{
		whyValue:    "a value is expected",
		whyName:     "a member name in double quotes is expected",
		whyColon:    "a colon is expected",
		whyBrace:    "a comma or } is expected",
		whyBracket:  "a comma or ] is expected",
		whyDeep:     "it nests deeper than " + strconv.Itoa(MaxDepth) + " levels",
		whyEndless:  "a string does not end",
		whyControl:  "a control character in a string must be escaped",
		whyEscape:   "an escape in a string is not well formed, or half of a surrogate pair",
		whyEncoding: "it is not valid UTF-8",
		whyNumber:   "a number is not well formed",
		whyLarge:    "a number is too large",
		whyTrailing: "data after the end of the object",
	}[r]
}
