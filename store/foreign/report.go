package foreign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Outcome is what became of something that was read.
type Outcome string

// The outcomes, in the order of a table.
const (
	Taken        Outcome = "taken over"
	Approximated Outcome = "approximated"
	Unsupported  Outcome = "not supported"
)

// Row tells what became of one setting of one or more subjects: a deployment, a
// key, a section of the configuration.
type Row struct {
	Outcome  Outcome
	Subjects []string
	Note     string // how, or why not
}

// Report is what became of everything that was read.
type Report struct {
	rows  []Row
	index map[string]int
}

// Rows returns the rows: taken over, approximated, not supported; each in the
// order of the configuration.
func (r *Report) Rows() []Row {
	order := []Outcome{Taken, Approximated, Unsupported}
	rows := slices.Clone(r.rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Compare(slices.Index(order, a.Outcome), slices.Index(order, b.Outcome))
	})
	return rows
}

// Count returns how many subjects have the outcome.
func (r *Report) Count(o Outcome) int {
	n := 0
	for _, row := range r.rows {
		if row.Outcome == o {
			n += len(row.Subjects)
		}
	}
	return n
}

// add notes an outcome; subjects of which the same is told share a row.
func (r *Report) add(o Outcome, subject, format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	kind, _, _ := strings.Cut(subject, " ")
	key := string(o) + "\x00" + kind + "\x00" + note
	if r.index == nil {
		r.index = map[string]int{}
	}
	if i, found := r.index[key]; found {
		if !slices.Contains(r.rows[i].Subjects, subject) {
			r.rows[i].Subjects = append(r.rows[i].Subjects, subject)
		}
		return
	}
	r.index[key] = len(r.rows)
	r.rows = append(r.rows, Row{Outcome: o, Subjects: []string{subject}, Note: note})
}

const shownSubjects = 3

// What names the subjects of a row in one line.
func (r Row) What() string {
	shown := r.Subjects[:min(len(r.Subjects), shownSubjects)]
	kind, _, _ := strings.Cut(shown[0], " ")
	texts := []string{shown[0]}
	for _, subject := range shown[1:] {
		texts = append(texts, strings.TrimPrefix(subject, kind+" "))
	}
	text := strings.Join(texts, ", ")
	if more := len(r.Subjects) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
