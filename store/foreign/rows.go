package foreign

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of an export.
const (
	maxExport = 64 << 20 // bytes
	maxRows   = 200_000
)

func readExport(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxExport+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxExport {
		return nil, fmt.Errorf("it is larger than %d MiB", maxExport>>20)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty")
	}
	return text, nil
}

// readRows reads rows from CSV with a heading, or from JSON: a list, or an object
// that has it under the name, under data or under items.
func readRows(r io.Reader, name string) ([]*object, error) {
	text, err := readExport(r)
	if err != nil {
		return nil, err
	}
	if first := bytes.TrimSpace(text)[0]; first == '[' || first == '{' {
		value, err := readJSON(text)
		if err != nil {
			return nil, err
		}
		return rowsIn(value, name), nil
	}
	return readCSV(text)
}

func rowsIn(value any, names ...string) []*object {
	switch value := value.(type) {
	case []any:
		var rows []*object
		for _, element := range value {
			if row, ok := element.(*object); ok {
				rows = append(rows, row)
			}
		}
		return rows
	case *object:
		for _, name := range append(names, "data", "items") {
			if inner := value.take(name); inner != nil {
				return rowsIn(inner, names...)
			}
		}
	}
	return nil
}

// readJSON reads one JSON value; numbers and booleans become texts.
func readJSON(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := jsonValue(decoder, 0)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	return value, nil
}

func jsonValue(decoder *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("too much is nested")
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			return jsonList(decoder, depth)
		}
		return jsonObject(decoder, depth)
	case string:
		return token, nil
	case json.Number:
		return token.String(), nil
	case bool:
		if token {
			return "true", nil
		}
		return "false", nil
	}
	return nil, nil
}

func jsonList(decoder *json.Decoder, depth int) (any, error) {
	list := []any{}
	for decoder.More() {
		element, err := jsonValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	_, err := decoder.Token()
	return list, err
}

func jsonObject(decoder *json.Decoder, depth int) (any, error) {
	o := newObject()
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := jsonValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		o.set(key.(string), value)
	}
	_, err := decoder.Token()
	return o, err
}

// readCSV reads rows under a heading. Cells that hold lists or objects, as JSON
// or in PostgreSQL's {a,b}, become such.
func readCSV(text []byte) ([]*object, error) {
	reader := csv.NewReader(bytes.NewReader(text))
	reader.FieldsPerRecord = -1
	heading, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("it is not CSV: %w", err)
	}
	var rows []*object
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("it is not CSV: %w", err)
		}
		if len(rows) == maxRows {
			return nil, fmt.Errorf("it has more than %d rows", maxRows)
		}
		row := newObject()
		for i, cell := range cells[:min(len(cells), len(heading))] {
			row.set(strings.TrimSpace(heading[i]), cellValue(cell))
		}
		rows = append(rows, row)
	}
}

func cellValue(cell string) any {
	cell = strings.TrimSpace(cell)
	if cell == "" || cell[0] != '[' && cell[0] != '{' {
		return cell
	}
	if value, err := readJSON([]byte(cell)); err == nil {
		return value
	}
	inner, isArray := strings.CutSuffix(cell[1:], "}")
	if cell[0] != '{' || !isArray {
		return cell
	}
	reader := csv.NewReader(strings.NewReader(inner))
	elements, err := reader.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return cell
	}
	list := make([]any, len(elements))
	for i, element := range elements {
		list[i] = element
	}
	return list
}
