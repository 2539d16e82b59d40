package hub

import (
	"slices"

	"relay/gateway/wire"
)

// Own returns the request as it goes to a host of the shape that it was read in, of
// which fates are. Members of the body itself that only the shape knows, or that are
// hints which its Encode does without, go up as they were written. Translated calls
// are never stored, and Encode asks for what their answers must hold.
func (r *Request) Own(body []byte, shape string, fates *Fates) *Request {
	own := *r
	object := []byte{'{'}
	for name, value := range Members(body) {
		if IsNull(value) || wire.IsSteering(name) || !own.takeOut(string(name), fates) {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(append(wire.AppendText(object, "", string(name)), ':'), value...)
	}
	if len(object) > 1 {
		own.Extensions = append(slices.Clip(r.Extensions), Extension{Shape: shape, Object: append(object, '}')})
	}
	return &own
}

// takeOut takes a member out that would not go up, and reports whether there was one
// of the name.
func (r *Request) takeOut(name string, fates *Fates) bool {
	for p := range NumMembers {
		m := &r.Params[p]
		if m.Value != nil && m.Name == name && fates[p] == Ignored && p != Store && p != Include {
			*m = Member{}
			return true
		}
	}
	n := len(r.Unknown)
	r.Unknown = slices.DeleteFunc(slices.Clone(r.Unknown), func(m Member) bool { return m.Name == name })
	return len(r.Unknown) < n
}
