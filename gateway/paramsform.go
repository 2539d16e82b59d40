package gateway

import (
	"slices"
	"strings"

	"relay/gateway/plan"
	"relay/gateway/wire"
)

// form is a form that is being adapted to a host.
type form struct {
	contentType string
	body        []byte
	fields      []wire.FormField
	end         int // where another field may be put
}

func formOf(contentType string, body []byte) form {
	f := form{contentType: contentType, body: body}
	f.fields, f.end = wire.FormFields(contentType, body)
	return f
}

// adaptForm is adapt for a form, whose fields have no members.
func (x *exchange) adaptForm(b *plan.Binding) error {
	p, f := b.Params, formOf(x.r.Header.Get("Content-Type"), x.outgoing)
	if i := f.first(p.Refuse); i >= 0 {
		return refusedParam(b, p.Refused[i])
	}
	edits, held := f.changes(p)
	x.noteCut(p, held)
	f = formOf(f.contentType, wire.Splice(make([]byte, 0, len(f.body)+composeRoom), f.body, edits...))
	x.outgoing = f.filled(p)
	return nil
}

// first returns the index of the first field at one of the paths, or -1.
func (f *form) first(paths map[string]int) int {
	for _, field := range f.fields {
		if i := field.Index(f.body, paths); i >= 0 {
			return i
		}
	}
	return -1
}

// has reports whether there is a field of the name.
func (f *form) has(name string) bool { return f.first(plan.PathTo(name)) >= 0 }

// changes are what is dropped and renamed. A field whose new name is there already
// goes.
func (f *form) changes(p *plan.Params) (edits []wire.Edit, held uint64) {
	taken := make([]bool, len(p.Renamed))
	for i, to := range p.Renamed {
		taken[i] = f.has(to)
	}
	for _, field := range f.fields {
		if i := field.Index(f.body, p.Drop); i >= 0 {
			held |= 1 << i
			edits = append(edits, wire.Edit{At: field.Whole})
		} else if i := field.Index(f.body, p.Rename); i >= 0 {
			edits = append(edits, f.rename(field, p.Renamed[i], taken[i]))
		}
	}
	return edits, held
}

func (f *form) rename(field wire.FormField, to string, taken bool) wire.Edit {
	if taken && string(field.Name.Of(f.body)) != to {
		return wire.Edit{At: field.Whole}
	}
	return wire.Edit{At: field.Name, Text: to}
}

// filled returns the form with what it lacks.
func (f *form) filled(p *plan.Params) []byte {
	var text []byte
	for i, name := range p.Filled {
		if !f.has(name) && !strings.Contains(name, ".") {
			text = wire.AppendFormField(text, f.contentType, name, p.Values[i])
		}
	}
	return slices.Insert(f.body, f.end, text...)
}
