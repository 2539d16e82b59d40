package store

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

const (
	maxName      = 63
	maxModelName = 200
)

var (
	labelPattern     = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)
	modelNamePattern = regexp.MustCompile(`^[A-Za-z0-9._:/-]+$`)
)

// IsID reports whether text has the form of a record id, which no name has.
func IsID(text string) bool {
	return len(text) == 36 && strings.ToLower(text) == text && uuid.Validate(text) == nil
}

// NameFrom makes a record name from a display name: lower-cased, every run of
// other characters one dash, at most 63 characters, and "-2", "-3" … behind it
// while taken says so. It returns "" when nothing usable is left.
func NameFrom(displayName string, taken func(name string) bool) string {
	base := dashed(displayName)
	if base == "" || !taken(base) {
		return base
	}
	for n := 2; ; n++ {
		suffix := "-" + strconv.Itoa(n)
		name := strings.TrimRight(base[:min(len(base), maxName-len(suffix))], "-") + suffix
		if !taken(name) {
			return name
		}
	}
}

func dashed(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := b.String()
	return strings.Trim(name[:min(len(name), maxName)], "-")
}

// checkName returns what is wrong with the name of a record of the kind, or "".
func checkName(kind Kind, name string) string {
	switch {
	case name == "":
		return "must not be empty: give a name, or a displayName to make one from"
	case IsID(name):
		return "must not have the form of an id, since references could then mean either"
	case kind == KindModel:
		return checkModelName(name)
	}
	return checkLabel(name)
}

func checkLabel(name string) string {
	if len(name) > maxName || !labelPattern.MatchString(name) {
		return "must be 1 to 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit"
	}
	return ""
}

func checkModelName(name string) string {
	switch {
	case strings.Contains(name, "@"):
		return "must not hold @, which pins a host in references"
	case len(name) > maxModelName:
		return "must be at most 200 characters long"
	case !modelNamePattern.MatchString(name):
		return "must be made of letters, digits and the characters . _ - : /"
	}
	for segment := range strings.SplitSeq(name, "/") {
		switch segment {
		case "":
			return "must not begin or end with a slash or hold two in a row"
		case ".", "..":
			return "must not hold . or .. between slashes"
		}
	}
	return ""
}

// Nearest returns the candidate that word is most likely a misspelling of, or
// "" when none is near.
func Nearest(word string, candidates []string) string {
	best, distance := "", max(1, len(word)/3)+1
	for _, candidate := range candidates {
		if d := EditDistance(strings.ToLower(word), strings.ToLower(candidate)); d < distance {
			best, distance = candidate, d
		}
	}
	return best
}

// EditDistance counts the inserted, deleted, replaced and swapped bytes between
// a and b, which are names: of a text longer than any name it is the length.
func EditDistance(a, b string) int {
	if len(a) > maxModelName || len(b) > maxModelName {
		return max(len(a), len(b))
	}
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(last[j]+1, next[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
