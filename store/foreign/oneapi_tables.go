package foreign

import (
	"bytes"
	"io"
)

// readTables reads an export into tables: an SQL dump with INSERT statements of
// SQLite, MySQL or PostgreSQL; a JSON object with a list for each table; or a list
// of channels or of tokens alone, as JSON (also as the API answers it) or CSV.
func (a *oneAPI) readTables(r io.Reader) error {
	text, err := readExport(r)
	if err != nil {
		return err
	}
	first := bytes.TrimSpace(text)[0]
	switch {
	case first == '[' || first == '{':
		value, err := readJSON(text)
		if err != nil {
			return err
		}
		a.addJSON(value)
	case isDump(text):
		tables, err := readDump(text)
		if err != nil {
			return err
		}
		for name, rows := range tables {
			a.tables[name] = append(a.tables[name], rows...)
		}
	default:
		rows, err := readCSV(text)
		if err != nil {
			return err
		}
		a.addRows(rows)
	}
	return nil
}

func (a *oneAPI) addJSON(value any) {
	root, ok := value.(*object)
	if !ok {
		a.addRows(rowsIn(value))
		return
	}
	known := false
	for _, name := range root.names {
		if _, list := root.values[name].([]any); list && name != "data" && name != "items" {
			a.tables[name] = append(a.tables[name], rowsIn(root.values[name])...)
			known = true
		}
	}
	if !known {
		a.addRows(rowsIn(value))
	}
}

// addRows finds out what rows are by their columns.
func (a *oneAPI) addRows(rows []*object) {
	for _, row := range rows {
		name := "rows of no known table"
		switch {
		case row.has("remain_quota"):
			name = "tokens"
		case row.has("models") && (row.has("type") || row.has("base_url")):
			name = "channels"
		case row.has("username"):
			name = "users"
		}
		a.tables[name] = append(a.tables[name], row)
	}
}

func (o *object) has(name string) bool {
	_, there := o.values[name]
	return there
}
