package wire

import "strings"

// Fill appends the body to dst with those members added that it lacks: values holds
// the JSON of each, by index, paths where it belongs, with its names as they are to be
// written. null is as good as absent. Objects on the way to a member are made where
// they are not there; where something else than an object stands, the member is left
// out. Of several objects of one name the last counts. All other bytes stay as they
// are. The body must have passed Scan.
func Fill(dst, body []byte, paths, values []string) []byte {
	f := filler{body: body}
	missing := make([]missing, len(paths))
	for i, path := range paths {
		missing[i].path, missing[i].value = path, values[i]
	}
	f.object(Range{End: len(body)}, missing)
	return Splice(dst, body, f.edits...)
}

// missing is a member that an object may lack.
type missing struct{ path, value string }

type filler struct {
	body  []byte
	edits []Edit
}

// lack is what an object may lack under one name.
type lack struct {
	name   string
	value  string    // of the member itself; empty: none is given
	within []missing // of its object
	at     Range     // of the value that there is; absent: none
}

// object fills the object at a range.
func (f *filler) object(at Range, all []missing) {
	lacks := lacksOf(all)
	w := Walk(f.body[:at.End])
	w.at = space(f.body, at.Start)
	end, empty := w.at+1, true
	for more := w.Object(); more; more = w.Member() {
		f.note(&w, lacks)
		w.Skip()
		end, empty = w.at, false
	}
	var text []byte
	for i := range lacks {
		text = f.fill(text, &lacks[i], empty)
	}
	if len(text) > 0 {
		f.edits = append(f.edits, Edit{At: Range{end, end}, Text: string(text)})
	}
}

// lacksOf puts together what belongs under one name.
func lacksOf(all []missing) []lack {
	var lacks []lack
	for _, m := range all {
		name, rest, further := strings.Cut(m.path, ".")
		l := lackOf(&lacks, name)
		switch {
		case further:
			l.within = append(l.within, missing{rest, m.value})
		case l.value == "":
			l.value = m.value
		}
	}
	return lacks
}

func lackOf(lacks *[]lack, name string) *lack {
	for i := range *lacks {
		if foldedName((*lacks)[i].name) == foldedName(name) {
			return &(*lacks)[i]
		}
	}
	*lacks = append(*lacks, lack{name: name})
	return &(*lacks)[len(*lacks)-1]
}

func foldedName(name string) string {
	var f folded
	f.fold([]byte(name))
	return string(f.bytes())
}

// note takes the walker's member for what stands under its name.
func (f *filler) note(w *Walker, lacks []lack) {
	var path folded
	path.only(w)
	for i := range lacks {
		if l := &lacks[i]; foldedName(l.name) == string(path.bytes()) {
			l.at = w.Value()
		}
	}
}

// fill adds what is lacking under one name: to text, which goes to the end of the
// object, or where it stands.
func (f *filler) fill(text []byte, l *lack, empty bool) []byte {
	switch {
	case !l.at.Present():
		if len(text) > 0 || !empty {
			text = append(text, ',')
		}
		text = append(append(text, Quote(l.name)...), ':')
		return l.append(text)
	case f.body[l.at.Start] == 'n':
		f.edits = append(f.edits, Edit{At: l.at, Text: string(l.append(nil))})
	case f.body[l.at.Start] == '{' && l.within != nil:
		f.object(l.at, l.within)
	}
	return text
}

// append writes the value that is lacking: what is given, or an object of what would
// be within it.
func (l *lack) append(dst []byte) []byte {
	if l.value != "" {
		return append(dst, l.value...)
	}
	before := byte('{')
	lacks := lacksOf(l.within)
	for i := range lacks {
		dst = append(append(append(dst, before), Quote(lacks[i].name)...), ':')
		dst = lacks[i].append(dst)
		before = ','
	}
	return append(dst, '}')
}
