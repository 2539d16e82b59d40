package hub_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"
)

// corpus is where the conversations are kept. README.md beside them says how
// their files are made.
const corpus = "../../../testdata/wire"

// conversation is one file of the corpus.
type conversation struct {
	path    string
	comment []byte
	written map[string]string // sections by people, by name
	order   []string          // of those
	golden  string            // all other sections, as the file has them

	results []result // what came of it
	notes   []note
}

// result is what one shape gets of another.
type result struct{ kind, to, from, text string }

// note is what a pair says in one line.
type note struct{ section, from, to, text string }

// written are the sections that people write: what callers say and what hosts do.
func isWritten(section string) bool {
	return regexp.MustCompile(`^[a-z_]+\.(request\.json|host\..*)$`).MatchString(section)
}

func conversations(t *testing.T) (all []*conversation) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(corpus, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no conversations in %s: %v", corpus, err)
	}
	for _, path := range paths {
		all = append(all, readConversation(t, path))
	}
	return all
}

func readConversation(t *testing.T, path string) *conversation {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &conversation{path: path, comment: archive.Comment, written: map[string]string{}}
	for _, f := range archive.Files {
		if !isWritten(f.Name) {
			c.golden += section(f.Name, string(f.Data))
			continue
		}
		if _, twice := c.written[f.Name]; twice || rank(strings.SplitN(f.Name, ".", 2)[0]) < 0 {
			t.Fatalf("%s: section %s stands twice or is of no shape", path, f.Name)
		}
		c.written[f.Name] = laidOut(f.Name, f.Data)
		c.order = append(c.order, f.Name)
	}
	return c
}

// laidOut is a section as the file will have it.
func laidOut(name string, data []byte) string {
	if strings.HasSuffix(name, ".json") && gjson.ValidBytes(data) { // some errors of hosts are none
		return pretty(data)
	}
	return string(data)
}

func section(name, text string) string {
	return fmt.Sprintf("-- %s --\n%s\n", name, strings.TrimSuffix(text, "\n"))
}

// name is that of the file without its ending.
func (c *conversation) name() string { return strings.TrimSuffix(filepath.Base(c.path), ".txtar") }

// setting is the number or word that a line of the comment gives.
func (c *conversation) setting(name string) string {
	for line := range strings.Lines(string(c.comment)) {
		if value, found := strings.CutPrefix(line, name+": "); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (c *conversation) number(name string) int64 {
	n, _ := strconv.ParseInt(c.setting(name), 10, 64)
	return n
}

func (c *conversation) got(kind, to, from, text string) {
	c.results = append(c.results, result{kind, to, from, text})
}

func (c *conversation) noted(section, from, to, text string) {
	c.notes = append(c.notes, note{section, from, to, text})
}

// check holds the file against what came of its conversation, or writes it anew.
func (c *conversation) check(t *testing.T) {
	t.Helper()
	want := c.goldens()
	if *update {
		c.write(t, want)
		return
	}
	if diff := difference(c.golden, want); diff != "" {
		t.Errorf("%s does not say what came of it (-file +now); -update writes it anew:\n%s", c.path, diff)
	}
}

func (c *conversation) write(t *testing.T, golden string) {
	t.Helper()
	text := strings.TrimRight(string(c.comment), "\n") + "\n\n"
	for _, name := range c.order {
		text += section(name, c.written[name])
	}
	if err := os.WriteFile(c.path, []byte(text+golden), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goldens are the sections that tell what came of it.
func (c *conversation) goldens() string {
	var text strings.Builder
	for _, kind := range []string{"request.json", "stream", "answer.json", "turn2.json", "error.json"} {
		for _, to := range shapes() {
			text.WriteString(c.goldensOf(kind, to.Shape()))
		}
		if kind == "request.json" {
			text.WriteString(c.notesOf("dropped") + c.notesOf("refused"))
		}
	}
	return text.String() + c.notesOf("usage")
}

// notesOf is a section of notes, one a line.
func (c *conversation) notesOf(name string) string {
	lines := []string{}
	for _, n := range c.notes {
		line := strings.TrimSuffix(n.from+" > "+n.to, " > ") + ": " + n.text
		if n.section == name && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.SortStableFunc(lines, func(a, b string) int { return rankOf(a) - rankOf(b) })
	return section(name, strings.Join(lines, "\n"))
}

// rankOf is the rank of the shape that a line begins with.
func rankOf(line string) int { return rank(strings.TrimRight(strings.Fields(line)[0], ":")) }
