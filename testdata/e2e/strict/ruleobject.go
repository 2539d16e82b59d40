package strict

import (
	"maps"
	"slices"
)

// members are those that an object may have.
type rules map[string]rule

// and returns the members with more beside them.
func (r rules) and(more rules) rules {
	all := maps.Clone(r)
	maps.Copy(all, more)
	return all
}

// has is an object with no members but these, of which some must be there.
func (r rules) has(required ...string) rule {
	return func(c *checker, v any) {
		o, is := v.(object)
		if !is {
			c.fail(invalid, "Input should be a valid dictionary")
			return
		}
		for _, name := range slices.Sorted(maps.Keys(o)) {
			if r[name] == nil {
				c.at(name, nil, func(c *checker, _ any) { c.fail(unknown, "") })
				return
			}
			c.at(name, o[name], r[name])
		}
		for _, name := range required {
			if _, there := o[name]; !there {
				c.at(name, nil, func(c *checker, _ any) { c.fail(missing, "") })
			}
		}
	}
}

// byName is an object that the text of one of its members tells the kind of.
func byName(member string, kinds rules) rule {
	return func(c *checker, v any) {
		name := textOf(objectOf(v)[member])
		if kinds[name] == nil {
			c.at(member, v, func(c *checker, _ any) { c.fail(invalid, "Invalid value: '"+name+"'") })
			return
		}
		kinds[name](c, v)
	}
}

// textOr is a text or else what the rule says.
func textOr(r rule) rule {
	return func(c *checker, v any) {
		if _, is := v.(string); !is {
			r(c, v)
		}
	}
}

func nullOr(r rule) rule {
	return func(c *checker, v any) {
		if v != nil {
			r(c, v)
		}
	}
}

// anyObject is an object, whatever it holds.
func anyObject(c *checker, v any) {
	if _, is := v.(object); !is {
		c.fail(invalid, "Input should be a valid dictionary")
	}
}

// objectSchema is JSON Schema for an object, as tools take their arguments.
func objectSchema(c *checker, v any) {
	anyObject(c, v)
	c.must(objectOf(v)["type"] == "object", "schema must be a JSON Schema of 'type: \"object\"'", "type")
}
