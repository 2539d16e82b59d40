package hub

import "bytes"

// OpenCalls are the calls of a conversation that have no result yet, for shapes
// whose results need not tell the id of their call.
type OpenCalls struct {
	calls []openCall
	first int // those before it have a result

	// Places of calls by id and by name, in order: made once a result is not that of
	// one of the first few.
	byID, byName map[string][]int
}

type openCall struct {
	call     Call
	answered bool
}

// fewOpen is how many calls are looked at one by one.
const fewOpen = 16

// Add adds a call.
func (o *OpenCalls) Add(c Call) {
	o.calls = append(o.calls, openCall{call: c})
	if o.byID != nil {
		o.note(len(o.calls) - 1)
	}
}

// Reset forgets all calls.
func (o *OpenCalls) Reset() { *o = OpenCalls{calls: o.calls[:0]} }

// Answer returns the first call that a result belongs to, which then has one: by its
// id, else by the name of its tool, see Call.NameOfFlat; with neither it is just the
// first.
func (o *OpenCalls) Answer(id, name Text) (Call, bool) {
	for o.first < len(o.calls) && o.calls[o.first].answered {
		o.first++
	}
	for at := o.first; at < min(o.first+fewOpen, len(o.calls)); at++ {
		if c := &o.calls[at]; !c.answered && c.call.belongs(id, name) {
			return o.close(at), true
		}
	}
	if len(o.calls) <= o.first+fewOpen {
		return Call{}, false
	}
	return o.look(id.Plain(), name.Plain())
}

// belongs reports whether a result with an id, or without one with a name, is that
// of the call.
func (c *Call) belongs(id, name Text) bool {
	if len(id) > 0 {
		return bytes.Equal(c.ID.Plain(), id.Plain())
	}
	return len(name) == 0 || bytes.Equal(c.NameOfFlat().Plain(), name.Plain())
}

func (o *OpenCalls) close(at int) Call {
	o.calls[at].answered = true
	return o.calls[at].call
}

// look finds a call among many.
func (o *OpenCalls) look(id, name []byte) (Call, bool) {
	if o.byID == nil {
		o.byID, o.byName = map[string][]int{}, map[string][]int{}
		for at := o.first; at < len(o.calls); at++ {
			o.note(at)
		}
	}
	places, key := o.byID, string(id)
	if len(id) == 0 {
		places, key = o.byName, string(name)
	}
	open := places[key]
	for len(open) > 0 && o.calls[open[0]].answered {
		open = open[1:]
	}
	if len(open) == 0 {
		delete(places, key)
		return Call{}, false
	}
	places[key] = open[1:]
	return o.close(open[0]), true
}

func (o *OpenCalls) note(at int) {
	c := &o.calls[at].call
	id, name := c.ID.String(), c.NameOfFlat().String()
	o.byID[id] = append(o.byID[id], at)
	o.byName[name] = append(o.byName[name], at)
}
