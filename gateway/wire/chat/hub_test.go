package chat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/hub"
)

func TestFates_AreDecidedForEveryParameter(t *testing.T) {
	fates := chat.Hub{}.Fates()
	for p := range hub.NumParams {
		if p != hub.NumMembers && fates[p] == hub.Undecided {
			t.Errorf("%s is undecided", p)
		}
	}
	if got := (chat.Hub{}).Shape() + (chat.EmbeddingsHub{}).Shape(); got != "openaiopenai" {
		t.Errorf("shapes %q", got)
	}
}

// decode reads a caller's body, which must be one.
func decode(tb testing.TB, body string) *hub.Request {
	tb.Helper()
	r, err := tryDecode(tb, body)
	if err != nil {
		tb.Fatalf("%s: %v", body, err)
	}
	return r
}

func tryDecode(tb testing.TB, body string) (*hub.Request, error) {
	tb.Helper()
	if err := wire.Scan([]byte(body), &wire.Members{}); err != nil {
		tb.Fatalf("%s: %v", body, err)
	}
	r := &hub.Request{}
	err := chat.Hub{}.Decode([]byte(body), r)
	return r, err
}

// encode checks a request and writes it for a host.
func encode(tb testing.TB, r *hub.Request, to hub.Target) (body string, dropped []string) {
	tb.Helper()
	dropped, err := r.Check("openai", chat.Hub{}.Fates())
	if err != nil {
		tb.Fatal(err)
	}
	b, err := chat.Hub{}.Encode(nil, r, to)
	if err != nil {
		tb.Fatal(err)
	}
	if err := wire.Scan(b, &wire.Members{}); err != nil {
		tb.Fatalf("%s: %v", b, err)
	}
	return string(b), dropped
}

// equal fails the test where two documents differ in more than their members'
// order and white space.
func equal(tb testing.TB, about, got, want string) {
	tb.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		tb.Errorf("%s: %v in %s", about, err, got)
		return
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		tb.Fatalf("%s: %v in %s", about, err, want)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		tb.Errorf("%s:\ngot  %s\nwant %s", about, got, want)
	}
}

// items writes items down, one a line.
func items(list []hub.Item) string {
	var lines []string
	for i := range list {
		lines = append(lines, describe(&list[i]))
	}
	return strings.Join(lines, "\n")
}

func describe(i *hub.Item) string {
	var b strings.Builder
	switch i.Kind {
	case hub.ItemMessage:
		b.WriteString([...]string{"system", "user", "assistant"}[i.Role])
	case hub.ItemReasoning:
		fmt.Fprintf(&b, "thought %q", i.Text.String())
	case hub.ItemCall:
		fmt.Fprintf(&b, "call %s %s %s", i.Call.ID, i.Call.NameOfFlat(), i.Arguments)
		if i.Call.Custom {
			b.WriteString(" custom")
		}
	case hub.ItemResult:
		fmt.Fprintf(&b, "result %s %s", i.Call.ID, i.Call.Name)
	}
	for p := range i.Parts {
		b.WriteString(" " + describePart(&i.Parts[p]))
	}
	if o := &i.Opaque; o.Present() {
		fmt.Fprintf(&b, " <%s/%s %d %s %s>", o.Shape, o.Provider, o.Kind, o.ID, o.Data)
	}
	if i.Mark != nil {
		fmt.Fprintf(&b, " mark %s", i.Mark)
	}
	if i.Cut {
		b.WriteString(" cut")
	}
	return strings.TrimSpace(b.String())
}

func describePart(p *hub.Part) string {
	kind := [...]string{"text", "refusal", "image", "file", "audio"}[p.Kind]
	fields := []string{}
	for _, f := range []hub.Text{p.MediaType, p.Data, p.URL, p.FileID, p.Name, p.Detail} {
		if len(f) > 0 {
			fields = append(fields, f.String())
		}
	}
	if p.Kind == hub.PartText || p.Kind == hub.PartRefusal {
		fields = append(fields, fmt.Sprintf("%q", p.Text.String()))
	}
	if p.Mark != nil {
		fields = append(fields, "mark "+string(p.Mark))
	}
	return kind + "(" + strings.Join(fields, " ") + ")"
}

// lines joins what is written on several lines.
func lines(l ...string) string { return strings.Join(l, "\n") }
