package foreign

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var insertPattern = regexp.MustCompile(`(?i)^(?:INSERT|REPLACE)(?:\s+OR\s+\w+|\s+IGNORE)?\s+INTO\s+`)

var createPattern = regexp.MustCompile(`(?i)^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?`)

// isDump reports whether a text has statements of SQL.
func isDump(text []byte) bool {
	return bytes.Contains(bytes.ToUpper(text), []byte("INSERT INTO")) || bytes.Contains(bytes.ToUpper(text), []byte("REPLACE INTO"))
}

// readDump reads the rows that INSERT statements hold, in the dialects of SQLite,
// MySQL and PostgreSQL (--inserts). Columns are those of the statement, else those
// of CREATE TABLE before it.
func readDump(text []byte) (map[string][]*object, error) {
	d := &dump{lexer: lexer{text: text}, columns: map[string][]string{}, tables: map[string][]*object{}}
	for {
		start := d.skip()
		if start < 0 {
			return d.tables, nil
		}
		if err := d.statement(); err != nil {
			return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(text[:start], []byte("\n")), err)
		}
	}
}

type dump struct {
	lexer
	columns map[string][]string
	tables  map[string][]*object
	rows    int
}

// statement reads one statement, and passes over those that hold no rows.
func (d *dump) statement() error {
	rest := d.text[d.at:]
	head := rest[:min(len(rest), 200)]
	switch {
	case createPattern.Match(head):
		d.at += len(createPattern.Find(head))
		d.create()
	case insertPattern.Match(head):
		d.at += len(insertPattern.Find(head))
		return d.insert()
	}
	d.finish()
	return nil
}

// create notes the names of columns: the first word after each comma of the
// outermost parenthesis, save what begins a key or a constraint.
func (d *dump) create() {
	table := d.name()
	if t := d.token(); t.text != "(" || t.quoted {
		return
	}
	var columns []string
	depth, fresh := 1, true
	for depth > 0 {
		t := d.token()
		switch {
		case t.end || t.text == ";" && !t.quoted:
			return
		case t.quoted && t.literal:
		case !t.quoted && t.text == "(":
			depth++
		case !t.quoted && t.text == ")":
			depth--
		case !t.quoted && t.text == "," && depth == 1:
			fresh = true
			continue
		case fresh && depth == 1 && (t.quoted || !slices.Contains([]string{"PRIMARY", "UNIQUE", "KEY", "INDEX", "CONSTRAINT", "FOREIGN", "FULLTEXT", "CHECK"}, strings.ToUpper(t.text))):
			columns = append(columns, t.text)
		}
		fresh = false
	}
	d.columns[table] = columns
}

func (d *dump) insert() error {
	table := d.name()
	columns := d.columns[table]
	t := d.token()
	if t.text == "(" && !t.quoted {
		columns = nil
		for t = d.token(); !t.end && (t.quoted || t.text != ")"); t = d.token() {
			if t.quoted || t.text != "," {
				columns = append(columns, t.text)
			}
		}
		t = d.token()
	}
	if !strings.EqualFold(t.text, "VALUES") {
		d.finish()
		return nil
	}
	for {
		if t = d.token(); t.quoted || t.text != "(" {
			return fmt.Errorf("values of table %s do not begin with a parenthesis", table)
		}
		if err := d.row(table, columns); err != nil {
			return err
		}
		if t = d.token(); t.quoted || t.text != "," {
			break
		}
	}
	if !t.end && (t.quoted || t.text != ";") {
		d.finish()
	}
	return nil
}

func (d *dump) row(table string, columns []string) error {
	if d.rows++; d.rows > maxRows {
		return fmt.Errorf("the dump has more than %d rows: leave logs out", maxRows)
	}
	row := newObject()
	var value any
	for i := 0; ; {
		t := d.token()
		switch {
		case t.end:
			return fmt.Errorf("a row of table %s does not end", table)
		case !t.quoted && (t.text == "," || t.text == ")"):
			if i >= len(columns) {
				return fmt.Errorf("table %s has more values than columns, or its columns are not in the dump", table)
			}
			row.set(columns[i], value)
			value = nil
			if i++; t.text == ")" {
				d.tables[table] = append(d.tables[table], row)
				return nil
			}
		case !t.quoted && strings.EqualFold(t.text, "NULL"):
		default:
			value = t.text
		}
	}
}

// name reads the name of a table, without that of its schema.
func (d *dump) name() string {
	name := d.token().text
	for d.at < len(d.text) && d.text[d.at] == '.' {
		d.at++
		name = d.token().text
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// finish goes to the end of the statement.
func (d *dump) finish() {
	for {
		if t := d.token(); t.end || t.text == ";" && !t.quoted {
			return
		}
	}
}
