package foreign

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// object is a mapping that was read. Its values are texts, lists ([]any),
// objects, or nil. It remembers which members were looked at, so that the
// others can be told.
type object struct {
	names  []string
	values map[string]any
	taken  map[string]bool
}

func newObject() *object {
	return &object{values: map[string]any{}, taken: map[string]bool{}}
}

// set adds a member; of two with one name the later wins, as in most readers.
func (o *object) set(name string, value any) {
	if _, there := o.values[name]; !there {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// take returns a member, and marks it as looked at. Of a nil object every
// member is nil.
func (o *object) take(name string) any {
	if o == nil {
		return nil
	}
	o.taken[name] = true
	return o.values[name]
}

// text returns a member that is a single value, without blanks around it.
func (o *object) text(name string) string {
	text, _ := o.take(name).(string)
	return strings.TrimSpace(text)
}

// number returns a member as a number, in quotes or not.
func (o *object) number(name string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(o.text(name), "_", ""), 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

// whole returns a member as a whole number above 0.
func (o *object) whole(name string) (int64, bool) {
	n, ok := o.number(name)
	if !ok || n < 1 || n > 1e15 {
		return 0, false
	}
	return int64(n), true
}

// boolean reports whether a member is true in one of the ways in which files and
// databases write it.
func (o *object) boolean(name string) bool {
	return slices.Contains([]string{"true", "t", "1", "yes", "on"}, strings.ToLower(o.text(name)))
}

func (o *object) object(name string) *object {
	child, _ := o.take(name).(*object)
	return child
}

func (o *object) list(name string) []any {
	list, _ := o.take(name).([]any)
	return list
}

// instant returns a member as a time, in the forms of databases and of JSON.
func (o *object) instant(name string) *time.Time {
	text := o.text(name)
	for _, form := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999-07", "2006-01-02 15:04:05.999999999", time.DateOnly,
	} {
		if at, err := time.Parse(form, text); err == nil {
			at = at.UTC()
			return &at
		}
	}
	return nil
}

// rest returns the members that nobody has looked at and that say something, in
// their order.
func (o *object) rest() []string {
	if o == nil {
		return nil
	}
	var names []string
	for _, name := range o.names {
		if !o.taken[name] && says(o.values[name]) {
			names = append(names, name)
		}
	}
	return names
}

// says reports whether a value is other than what stands for nothing.
func says(value any) bool {
	switch value := value.(type) {
	case string:
		return !slices.Contains([]string{"", "0", "false", "f", "null", "NULL", `\N`, "{}", "[]"}, strings.TrimSpace(value))
	case []any:
		return len(value) > 0
	case *object:
		return len(value.names) > 0
	}
	return false
}

// texts returns a value that lists texts: a list, or one text.
func texts(value any) []string {
	if text, ok := value.(string); ok {
		value = []any{text}
	}
	list, _ := value.([]any)
	var out []string
	for _, element := range list {
		if text, ok := element.(string); ok && strings.TrimSpace(text) != "" {
			out = append(out, strings.TrimSpace(text))
		}
	}
	return out
}

func words(text, separators string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(separators, r) || r == ' ' || r == '\n' || r == '\r' || r == '\t'
	})
}
