package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is how many levels of a body may lie in each other.
const maxDepth = 100

// scanJSON refuses what is not exactly one JSON value in UTF-8, what nests
// deeper than 100 levels, and any object with the same member twice. Its
// errors name members and positions, never values.
func scanJSON(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("the body is not UTF-8 text")
	}
	scan := jsonScan{tokens: json.NewDecoder(bytes.NewReader(body))}
	scan.tokens.UseNumber()
	if err := scan.value("", 0); err != nil {
		return err
	}
	if _, err := scan.tokens.Token(); err != io.EOF {
		return errors.New("the body holds more than one JSON value")
	}
	return nil
}

type jsonScan struct{ tokens *json.Decoder }

func (s jsonScan) value(path string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("the body nests deeper than %d levels", maxDepth)
	}
	token, err := s.tokens.Token()
	if err != nil {
		return s.malformed()
	}
	switch token {
	case json.Delim('{'):
		return s.object(path, depth)
	case json.Delim('['):
		return s.array(path, depth)
	}
	return nil
}

func (s jsonScan) object(path string, depth int) error {
	seen := map[string]bool{}
	for s.tokens.More() {
		token, err := s.tokens.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return s.malformed()
		}
		member := strings.TrimPrefix(path+"."+name, ".")
		if seen[name] {
			return fmt.Errorf("%s is given twice", member)
		}
		seen[name] = true
		if err := s.value(member, depth+1); err != nil {
			return err
		}
	}
	return s.end()
}

func (s jsonScan) array(path string, depth int) error {
	for i := 0; s.tokens.More(); i++ {
		if err := s.value(path+"["+strconv.Itoa(i)+"]", depth+1); err != nil {
			return err
		}
	}
	return s.end()
}

func (s jsonScan) end() error {
	if _, err := s.tokens.Token(); err != nil {
		return s.malformed()
	}
	return nil
}

func (s jsonScan) malformed() error {
	return fmt.Errorf("the body is not valid JSON at byte %d", s.tokens.InputOffset())
}
