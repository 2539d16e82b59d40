package wiretest

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"relay/gateway/wire"
)

// Value is a JSON value as encoding/json reads it, slowly, with members in their
// order and those that have one name kept. Codecs are held against what can be
// read of it.
type Value struct {
	Kind     byte // what the value begins with: one of {["tfn0
	Members  []Member
	Elements []Value
	Text     string  // of a string, or as a number is written
	Number   float64 // infinite beyond a float64
}

// Member is a member of an object.
type Member struct {
	Name  string
	Value Value
}

// Parse reads a document, and reports whether it is JSON that nests no deeper
// than answers may.
func Parse(document []byte) (Value, bool) {
	if !json.Valid(document) {
		return Value{}, false
	}
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	v, levels := parse(d)
	return v, levels <= wire.MaxAnswerDepth
}

func parse(d *json.Decoder) (v Value, levels int) {
	token, _ := d.Token()
	switch token := token.(type) {
	case json.Delim:
		v, levels = parseWithin(d, token)
		return v, levels + 1
	case string:
		return Value{Kind: '"', Text: token}, 0
	case json.Number:
		n, _ := strconv.ParseFloat(token.String(), 64)
		return Value{Kind: '0', Text: token.String(), Number: n}, 0
	case bool:
		return Value{Kind: strconv.FormatBool(token)[0]}, 0
	}
	return Value{Kind: 'n'}, 0
}

func parseWithin(d *json.Decoder, opener json.Delim) (v Value, levels int) {
	v.Kind = byte(opener)
	for d.More() {
		var name string
		if opener == '{' {
			token, _ := d.Token()
			name, _ = token.(string)
		}
		inner, deep := parse(d)
		levels = max(levels, deep)
		if opener == '{' {
			v.Members = append(v.Members, Member{name, inner})
		} else {
			v.Elements = append(v.Elements, inner)
		}
	}
	_, _ = d.Token()
	return v, levels
}

// Last returns the last member of that name.
func (v Value) Last(name string) (last Value) {
	for _, m := range v.Members {
		if m.Name == name {
			last = m.Value
		}
	}
	return last
}

// IsFilled reports whether a value is an object or text that is not empty.
func (v Value) IsFilled() bool { return len(v.Members) > 0 || v.Kind == '"' && v.Text != "" }

// IsError reports whether a document is an error, by itself or in its first
// element.
func (v Value) IsError() bool {
	if len(v.Elements) > 0 {
		v = v.Elements[0]
	}
	return v.Last("error").IsFilled() || v.CallsItselfError()
}

// CallsItselfError reports whether an object's own type is error.
func (v Value) CallsItselfError() bool {
	for _, m := range v.Members {
		if (m.Name == "object" || m.Name == "type") && m.Value.Kind == '"' && m.Value.Text == "error" {
			return true
		}
	}
	return false
}

// Count reads a reported number into a usage, by the rules of wire.Usage.Count.
func (v Value) Count(u *wire.Usage) int64 {
	switch {
	case v.Kind == 0 || v.Kind == 'n':
		return 0
	case v.Kind != '0':
		u.Flagged = true
		return 0
	}
	u.Present = true
	whole := math.Trunc(math.Max(0, math.Min(v.Number, wire.MaxCount)))
	if whole != v.Number {
		u.Flagged = true
	}
	return int64(whole)
}

// Reason returns a text as a tap keeps it.
func (v Value) Reason() string {
	if v.Kind != '"' {
		return ""
	}
	return strings.ToValidUTF8(v.Text[:min(len(v.Text), 64)], "\uFFFD")
}

// Index reads an index as wire.Walker does.
func (v Value) Index() int64 {
	if v.Kind != '0' || len(v.Text) > 9 {
		return 0
	}
	n, err := strconv.ParseUint(v.Text, 10, 32)
	if err != nil {
		return 0
	}
	return int64(n)
}
