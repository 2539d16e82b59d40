package wire_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
)

// adaptSeeds are bodies from which mutations start.
var adaptSeeds = [...]string{
	`{"model":"m","a":1,"o":{"a":2,"b":[{"a":3}],"c":{"d":4}},"z":9007199254740993}`,
	"{\n  \"a\" : null ,\n  \"o\" : { } ,\n  \"\\u0061\" : \"},{\\\"a\\\":\",\n  \"e\":1.50e2\n}",
	`{"o":{"c":{"d":1,"d":2},"a":1},"o":{"c":null},"x":0,"a":{"a":1}}`, `{"a":1,"b":2,"a":3}`, `{}`, ` { "o" : [ {"a":1} ] } `,
	`{"B":1,"_b":2,"o":{"O":{"b":1}},"o.a":1,"":{"a":1},"_":5}`,
}

func FuzzAdapt(f *testing.F) {
	for _, seed := range adaptSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { compareAdapted(t, body) })
}

func TestAdapt_ChangesNothingElseWhateverIsSent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	sound := 0
	for range 60_000 {
		if compareAdapted(t, mutate(r, []byte(adaptSeeds[r.IntN(len(adaptSeeds))]))) {
			sound++
		}
	}
	if sound < 2_000 {
		t.Errorf("only %d mutations were bodies", sound)
	}
}

// compareAdapted holds what is made of a body against encoding/json, and reports
// whether it is a body.
func compareAdapted(t *testing.T, body []byte) bool {
	t.Helper()
	if wire.Scan(body, &wire.Members{}) != nil {
		return false
	}
	before := slices.Clone(body)
	compareCut(t, body)
	compareRename(t, body)
	compareFill(t, body)
	paths := rules("a", "o.a", "o.c.d")
	if held, found := wire.Held(body, paths), wire.Inspect(body, paths); held >= 0 && found.Held < 0 {
		t.Fatalf("%q holds %d", body, held)
	}
	if !bytes.Equal(before, body) {
		t.Fatalf("%q was written to", before)
	}
	return true
}

// jsonMember is a member as it is written.
type jsonMember struct{ name, value string }

// jsonMembers reads an object; of anything else it reads nothing.
func jsonMembers(t *testing.T, object string) (members []jsonMember) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	if opener, err := d.Token(); err != nil || opener != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			t.Fatalf("%q is no JSON", object)
		}
		members = append(members, jsonMember{name.(string), string(value)})
	}
	return members
}

// foldedText is how a name is told apart.
func foldedText(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_':
			return -1
		case r == '.':
			return 0
		case r == 'ſ':
			return 's'
		case r == '\u212a':
			return 'k'
		case r >= 'A' && r <= 'Z':
			return r | 0x20
		}
		return r
	}, name)
}

// leaves writes an object with each member within the given containers by itself,
// without those that pick does not take, and containers in which nothing is left.
func leaves(t *testing.T, object, path string, containers map[string]int, pick func(path, value string) bool) (all []string) {
	t.Helper()
	for _, m := range jsonMembers(t, object) {
		at := path + foldedText(m.name)
		if foldedText(m.name) == "" {
			at = path
		}
		switch i, known := containers[at]; {
		case !pick(at, m.value):
		case known && i < 0 && strings.HasPrefix(m.value, "{"):
			if within := leaves(t, m.value, at+".", containers, pick); len(within) > 0 {
				all = append(append(append(all, m.name+"={"), within...), "}")
			}
		default:
			all = append(all, m.name+"="+m.value)
		}
	}
	return all
}

func compareCut(t *testing.T, body []byte) {
	t.Helper()
	paths := rules("a", "o.a", "o.c.d")
	after, _ := wire.Cut(nil, body, paths)
	all := func(string, string) bool { return true }
	want := leaves(t, string(body), "", paths, func(path, _ string) bool { return paths[path] < 0 || !known(paths, path) })
	if got := leaves(t, string(after), "", paths, all); !slices.Equal(got, want) || !wire.Valid(after) {
		t.Fatalf("%q\nbecame %q:\n%q, not\n%q", body, after, got, want)
	}
}

func known(paths map[string]int, path string) bool {
	_, known := paths[path]
	return known
}

func compareRename(t *testing.T, body []byte) {
	t.Helper()
	paths, targets := rules("a", "o.a", "o.c.d"), rules("x", "o.x", "o.c.x")
	after := wire.Rename(nil, body, paths, []string{"x", "o.x", "o.c.x"})
	others := func(path, _ string) bool {
		return (!known(paths, path) || paths[path] < 0) && (!known(targets, path) || targets[path] < 0)
	}
	want := leaves(t, string(body), "", paths, others)
	if got := leaves(t, string(after), "", paths, others); !slices.Equal(got, want) || !wire.Valid(after) {
		t.Fatalf("%q\nbecame %q:\n%q, not\n%q", body, after, got, want)
	}
	value := lastNamed(t, string(body), "x")
	if value == "" {
		value = lastNamed(t, string(body), "a")
	}
	if lastNamed(t, string(after), "a") != "" || lastNamed(t, string(after), "x") != value {
		t.Fatalf("%q became %q", body, after)
	}
}

// lastNamed returns the value of the last member of an object that has the name.
func lastNamed(t *testing.T, object, name string) (value string) {
	t.Helper()
	for _, m := range jsonMembers(t, object) {
		if foldedText(m.name) == name {
			value = m.value
		}
	}
	return value
}

func compareFill(t *testing.T, body []byte) {
	t.Helper()
	added := []string{"a", "o.q", "o.c.d"}
	containers := rules(added...)
	after := wire.Fill(nil, body, added, []string{"7", "7", "7"})
	if !wire.Valid(after) {
		t.Fatalf("%q became %q", body, after)
	}
	others := func(path, value string) bool {
		return !known(containers, path) || containers[path] < 0 && value != "null"
	}
	want, got := leaves(t, string(body), "", containers, others), leaves(t, string(after), "", containers, others)
	if !slices.Equal(got, want) {
		t.Fatalf("%q\nbecame %q:\n%q, not\n%q", body, after, got, want)
	}
	if wire.Take(after, "a") == nil || len(jsonMembers(t, string(wire.Take(after, "o")))) == 0 && wire.Take(body, "o") == nil {
		t.Fatalf("%q became %q, which lacks members", body, after)
	}
	if again := wire.Fill(nil, after, added, []string{"7", "7", "7"}); !bytes.Equal(again, after) {
		t.Fatalf("%q became %q, and that %q", body, after, again)
	}
}
