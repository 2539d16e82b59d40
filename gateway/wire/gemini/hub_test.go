package gemini_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/hub"

	"github.com/google/go-cmp/cmp"
)

// target is a host whose model asks for signatures and ids of calls.
var target = hub.Target{Model: "acme-gem", Provider: "google"}

func TestFates_AreAllDecided(t *testing.T) {
	fates := gemini.Hub{}.Fates()
	for p := range hub.NumParams {
		if p != hub.NumMembers && fates[p] == hub.Undecided {
			t.Errorf("%v is undecided", p)
		}
	}
}

func TestHub_SpeaksGemini(t *testing.T) {
	for _, got := range []string{gemini.Hub{}.Shape(), gemini.HubArray{}.Shape(), gemini.EmbeddingsHub{}.Shape()} {
		if got != (gemini.Codec{}).Shape() {
			t.Errorf("shape %q", got)
		}
	}
}

// decode reads a caller's body as the gateway does.
func decode(t *testing.T, body string) *hub.Request {
	t.Helper()
	r, err := tryDecode(body)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return r
}

func tryDecode(body string) (*hub.Request, error) {
	var m wire.Members
	if err := wire.Scan([]byte(body), &m); err != nil {
		return nil, err
	}
	r := &hub.Request{}
	return r, gemini.Hub{}.Decode([]byte(body), r)
}

func encode(t *testing.T, r *hub.Request, to hub.Target) string {
	t.Helper()
	body, err := gemini.Hub{}.Encode(nil, r, to)
	if err != nil {
		t.Fatal(err)
	}
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return string(body)
}

// refusal checks that an error is a refusal that names a member.
func refusal(t *testing.T, err error, code, member string) {
	t.Helper()
	var refused *wire.Error
	switch {
	case !errors.As(err, &refused):
		t.Errorf("got %v", err)
	case refused.Code != code || refused.Param != member || refused.Status != 400:
		t.Errorf("got %d %s %s: %s", refused.Status, refused.Code, refused.Param, refused.Message)
	}
}

// same compares JSON by what it says.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(parsed(t, want), parsed(t, got)); diff != "" {
		t.Errorf("%s\n%s", got, diff)
	}
}

func parsed(t *testing.T, document string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return v
}

// told writes the items of a request or answer, one a line.
func told(items []hub.Item) string {
	var b strings.Builder
	for i := range items {
		b.WriteString(toldItem(&items[i]) + "\n")
	}
	return b.String()
}

func toldItem(i *hub.Item) string {
	switch i.Kind {
	case hub.ItemReasoning:
		return fmt.Sprintf("think %s%s", i.Text, toldOpaque(&i.Opaque))
	case hub.ItemCall:
		return fmt.Sprintf("call %s %s(%s)%s%s", i.Call.ID, i.Call.NameOfFlat(), i.Arguments.Plain(), toldOpaque(&i.Opaque), toldIf(i.Cut, " cut"))
	case hub.ItemResult:
		return fmt.Sprintf("result %s %s%s:%s", i.Call.ID, i.Call.Name, toldIf(i.Failed, " failed"), toldParts(i.Parts))
	}
	return [...]string{"system", "user", "model"}[i.Role] + toldParts(i.Parts)
}

func toldParts(parts []hub.Part) string {
	var b strings.Builder
	for i := range parts {
		switch p := &parts[i]; p.Kind {
		case hub.PartText:
			fmt.Fprintf(&b, " [%s%s]", p.Text.Plain(), toldOpaque(&p.Opaque))
		case hub.PartRefusal:
			fmt.Fprintf(&b, " refusal[%s]", p.Text.Plain())
		default:
			kind := map[hub.PartKind]string{hub.PartImage: "image", hub.PartFile: "file", hub.PartAudio: "audio"}[p.Kind]
			fmt.Fprintf(&b, " %s[%s %s%s%s%s]", kind, p.MediaType, p.Data, p.URL, toldIf(len(p.FileID) > 0, "id:"+string(p.FileID)), toldIf(len(p.Name) > 0, " "+string(p.Name)))
		}
	}
	return b.String()
}

func toldOpaque(o *hub.Opaque) string {
	if !o.Present() {
		return ""
	}
	return fmt.Sprintf(" <%s/%s %d %s %s>", o.Shape, o.Provider, o.Kind, o.ID, o.Data)
}

func toldIf(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}
