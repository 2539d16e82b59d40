package hub

import (
	"bytes"
	"cmp"
	"slices"
)

// ToolNames finds tools of a request by the names that a shape gives them. Requests
// may hold very many tools and calls: after the first few it keeps the names in
// order, so that finding one takes as long as the logarithm of their number. It is
// not safe for concurrent use, and its request must not get other tools.
type ToolNames struct {
	r     *Request
	name  func(Call) Text
	asked int // how many tools have been looked for
	order []namedTool
}

type namedTool struct {
	name []byte
	at   int // in the tools of the request
}

// fewLookups is how many tools are looked for one by one. Nearly no answer calls
// more, and that many take less time than putting all names in order.
const fewLookups = 8

// ToolNames returns the tools by their names, of which name makes those of a shape.
// Tools that the provider runs are not among them.
func (r *Request) ToolNames(name func(Call) Text) ToolNames { return ToolNames{r: r, name: name} }

// Tool returns the first tool of a name; nil when there is none.
func (n *ToolNames) Tool(name Text) *Tool {
	said := name.Plain()
	if n.asked++; n.asked <= fewLookups {
		return n.search(said)
	}
	if n.order == nil {
		n.sort()
	}
	at, found := slices.BinarySearchFunc(n.order, said, func(t namedTool, name []byte) int { return bytes.Compare(t.name, name) })
	if !found {
		return nil
	}
	return &n.r.Tools[n.order[at].at]
}

// Call returns the call of a tool by its name: that of the request's tool where there
// is one, else the name as it is.
func (n *ToolNames) Call(id, name Text) Call {
	if t := n.Tool(name); t != nil {
		return Call{ID: id, Name: t.Name, Namespace: t.Namespace, Custom: t.Kind == ToolCustom}
	}
	return Call{ID: id, Name: name}
}

func (n *ToolNames) search(name []byte) *Tool {
	for i := range n.r.Tools {
		if t := &n.r.Tools[i]; t.Kind != ToolServer && bytes.Equal(n.nameOf(t), name) {
			return t
		}
	}
	return nil
}

func (n *ToolNames) nameOf(t *Tool) []byte {
	return n.name(Call{Name: t.Name, Namespace: t.Namespace}).Plain()
}

func (n *ToolNames) sort() {
	n.order = make([]namedTool, 0, len(n.r.Tools))
	for i := range n.r.Tools {
		if t := &n.r.Tools[i]; t.Kind != ToolServer {
			n.order = append(n.order, namedTool{n.nameOf(t), i})
		}
	}
	slices.SortFunc(n.order, func(a, b namedTool) int { return cmp.Or(bytes.Compare(a.name, b.name), a.at-b.at) })
}
