package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// object is a JSON object.
type object = map[string]any

// decode reads one JSON text, numbers as json.Number, and refuses what readers do
// not agree on: members that are there twice, bytes that are no UTF-8 and text
// behind the end.
func decode(raw []byte) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("the body is no UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := value(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text behind the JSON")
	}
	return v, nil
}

func value(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return members(d)
	case json.Delim('['):
		return elements(d)
	}
	return token, nil
}

func members(d *json.Decoder) (any, error) {
	o := object{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("the member %q is there twice", name)
		}
		if o[name], err = value(d); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return o, err
}

func elements(d *json.Decoder) (any, error) {
	all := []any{}
	for d.More() {
		v, err := value(d)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	_, err := d.Token()
	return all, err
}

// The following read what a rule has found to be of that kind; of anything else
// they return what is empty.

func objectOf(v any) object { o, _ := v.(object); return o }

func listOf(v any) []any { l, _ := v.([]any); return l }

func textOf(v any) string { s, _ := v.(string); return s }

func isTrue(v any) bool { b, _ := v.(bool); return b }

// numberOf reads a number; -1: it is none, or no whole one.
func numberOf(v any) int64 {
	n, _ := v.(json.Number)
	i, err := n.Int64()
	if err != nil {
		return -1
	}
	return i
}

// textsOf joins the texts of the parts of a content, which may be a text itself.
func textsOf(content any) string {
	if s, is := content.(string); is {
		return s
	}
	said := ""
	for _, part := range listOf(content) {
		said += textOf(objectOf(part)["text"])
	}
	return said
}
