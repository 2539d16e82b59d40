package wire

import (
	"bytes"
	"unicode/utf8"
)

// longestPath bounds the dotted paths of members that Relay looks for, in bytes.
const longestPath = 256

// leads is the value of those keys of a map of paths that only lead to longer ones.
const leads = -1

// none is the index of no path.
const none = -1

// folded is the dotted path of a member, each name of it folded: in lower case and
// without underscores, which is how the least strict of those who read bodies tell
// names apart. max_tokens, maxTokens and MAX_TOKENS are one. Maps of paths have such
// keys, with the index of what is looked for, or -1 where a key is only the beginning
// of others, which needs one of its own.
//
// What no key can be has a zero byte in it: a name with a dot, and whatever is too
// long.
type folded struct {
	text   [longestPath]byte
	length int
}

// push adds the name of the walker's member and returns the length to go back to.
func (f *folded) push(w *Walker) (before int) {
	before = f.length
	if before > 0 {
		f.add('.')
	}
	f.name(w)
	return before
}

// only makes the name of the walker's member the whole path.
func (f *folded) only(w *Walker) {
	f.length = 0
	f.name(w)
}

func (f *folded) name(w *Walker) {
	name := w.doc[w.named.Start+1 : w.named.End-1]
	var room [longestPath]byte
	switch {
	case bytes.IndexByte(name, '\\') < 0:
	case len(name) > 6*longestPath:
		f.add(0)
		return
	default:
		name = appendUnescaped(room[:0], name)
	}
	f.fold(name)
}

// fold adds a text.
func (f *folded) fold(text []byte) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			var more int
			c, more = beyondASCII(text[i:])
			i += more
		case c >= 'a':
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case c == '_':
			continue
		case c == '.':
			c = 0
		}
		if f.add(c); f.length == longestPath {
			return
		}
	}
}

// beyondASCII folds the byte that a text begins with, and tells how many more it has
// taken. Two letters beyond ASCII are letters of it to readers that ignore case.
func beyondASCII(text []byte) (c byte, more int) {
	switch {
	case bytes.HasPrefix(text, []byte("ſ")):
		return 's', len("ſ") - 1
	case bytes.HasPrefix(text, []byte("\u212a")):
		return 'k', len("\u212a") - 1
	}
	return text[0], 0
}

// add adds a byte. The last one that there is room for says that more follows.
func (f *folded) add(c byte) {
	switch f.length {
	case longestPath:
		return
	case longestPath - 1:
		c = 0
	}
	f.text[f.length] = c
	f.length++
}

func (f *folded) bytes() []byte { return f.text[:f.length] }

// index returns the index of the path in a map, and whether it leads to longer ones.
func (f *folded) index(paths map[string]int) (i int, further bool) {
	i, known := paths[string(f.bytes())]
	if !known {
		return none, false
	}
	return i, i == leads
}

// leadsTo reports whether the path is the beginning of a folded one.
func (f *folded) leadsTo(path string) bool {
	n := f.length
	return n < len(path) && path[n] == '.' && path[:n] == string(f.bytes())
}

// Held returns the index of the first of the paths that a body holds a member at,
// other than null, or -1. It leads through objects, not through arrays. The body must
// have passed Scan. See Inspect for the keys of the map.
func Held(body []byte, paths map[string]int) int {
	w := Walk(body)
	var path folded
	held, _ := path.held(&w, paths)
	return held
}

// held looks through the object that the walker is at, whose path this is, and
// returns the first path, and the name of its member as it is written.
func (f *folded) held(w *Walker, paths map[string]int) (found int, name Range) {
	found = none
	for more := w.Object(); more; more = w.Member() {
		before, named := f.push(w), w.named
		i, further := f.index(paths)
		switch {
		case found != none || w.First() == 'n':
		case i >= 0:
			found, name = i, named
		case further && w.First() == '{':
			found, name = f.held(w, paths)
		}
		f.length = before
	}
	return found, name
}
