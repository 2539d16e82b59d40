package cmd

import (
	"reflect"
	"strings"

	"relay/store"
)

// ConfigKey is a line of the example file: a section when Default is "".
type ConfigKey struct {
	Key, Doc, Default string
}

// ConfigKeys lists the sections and keys of Config in its order, with defaults
// as a file writes them.
func ConfigKeys() []ConfigKey {
	var keys []ConfigKey
	sections := map[string]bool{}
	for _, leaf := range configLeaves() {
		for at, c := range leaf.key {
			if section := leaf.key[:at]; c == '.' && !sections[section] {
				sections[section] = true
				keys = append(keys, ConfigKey{Key: section, Doc: sectionDoc(reflect.TypeFor[Config](), section)})
			}
		}
		keys = append(keys, ConfigKey{leaf.key, leaf.doc, leaf.text()})
	}
	return keys
}

func sectionDoc(t reflect.Type, path string) string {
	name, inner, nested := strings.Cut(path, ".")
	for i := range t.NumField() {
		switch field := t.Field(i); {
		case field.Tag.Get("mapstructure") != name:
		case nested:
			return sectionDoc(field.Type, inner)
		default:
			return field.Tag.Get("doc")
		}
	}
	return ""
}

// Dollars is how money is written.
func Dollars(nanos int64) string { return dollars(nanos) }

// Expand puts variables in the place of ${NAME}.
func Expand(text string, env Environment) (string, error) { return expand(text, env) }

// DrawTable draws rows of a left-aligned and a right-aligned column.
func DrawTable(width int, titles [2]string, rows ...[]string) string {
	var b strings.Builder
	t := table{columns: []column{left(titles[0]), right(titles[1])}, rows: rows}
	if err := t.write(&b, width, false); err != nil {
		return err.Error()
	}
	return b.String()
}

// WriteCSV writes rows of two columns.
func WriteCSV(rows ...[]string) string {
	var b strings.Builder
	if err := writeCSV(&b, table{columns: []column{left("a"), left("b")}, rows: rows}); err != nil {
		return err.Error()
	}
	return b.String()
}

// WriteYAML writes JSON as YAML.
func WriteYAML(body any) (string, error) {
	var b strings.Builder
	err := writeYAML(&b, body)
	return b.String(), err
}

// CapsInWords says what limits and budgets allow.
func CapsInWords(limits *store.Limits, budgets []store.Budget) string {
	return inWords(limits, budgets)
}

// ExitCode is the exit code of an error.
func ExitCode(err error) int { return exitCode(err) }

// NewLogBuffer is the writer behind a server's logger.
var NewLogBuffer = newLogBuffer

// ClockWarnings tells of a clock that cannot be right.
var ClockWarnings = clockWarnings

// LimitsUnder returns the switches of limits that hold under a catalog.
func LimitsUnder(cfg Config, c *store.Catalog) LimitsConfig { return cfg.limits(c) }
