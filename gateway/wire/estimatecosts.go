package wire

import "strings"

// hundred is a token in the unit that costs of text are in.
const hundred = 100

// Stand-ins for what is no byte of ASCII, or none that a text is written with.
const (
	begins  = 0x01 // the beginning of a text
	accent  = 0x02 // a Latin letter that is not ASCII
	wide    = 0x03 // any other rune that is not ASCII
	control = 0x7f // a control character
)

// costs holds, at 128 x the byte before + the byte, what a byte of ASCII costs behind
// another, in hundredths of a token. Where words, numbers and runs of blanks begin, and
// where letters meet that seldom do, tokenizers begin a token; what is between is free
// or cheap. The numbers are fitted to published tokenizers, see
// testdata/estimate/README.md.
var costs = costsOfPairs()

func costsOfPairs() (table [128 * 128]uint8) {
	for before := range byte(128) {
		for c := range byte(128) {
			table[int(before)<<7|int(c)] = costOf(before, c)
		}
	}
	return table
}

// costOf returns what c costs behind a byte.
func costOf(before, c byte) uint8 {
	switch {
	case isLetter(c):
		return costOfLetter(before, c)
	case isDigit(c) && before == ' ':
		return 140
	case isDigit(c):
		return 105 // some tokenizers take three digits for a token, more take one
	case c == ' ':
		return costOfSpace(before)
	case isLineEnd(c):
		return costOfLineEnd(before)
	case c == '\t' && (before == '\t' || before == ' '):
		return 15
	case c == '\t':
		return 105
	case c == control:
		return hundred
	case c == accent && !isLetter(before) && before != accent:
		return 20 // beside what scripts says
	case c > ' ':
		return costOfMark(before, c)
	}
	return 0
}

func costOfLetter(before, c byte) uint8 {
	switch {
	case before == c:
		return 45
	case isLower(before) && isUpper(c):
		return 80
	case isLetter(before) && !areJoined(before|0x20, c|0x20):
		return 72
	case isLetter(before) && isUpper(c):
		return 25
	case isLetter(before):
		return 8
	case before == ' ' || before == accent:
		return 45
	}
	return 115
}

func costOfSpace(before byte) uint8 {
	switch {
	case before == ' ' || before == '\t':
		return 4
	case isLower(before) || before == accent:
		return 30
	case isLineEnd(before) || before == begins:
		return 150
	}
	return 80
}

func costOfLineEnd(before byte) uint8 {
	switch {
	case isLineEnd(before):
		return 15
	case isLetter(before) || isDigit(before) || before == accent:
		return 110
	}
	return 55
}

// costOfMark is for punctuation.
func costOfMark(before, c byte) uint8 {
	switch {
	case before == c:
		return 10
	case isLower(before) || before == accent:
		return 5
	case before == ' ':
		return 20
	case isDigit(before) || isUpper(before) || before == wide:
		return 120
	}
	return 80
}

// joined holds, for each letter, those behind it with which tokenizers mostly keep it
// in one token. In English and in code most pairs are such, in other languages that
// are written with Latin letters fewer, in identifiers made by chance hardly any.
var joined = [26]string{
	"bcglnrst",     // a
	"eluy",         // b
	"aeikltou",     // c
	"eio",          // d
	"acdfmnpqrsvx", // e
	"aefiort",      // f
	"e",            // g
	"aet",          // h
	"cdeflnost",    // i
	"",             // j
	"",             // k
	"efiloy",       // l
	"eop",          // m
	"cdgpst",       // n
	"cdfmnortuw",   // o
	"aelmoprt",     // p
	"u",            // q
	"egikmnorstuy", // r
	"eopst",        // s
	"ehioprty",     // t
	"beflprst",     // u
	"ei",           // v
	"hi",           // w
	"p",            // x
	"",             // y
	"",             // z
}

func areJoined(before, c byte) bool { return strings.IndexByte(joined[before-'a'], c) >= 0 }

func isLower(c byte) bool { return c-'a' < 26 }

func isUpper(c byte) bool { return c-'A' < 26 }

func isLetter(c byte) bool { return isLower(c | 0x20) }

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }
