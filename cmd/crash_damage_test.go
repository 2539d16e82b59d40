package cmd_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// startDamaged gives relay databases that are damaged: each is refused in one
// line, or holds what it held before. Package store tries many more.
func startDamaged(t *testing.T, relay program) {
	dir := filepath.Join(t.TempDir(), "data")
	seed(t, dir, "http://127.0.0.1:9/v1")
	path := filepath.Join(dir, "relay.db")
	whole := relay.export(t, dir)
	pristine, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random, refused := rand.New(rand.NewPCG(9, 10)), 0
	for name, content := range damaged(random, pristine) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		out := relay.export(t, dir)
		if out.code == 0 {
			if out.text != whole.text {
				t.Errorf("%s: served are other records", name)
			}
			continue
		}
		refused++
		out.wantRefused(t, name, path)
		relay.output(relay.command(dir, nil, "serve")).wantRefused(t, name, path)
	}
	if refused < 6 {
		t.Errorf("only %d copies were refused", refused)
	}
}

func damaged(random *rand.Rand, whole []byte) map[string][]byte {
	const page = 4096
	changed := func(change func(b []byte)) []byte {
		b := slices.Clone(whole)
		change(b)
		return b
	}
	flip := func(b []byte) { b[2*page+random.IntN(len(b)-2*page)] ^= 0x10 }
	return map[string][]byte{
		"one meta page":   changed(func(b []byte) { b[page+30] ^= 1 }),
		"both meta pages": changed(func(b []byte) { b[30] ^= 1; b[page+30] ^= 1 }),
		"six pages":       whole[:6*page],
		"one page":        whole[:page],
		"empty":           {},
		"text":            []byte(strings.Repeat("this was a database once\n", 1000)),
		"zeros within":    changed(func(b []byte) { clear(b[2*page : 6*page]) }),
		"a flipped byte":  changed(flip),
		"another":         changed(flip),
		"a third":         changed(flip),
	}
}

// output is what a command line has printed, on both streams, and its code.
type output struct {
	code       int
	text, note string
}

func (p program) export(t *testing.T, dir string) output {
	t.Helper()
	return p.output(p.command(dir, nil, "export", "-q"))
}

func (p program) output(c *exec.Cmd) output {
	var text, note bytes.Buffer
	c.Stdout, c.Stderr = &text, &note
	_ = c.Run() // the code tells
	return output{c.ProcessState.ExitCode(), text.String(), note.String()}
}

func (o output) wantRefused(t *testing.T, name, path string) {
	t.Helper()
	if o.code != 65 || strings.Count(o.note, "\n") != 1 || !strings.Contains(o.note, path) || !strings.Contains(o.note, "relay restore") {
		t.Errorf("%s: exit code %d and %q", name, o.code, o.note)
	}
}
