package messages

import "strings"

// Versions of Claude that differ in how they are asked to think
// (https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking).
const (
	adaptiveFrom = 406 // takes thinking of the type adaptive
	adaptiveOnly = 407 // refuses a budget
)

// versionOf reads the version of a Claude from its name, as a hundred times the
// major and the minor number; 0 for other models. Names hold a date besides.
func versionOf(model string) int {
	_, rest, found := strings.Cut(model, "claude-")
	if !found {
		return 0
	}
	major := 0
	for word := range strings.FieldsFuncSeq(rest, func(c rune) bool { return strings.ContainsRune("-.@:", c) }) {
		n := shortNumber(word)
		switch {
		case major > 0:
			return major + max(n, 0)
		case n > 0:
			major = 100 * n
		}
	}
	return major
}

// shortNumber reads a number of one or two digits, -1 for anything else.
func shortNumber(word string) int {
	if len(word) > 2 {
		return -1
	}
	n := 0
	for _, c := range []byte(word) {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}
