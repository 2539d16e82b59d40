package plan

import (
	"fmt"
	"regexp"
	"strings"

	"relay/store"
)

// condition says which requests a limit counts: exactly one of all, any, not, or
// a leaf. Immutable.
type condition struct {
	all, any []*condition
	not      *condition

	dim    dimension
	op     string
	values []string
	regex  *regexp.Regexp
}

func conditionOf(m *store.Match) (*condition, error) {
	c := &condition{}
	var err error
	switch {
	case m.Not != nil:
		c.not, err = conditionOf(m.Not)
	case m.All != nil:
		c.all, err = conditionsOf(m.All)
	case m.Any != nil:
		c.any, err = conditionsOf(m.Any)
	default:
		err = c.leaf(m)
	}
	return c, err
}

func conditionsOf(list []store.Match) ([]*condition, error) {
	out := make([]*condition, len(list))
	for i := range list {
		c, err := conditionOf(&list[i])
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

func (c *condition) leaf(m *store.Match) (err error) {
	known := false
	if c.dim, known = dimensionOf(m.Dim); !known {
		return fmt.Errorf("%q is no dimension", m.Dim)
	}
	c.op = m.Op
	if c.values, _ = m.Values(); len(c.values) == 0 {
		return fmt.Errorf("the leaf on %s has no value", m.Dim)
	}
	if m.Op == "regex" {
		c.regex, err = regexp.Compile(c.values[0])
	}
	return err
}

// holds reports whether the request is one that is counted. A leaf on what the
// request lacks is false.
func (c *condition) holds(f *Facts) bool {
	switch {
	case c.not != nil:
		return !c.not.holds(f)
	case c.all != nil:
		for _, part := range c.all {
			if !part.holds(f) {
				return false
			}
		}
		return true
	case c.any != nil:
		for _, part := range c.any {
			if part.holds(f) {
				return true
			}
		}
		return false
	}
	return c.fits(f.value(c.dim))
}

// fits tests a leaf. Texts are compared without regard to case, as names of
// models are everywhere; regular expressions say themselves.
func (c *condition) fits(v value) bool {
	switch {
	case v.id == "":
		return false
	case c.regex != nil:
		return c.regex.MatchString(v.name)
	}
	is := false
	for _, want := range c.values {
		is = is || strings.EqualFold(want, v.name) || want == v.id
	}
	return is != (c.op == "ne")
}

// verdict is what is known of a condition before there is a request.
type verdict uint8

const (
	depends verdict = iota // on the request
	never
	always
)

// of says what holds for all requests of a party.
func (c *condition) of(p *party) verdict {
	switch {
	case c.not != nil:
		return [...]verdict{depends, always, never}[c.not.of(p)]
	case c.all != nil:
		return foldParts(c.all, p, never, always)
	case c.any != nil:
		return foldParts(c.any, p, always, never)
	case c.dim >= callerDimensions || p.unknown:
		return depends
	case c.fits(p.values[c.dim]):
		return always
	}
	return never
}

// foldParts joins parts: one that decides is enough, else all must have the rest.
func foldParts(parts []*condition, p *party, decides, rest verdict) verdict {
	out := rest
	for _, part := range parts {
		switch v := part.of(p); v {
		case decides:
			return decides
		case depends:
			out = depends
		}
	}
	return out
}

// asks reports whether the condition looks at a dimension of the kind.
func (c *condition) asks(kind func(dimension) bool) bool {
	switch {
	case c.not != nil:
		return c.not.asks(kind)
	case c.all != nil || c.any != nil:
		for _, list := range [...][]*condition{c.all, c.any} {
			for _, part := range list {
				if part.asks(kind) {
					return true
				}
			}
		}
		return false
	}
	return kind(c.dim)
}
