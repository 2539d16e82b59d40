package matrix_test

import (
	"fmt"
	"slices"
	"strings"
)

// table counts the cells that pass.
type table struct {
	rows, columns []string // in the order in which they came
	counts        map[[2]string]*count
}

type count struct{ passed, all int }

func newTable() *table { return &table{counts: map[[2]string]*count{}} }

// add counts a cell by caller and upstream, by behaviour and upstream, and in the
// sums of each.
func (t *table) add(caller, upstream, behaviour string, passed bool) {
	for _, row := range []string{caller, "of " + behaviour, "all"} {
		for _, column := range []string{upstream, "all"} {
			at := [2]string{row, column}
			if t.counts[at] == nil {
				t.counts[at] = &count{}
				t.rows, t.columns = appended(t.rows, row), appended(t.columns, column)
			}
			if t.counts[at].all++; passed {
				t.counts[at].passed++
			}
		}
	}
}

func appended(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

func (t *table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-22s", "caller \\ upstream")
	columns := append(slices.DeleteFunc(slices.Clone(t.columns), func(name string) bool { return name == "all" }), "all")
	for _, column := range columns {
		fmt.Fprintf(&b, " %12s", column)
	}
	for _, first := range []string{"", "of ", "all"} {
		for _, row := range t.rows {
			if !strings.HasPrefix(row, first) || first == "" && (row == "all" || strings.HasPrefix(row, "of ")) {
				continue
			}
			fmt.Fprintf(&b, "\n%-22s", row)
			for _, column := range columns {
				c := t.counts[[2]string{row, column}]
				if c == nil {
					c = &count{}
				}
				fmt.Fprintf(&b, " %12s", fmt.Sprintf("%d/%d", c.passed, c.all))
			}
		}
	}
	return b.String()
}
