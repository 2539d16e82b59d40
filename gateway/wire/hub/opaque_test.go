package hub_test

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

func TestSeal_IsReadBackAsItWas(t *testing.T) {
	for _, o := range []hub.Opaque{
		{Shape: "anthropic", Provider: "p", Data: hub.Text("SIG==")},
		{Shape: "anthropic", Kind: hub.OpaqueRedacted, Data: hub.Text(`a\"b\u00e9 é`)},
		{Shape: "openai_responses", Provider: "p-1", Kind: hub.OpaqueEncrypted, ID: hub.Text("rs_1"), Data: hub.Text("")},
	} {
		sealed := o.Seal()
		if string(sealed) != string(o.Seal()) {
			t.Errorf("%+v is sealed in two ways", o)
		}
		if _, err := base64.StdEncoding.DecodeString(string(sealed)); err != nil {
			t.Errorf("%s: %v", sealed, err)
		}
		if diff := cmp.Diff(o, hub.Unseal(sealed, hub.Opaque{Shape: "gemini"}), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestUnseal_LeavesWhatIsNotSealedToItsShape(t *testing.T) {
	own := hub.Opaque{Shape: "gemini", Kind: hub.OpaqueSignature, ID: hub.Text("i")}
	seal := func(inner string) string { return base64.StdEncoding.EncodeToString([]byte(inner)) }
	for name, data := range map[string]string{
		"a provider's own":  "EqoBCkgIARABGAIiQL",
		"nothing":           "",
		"a mark alone":      seal("relay1\x00"),
		"too few fields":    seal("relay1\x00s\x00p\x000\x00i"),
		"no kind":           seal("relay1\x00s\x00p\x00\x00i\x00d"),
		"broken base64":     seal("relay1\x00s\x00p\x000\x00i\x00d") + "%",
		"data that escapes": seal("relay1\x00s\x00p\x000\x00i\x00d\",\"model\":\"dear"),
		"an id that does":   seal("relay1\x00s\x00p\x000\x00i\"\x00d"),
		"half an escape":    seal("relay1\x00s\x00p\x000\x00i\x00d\\"),
		"a control":         seal("relay1\x00s\x00p\x000\x00i\x00d\nd"),
		"broken UTF-8":      seal("relay1\x00s\x00p\x000\x00i\x00\xff"),
	} {
		want := own
		want.Data = hub.Text(data)
		if diff := cmp.Diff(want, hub.Unseal(hub.Text(data), own)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestFor_IsTheSameShapeAndProvider(t *testing.T) {
	for _, test := range []struct {
		of, provider, shape, to string
		want                    bool
	}{
		{"gemini", "p", "gemini", "p", true},
		{"gemini", "p", "gemini", "q", false},
		{"gemini", "p", "anthropic", "p", false},
		{"gemini", "", "gemini", "q", true},
		{"gemini", "p", "gemini", "", true},
		{"", "", "gemini", "", false},
	} {
		o := hub.Opaque{Shape: test.of, Provider: test.provider}
		if got := o.For(test.shape, test.to); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

func FuzzUnseal(f *testing.F) {
	o := hub.Opaque{Shape: "a", Provider: "p", ID: hub.Text("i"), Data: hub.Text("d")}
	f.Add([]byte(o.Seal()))
	f.Add([]byte("cmVsYXkx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if text := hub.Text(data); !wire.Valid(text.Append(nil)) {
			return
		}
		got := hub.Unseal(data, hub.Opaque{Shape: "own"})
		if got.Shape == "own" {
			return
		}
		again := hub.Unseal(got.Seal(), hub.Opaque{Shape: "own"})
		if diff := cmp.Diff(got, again); diff != "" {
			t.Error(diff)
		}
	})
}
