package hub_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/tidwall/gjson"
)

// widest is how long a line of JSON may become in a file, in bytes.
const widest = 150

// pretty lays JSON out for people: what fits into a line stands in one. Nothing
// but white space between values is changed.
func pretty(document []byte) string {
	if !gjson.ValidBytes(document) {
		return "NOT JSON: " + string(document) + "\n"
	}
	return block(gjson.ParseBytes(document), 0) + "\n"
}

func block(v gjson.Result, indent int) string {
	one := line(v)
	if len(one)+2*indent <= widest || !v.IsObject() && !v.IsArray() {
		return one
	}
	space := strings.Repeat("  ", indent)
	pieces := []string{}
	v.ForEach(func(name, value gjson.Result) bool {
		pieces = append(pieces, space+"  "+before(v, name)+block(value, indent+1))
		return true
	})
	return one[:1] + "\n" + strings.Join(pieces, ",\n") + "\n" + space + one[len(one)-1:]
}

func line(v gjson.Result) string {
	if !v.IsObject() && !v.IsArray() {
		return v.Raw
	}
	pieces := []string{}
	v.ForEach(func(name, value gjson.Result) bool {
		pieces = append(pieces, before(v, name)+line(value))
		return true
	})
	raw := strings.TrimSpace(v.Raw)
	return raw[:1] + strings.Join(pieces, ", ") + raw[len(raw)-1:]
}

// before is what stands before a value: the name of a member.
func before(within, name gjson.Result) string {
	if within.IsObject() {
		return name.Raw + ": "
	}
	return ""
}

// sameJSON reports whether two documents say the same, whatever the order of
// members is. Numbers must be written alike.
func sameJSON(a, b []byte) bool {
	x, y := decoded(a), decoded(b)
	return x != nil && reflect.DeepEqual(x, y)
}

func decoded(document []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// extended adds elements to the array at a path of a document.
func extended(document, path string, elements ...string) string {
	array := gjson.Get(document, path)
	end := array.Index + len(array.Raw) - 1
	comma := ","
	if len(array.Array()) == 0 {
		comma = ""
	}
	return document[:end] + comma + strings.Join(elements, ",") + document[end:]
}
