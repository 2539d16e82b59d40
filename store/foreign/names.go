package foreign

import (
	"regexp"
	"strings"

	"relay/store"
)

// namer gives records names that nothing else here has.
type namer struct {
	taken map[store.Kind]map[string]bool
}

func newNamer() *namer { return &namer{taken: map[store.Kind]map[string]bool{}} }

// free makes a name from a wish and keeps it.
func (n *namer) free(kind store.Kind, wish string) string {
	name := store.NameFrom(wish, func(name string) bool { return n.taken[kind][name] })
	if name == "" {
		name = store.NameFrom("imported "+string(kind), func(name string) bool { return n.taken[kind][name] })
	}
	n.keep(kind, name)
	return name
}

func (n *namer) keep(kind store.Kind, name string) {
	if n.taken[kind] == nil {
		n.taken[kind] = map[string]bool{}
	}
	n.taken[kind][name] = true
}

var notInModelNames = regexp.MustCompile(`[^A-Za-z0-9._:/-]+`)

const longestModelName = 200

// modelName writes a name as Relay's models may be called. ok is false when
// nothing is left of it.
func modelName(name string) (written string, ok bool) {
	written = notInModelNames.ReplaceAllString(name, "-")
	var segments []string
	for segment := range strings.SplitSeq(written, "/") {
		if segment != "" && segment != "." && segment != ".." {
			segments = append(segments, segment)
		}
	}
	written = strings.Join(segments, "/")
	return written, written != "" && len(written) <= longestModelName
}
