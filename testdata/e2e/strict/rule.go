package strict

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// fault is the first thing in a request that its provider refuses.
type fault struct {
	kind faultKind
	path []any  // names and indexes on the way to it
	said string // what is wrong; of an unknown or missing member nothing
}

type faultKind int

const (
	invalid faultKind = iota
	unknown
	missing
)

// checker walks through a body.
type checker struct {
	path  []any
	fault *fault
}

// rule says what a value must be.
type rule func(c *checker, v any)

// fail notes a fault where the checker is, unless there is one.
func (c *checker) fail(kind faultKind, said string) {
	if c.fault == nil {
		c.fault = &fault{kind, slices.Clone(c.path), said}
	}
}

// at applies a rule to what is at a member or index.
func (c *checker) at(step, v any, r rule) {
	c.path = append(c.path, step)
	r(c, v)
	c.path = c.path[:len(c.path)-1]
}

// must notes a fault at a path below unless something holds.
func (c *checker) must(holds bool, said string, path ...any) {
	if holds {
		return
	}
	n := len(c.path)
	c.path = append(c.path, path...)
	c.fail(invalid, said)
	c.path = c.path[:n]
}

func anything(*checker, any) {}

func text(c *checker, v any) {
	if _, is := v.(string); !is {
		c.fail(invalid, "Input should be a valid string")
	}
}

func filled(c *checker, v any) {
	text(c, v)
	c.must(strings.TrimSpace(textOf(v)) != "", "text content blocks must contain non-whitespace text")
}

func flag(c *checker, v any) {
	if _, is := v.(bool); !is {
		c.fail(invalid, "Input should be a valid boolean")
	}
}

func number(c *checker, v any) {
	if _, is := v.(json.Number); !is {
		c.fail(invalid, "Input should be a valid number")
	}
}

// within is a number from least to most.
func within(least, most float64) rule {
	return func(c *checker, v any) {
		number(c, v)
		n, _ := v.(json.Number)
		f, _ := n.Float64()
		c.must(f >= least && f <= most, "the number is out of its range")
	}
}

// integer is a whole number from least upwards.
func integer(least int64) rule {
	return func(c *checker, v any) {
		number(c, v)
		c.must(numberOf(v) >= least, "Input should be a valid integer in its range")
	}
}

func oneOf(words ...string) rule {
	return func(c *checker, v any) {
		text(c, v)
		c.must(slices.Contains(words, textOf(v)), "Invalid value. Supported values are: "+strings.Join(words, ", "))
	}
}

// like is a text that matches a pattern.
func like(pattern string) rule {
	is := regexp.MustCompile(pattern)
	return func(c *checker, v any) {
		text(c, v)
		c.must(is.MatchString(textOf(v)), "String should match pattern '"+pattern+"'")
	}
}

// base64Text is what RFC 4648 writes in its standard alphabet.
func base64Text(c *checker, v any) {
	text(c, v)
	_, err := base64.StdEncoding.Strict().DecodeString(textOf(v))
	c.must(err == nil && textOf(v) != "", "Base64 decoding failed")
}

func list(r rule) rule {
	return func(c *checker, v any) {
		all, is := v.([]any)
		if !is {
			c.fail(invalid, "Input should be a valid list")
		}
		for i, element := range all {
			c.at(i, element, r)
		}
	}
}

// filledList is a list that is not empty.
func filledList(r rule) rule {
	return func(c *checker, v any) {
		list(r)(c, v)
		c.must(len(listOf(v)) > 0, "the list must not be empty")
	}
}
