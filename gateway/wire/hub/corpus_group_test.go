package hub_test

import (
	"slices"
	"strings"
)

// group is one text with all those from whom it comes.
type group struct {
	text string
	from []string
}

// goldensOf are the sections of one kind for one shape: what most others give it
// stands in TO.KIND, and where that came of fewer, in TO<FROM,FROM.KIND. A
// request that says the same as the shape's own is not told again.
func (c *conversation) goldensOf(kind, to string) string {
	groups := c.groups(kind, to)
	common := ""
	if kind == "request.json" {
		own := c.written[to+".request.json"]
		groups = slices.DeleteFunc(groups, func(g group) bool { return own != "" && sameJSON([]byte(g.text), []byte(own)) })
	} else if largest := largestOf(groups); largest >= 0 {
		common = section(to+"."+kind, groups[largest].text)
		groups = slices.Delete(groups, largest, largest+1)
	}
	for _, g := range groups {
		common += section(to+"<"+strings.Join(g.from, ",")+"."+kind, g.text)
	}
	return common
}

func (c *conversation) groups(kind, to string) (groups []group) {
	for _, r := range c.results {
		if r.kind != kind || r.to != to {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.text == r.text })
		if i < 0 {
			i, groups = len(groups), append(groups, group{text: r.text})
		}
		groups[i].from = append(groups[i].from, r.from)
	}
	return groups
}

func largestOf(groups []group) (largest int) {
	largest = -1
	for i := range groups {
		if largest < 0 || len(groups[i].from) > len(groups[largest].from) {
			largest = i
		}
	}
	return largest
}
