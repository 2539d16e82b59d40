package strict

import (
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// issuer makes the opaque parts of a shape's answers and knows them again. A
// shape's own alone are good: no provider can read another's.
type issuer struct {
	mu     sync.Mutex
	made   int
	parts  map[string]string   // what each opaque part stands for, such as the text it signs
	thinks map[string][]string // the opaque parts of the turn that a call is in, by the call's id
	cells  map[string][]string // what was made for a cell, in order
	texts  map[string]bool     // thoughts in the clear
}

func newIssuer() *issuer {
	return &issuer{parts: map[string]string{}, thinks: map[string][]string{}, cells: map[string][]string{}, texts: map[string]bool{}}
}

// issue returns a new opaque part that stands for something, in an answer to q. It
// holds all that base64 can and is of a length that is padded.
func (i *issuer) issue(q *asked, stands string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.made++
	sum := sha512.Sum512(fmt.Appendf(nil, "%s %d", q.shape, i.made))
	opaque := base64.StdEncoding.EncodeToString(append([]byte{0xfb, 0xef, 0xbe, 0xff}, sum[:]...)) // begins with ++++ and has /
	i.parts[opaque] = stands
	i.cells[q.cell] = append(i.cells[q.cell], opaque)
	return opaque
}

// told notes a text that may come back as it is.
func (i *issuer) told(text string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.texts[text] = true
}

func (i *issuer) hasTold(text string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.texts[text]
}

// callID returns a new id that begins with prefix and has 24 characters behind it,
// as OpenAI's and Anthropic's have.
func (i *issuer) callID(prefix string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.made++
	return fmt.Sprintf("%s%024x", prefix, i.made)
}

// standsFor returns what an opaque part was issued for.
func (i *issuer) standsFor(opaque string) (stands string, issued bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	stands, issued = i.parts[opaque]
	return stands, issued
}

// bind says with which opaque parts calls have come.
func (i *issuer) bind(opaque []string, calls ...string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, id := range calls {
		i.thinks[id] = slices.Clone(opaque)
	}
}

// bound returns the opaque parts that a call has come with.
func (i *issuer) bound(call string) (opaque []string, issued bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	opaque, issued = i.thinks[call]
	return opaque, issued
}

// all returns every opaque part that was issued.
func (i *issuer) all() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Sorted(maps.Keys(i.parts))
}

// of returns those of a cell.
func (i *issuer) of(cell string) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.cells[cell])
}

// among appends the opaque parts of this issuer that are texts somewhere in a
// value, in the order of lists.
func (i *issuer) among(v any, found []string) []string {
	switch v := v.(type) {
	case string:
		if _, issued := i.standsFor(v); issued {
			found = append(found, v)
		}
	case []any:
		for _, element := range v {
			found = i.among(element, found)
		}
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			found = i.among(v[name], found)
		}
	}
	return found
}
