package hub

import (
	"bytes"
	"cmp"
	"slices"
)

// CallIndex finds the calls of a conversation by their ids, however many there are.
type CallIndex struct {
	items []Item
	order []indexedCall // by id, then by place
}

type indexedCall struct {
	id []byte
	at int // in the items
}

// IndexCalls returns an index of the calls among items, which must stay where they
// are.
func IndexCalls(items []Item) *CallIndex {
	c := &CallIndex{items: items}
	for i := range items {
		if items[i].Kind == ItemCall {
			c.order = append(c.order, indexedCall{items[i].Call.ID.Plain(), i})
		}
	}
	slices.SortFunc(c.order, indexedCall.compare)
	return c
}

func (c indexedCall) compare(with indexedCall) int {
	return cmp.Or(bytes.Compare(c.id, with.id), c.at-with.at)
}

// First returns the first call with an id; nil: there is none.
func (c *CallIndex) First(id Text) *Item {
	said := indexedCall{id.Plain(), 0}
	at, _ := slices.BinarySearchFunc(c.order, said, indexedCall.compare)
	if at == len(c.order) || !bytes.Equal(c.order[at].id, said.id) {
		return nil
	}
	return &c.items[c.order[at].at]
}

// Before returns the last call with an id among the first at items, which is the one
// that a result there belongs to: some servers use an id again. nil: there is none.
func (c *CallIndex) Before(at int, id Text) *Item {
	said := indexedCall{id.Plain(), at}
	n, _ := slices.BinarySearchFunc(c.order, said, indexedCall.compare)
	if n == 0 || !bytes.Equal(c.order[n-1].id, said.id) {
		return nil
	}
	return &c.items[c.order[n-1].at]
}
