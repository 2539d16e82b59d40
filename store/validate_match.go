package store

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a match.
const (
	maxMatchDepth  = 3
	maxMatchLeaves = 16
	maxMatchValues = 64
	maxMatchRegex  = 256
)

func matchDimensions() []string {
	return []string{"team", "project", "member", "key", "user", "model", "model_name", "provider", "endpoint"}
}

func (f *faults) match(m *Match) {
	if m == nil {
		return
	}
	w := matchWalk{faults: f}
	w.node("spec.match", m, 0)
	if w.leaves > maxMatchLeaves {
		f.add("spec.match", "must have at most %d leaves", maxMatchLeaves)
	}
	if w.values > maxMatchValues {
		f.add("spec.match", "must have at most %d values", maxMatchValues)
	}
}

type matchWalk struct {
	*faults
	leaves, values int
}

func (w *matchWalk) node(field string, m *Match, depth int) {
	leaf := m.Dim != "" || m.Op != "" || m.Value != nil
	forms := 0
	for _, given := range []bool{leaf, m.All != nil, m.Any != nil, m.Not != nil} {
		if given {
			forms++
		}
	}
	switch {
	case forms != 1:
		w.add(field, "must be exactly one of all, any, not, or a leaf with dim, op and value")
	case leaf:
		w.leaf(field, m)
	case depth == maxMatchDepth:
		w.add(field, "must be nested at most %d deep", maxMatchDepth)
	case m.Not != nil:
		w.node(field+".not", m.Not, depth+1)
	default:
		w.list(field+".all", m.All, m.All != nil, depth)
		w.list(field+".any", m.Any, m.Any != nil, depth)
	}
}

func (w *matchWalk) list(field string, nodes []Match, given bool, depth int) {
	if given && len(nodes) == 0 {
		w.add(field, "must not be empty")
	}
	for i := range nodes {
		w.node(item(field, i), &nodes[i], depth+1)
	}
}

func (w *matchWalk) leaf(field string, m *Match) {
	w.leaves++
	w.choice(field+".dim", m.Dim, matchDimensions())
	if m.Op == "" {
		w.add(field+".op", "must be one of eq, ne, in, regex")
	}
	values, list := m.Values()
	w.values += len(values)
	switch {
	case len(values) == 0:
		w.add(field+".value", "must be text, or a list of texts with op in")
	case m.Op == "in" && !list:
		w.add(field+".value", "must be a list with op in")
	case m.Op != "in" && list:
		w.add(field+".value", "must be one text; for a list use op in")
	case m.Op == "regex":
		w.regex(field+".value", values[0])
	default:
		w.texts(field+".value", m.Dim, values)
	}
}

// texts refuses values that no request has.
func (w *matchWalk) texts(field, dim string, values []string) {
	for _, value := range values {
		switch {
		case value == "":
			w.add(field, "must not be empty, and hold no empty text")
			return
		case dim == "endpoint" && !slices.Contains(Endpoints(), value):
			w.add(field, "must be endpoints: %s", strings.Join(Endpoints(), ", "))
			return
		}
	}
}

func (w *matchWalk) regex(field, pattern string) {
	if utf8.RuneCountInString(pattern) > maxMatchRegex {
		w.add(field, "must be at most %d characters long", maxMatchRegex)
		return
	}
	if _, err := regexp.Compile(pattern); err != nil {
		w.add(field, "must be a regular expression as RE2 reads them: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
}

// Values returns the texts of a leaf and whether they were written as a list.
// It returns none when the value is anything but text or a list of texts.
func (m *Match) Values() (values []string, list bool) {
	switch value := m.Value.(type) {
	case string:
		return []string{value}, false
	case []string:
		return slices.Clone(value), true
	case []any:
		for _, v := range value {
			text, ok := v.(string)
			if !ok {
				return nil, true
			}
			values = append(values, text)
		}
		return values, true
	}
	return nil, false
}
