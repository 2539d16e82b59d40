package store

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the descriptive members, in bytes.
const (
	maxDisplayName = 200
	maxDescription = 4 << 10
	maxLabelKey    = 128
	maxLabelValue  = 256
	maxAnnotation  = 16 << 10
	maxEntries     = 64
)

// ownerSystem owns shipped records. It is the one owner that is no record.
const ownerSystem Kind = "system"

func (f *faults) metadata(m *Metadata) {
	f.addIf("metadata.name", checkName(f.kind, m.Name))
	if m.ID != "" && !IsID(m.ID) {
		f.add("metadata.id", "must be a UUID; leave it out and the server makes one")
	}
	f.addIf("metadata.displayName", checkLine(m.DisplayName, maxDisplayName))
	f.addIf("metadata.description", checkText(m.Description, maxDescription))
	f.entries("metadata.labels", m.Labels, maxLabelValue)
	f.entries("metadata.annotations", m.Annotations, maxAnnotation)
	f.owner(m.Owner)
}

func (f *faults) owner(owner *Ref) {
	switch {
	case owner == nil:
	case owner.Kind == ownerSystem:
		if owner.ID != "" {
			f.add("metadata.owner.id", "must be left out: system is no record")
		}
	case !isKind(owner.Kind):
		f.add("metadata.owner.kind", "must be system or the kind of a record, such as host")
	case owner.ID == "":
		f.add("metadata.owner.id", "must name a %s", owner.Kind)
	}
}

func isKind(kind Kind) bool { return slices.Contains(Kinds(), kind) }

func (f *faults) entries(field string, entries map[string]string, maxValue int) {
	if len(entries) > maxEntries {
		f.add(field, "must have at most %d entries", maxEntries)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		f.addIf(field+"."+key, checkLabelKey(key))
		f.addIf(field+"."+key, checkText(entries[key], maxValue))
	}
}

func checkLabelKey(key string) string {
	if len(key) > maxLabelKey || !labelKeyPattern.MatchString(key) {
		return "must have a key of 1 to 128 letters, digits and the characters . _ - /"
	}
	return ""
}

var labelKeyPattern = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

// checkLine returns what is wrong with one line of text, or "".
func checkLine(text string, most int) string {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "must be one line without control characters"
	}
	return checkText(text, most)
}

// checkText returns what is wrong with text that may have several lines, or "".
func checkText(text string, most int) string {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }
	switch {
	case !utf8.ValidString(text):
		return "must be valid UTF-8"
	case strings.ContainsFunc(text, control):
		return "must hold no control characters"
	case len(text) > most:
		return "must be at most " + byteCount(most) + " long"
	}
	return ""
}

func byteCount(n int) string {
	if n >= 1<<10 && n%(1<<10) == 0 {
		return strconv.Itoa(n>>10) + " KiB"
	}
	return strconv.Itoa(n) + " bytes"
}
