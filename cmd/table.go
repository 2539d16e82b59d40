package cmd

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table is rows of text under titles.
type table struct {
	columns []column
	bare    bool // drawn without titles
	rows    [][]string
	total   []string // a last row for people; programs add up themselves
}

// column is the title of a column; numbers are aligned to the right.
type column struct {
	title string
	right bool
}

func left(title string) column  { return column{title: title} }
func right(title string) column { return column{title: title, right: true} }

// details makes a table of members and their values.
func details(pairs ...[]string) table {
	t := table{columns: []column{left("member"), left("value")}, bare: true}
	for _, pair := range pairs {
		if pair[1] != "" {
			t.rows = append(t.rows, pair)
		}
	}
	return t
}

const columnGap = 2

// leastColumn is the width below which a column is not squeezed.
const leastColumn = 8

// write draws the table; a width above 0 is that of the terminal.
func (t table) write(w io.Writer, width int, bold bool) error {
	lines := t.lines()
	widths := t.widths(lines)
	t.squeeze(widths, width)
	out := bufio.NewWriter(w)
	for i, line := range lines {
		heading := bold && i == 0 && !t.bare
		if heading {
			out.WriteString("\x1b[1m")
		}
		out.WriteString(t.line(line, widths))
		if heading {
			out.WriteString("\x1b[0m")
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// lines returns the titles, if they are drawn, and the rows, without control
// characters.
func (t table) lines() [][]string {
	lines := make([][]string, 0, len(t.rows)+2)
	if !t.bare {
		titles := make([]string, len(t.columns))
		for i, column := range t.columns {
			titles[i] = strings.ToUpper(column.title)
		}
		lines = append(lines, titles)
	}
	for _, row := range t.body() {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = printable(cell)
		}
		lines = append(lines, cells)
	}
	return lines
}

func (t table) body() [][]string {
	if t.total == nil {
		return t.rows
	}
	return append(slices.Clip(t.rows), t.total)
}

// printable keeps names and texts of others from steering the terminal.
func printable(cell string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, cell)
}

func (t table) widths(lines [][]string) []int {
	widths := make([]int, len(t.columns))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// squeeze takes from the widest left-aligned columns until the table fits.
func (t table) squeeze(widths []int, width int) {
	total := columnGap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; width > 0 && total > width; total-- {
		widest := -1
		for i, w := range widths {
			if !t.columns[i].right && w > leastColumn && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func (t table) line(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		cell = shorten(cell, widths[i])
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i > 0 {
			b.WriteString(strings.Repeat(" ", columnGap))
		}
		if t.columns[i].right {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func shorten(cell string, width int) string {
	if utf8.RuneCountInString(cell) <= width {
		return cell
	}
	return string([]rune(cell)[:width-1]) + "…"
}
