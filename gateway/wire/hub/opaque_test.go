package hub_test

import (
	"encoding/base64"
	"strings"
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
	for _, data := range []string{"EqoBCkgIARABGAIiQL", "", "cmVsYXk", "CmVsYXkx", " cmVsYXkx"} {
		want := own
		want.Data = hub.Text(data)
		if diff := cmp.Diff(want, hub.Unseal(hub.Text(data), own)); diff != "" {
			t.Errorf("%s: %s", data, diff)
		}
	}
}

func TestUnseal_TakesNothingFromASealThatHasBeenAltered(t *testing.T) {
	seal := func(inner string) string { return base64.StdEncoding.EncodeToString([]byte(inner)) }
	for name, data := range map[string]string{
		"a mark alone":      seal("relay1\x00"),
		"half a mark":       seal("relay1"),
		"another mark":      seal("relay12\x00s\x00p\x000\x00i\x00d"),
		"too few fields":    seal("relay1\x00s\x00p\x000\x00i"),
		"no shape":          seal("relay1\x00\x00p\x000\x00i\x00d"),
		"no kind":           seal("relay1\x00s\x00p\x00\x00i\x00d"),
		"broken base64":     seal("relay1\x00s\x00p\x000\x00i\x00d") + "%",
		"data that escapes": seal("relay1\x00s\x00p\x000\x00i\x00d\",\"model\":\"dear"),
		"an id that does":   seal("relay1\x00s\x00p\x000\x00i\"\x00d"),
		"half an escape":    seal("relay1\x00s\x00p\x000\x00i\x00d\\"),
		"a control":         seal("relay1\x00s\x00p\x000\x00i\x00d\nd"),
		"broken UTF-8":      seal("relay1\x00s\x00p\x000\x00i\x00\xff"),
	} {
		if got := hub.Unseal(hub.Text(data), hub.Opaque{Shape: "gemini"}); got.Present() || got.Data != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestUnseal_ReadsBothAlphabetsOfBase64(t *testing.T) {
	o := hub.Opaque{Shape: "gemini", Provider: "p", Data: hub.Text("\u00ff\u07ff???>>>")}
	sealed := string(o.Seal())
	written := strings.NewReplacer("+", "-", "/", "_").Replace(sealed)
	if written == sealed {
		t.Fatal("the seal has no letters that differ")
	}
	if diff := cmp.Diff(o, hub.Unseal(hub.Text(written), hub.Opaque{Shape: "own"}), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestUnsigned_IsASealOfNothing(t *testing.T) {
	seal := hub.Unsigned()
	if got := hub.Unseal(seal, hub.Opaque{Shape: "anthropic"}); got.Present() || got.Data != nil {
		t.Errorf("%s is %+v", seal, got)
	}
	if _, err := base64.StdEncoding.Strict().DecodeString(string(seal)); err != nil || len(seal) == 0 {
		t.Errorf("%s: %v", seal, err)
	}
}

func TestHoldsSeal_KnowsEverySeal(t *testing.T) {
	for _, seal := range []hub.Text{hub.Unsigned(), (&hub.Opaque{Shape: "a"}).Seal(), (&hub.Opaque{Shape: "ollama", Data: hub.Text("d")}).Seal()} {
		if !hub.HoldsSeal(seal.AppendAfter(nil, `{"signature":`)) {
			t.Errorf("%s is not known", seal)
		}
	}
	for _, body := range []string{"", `{"signature":""}`, `{"signature":"EqoBCkgIARABGAIiQLcmVsYXk="}`, `{"text":"relay1"}`} {
		if hub.HoldsSeal([]byte(body)) {
			t.Errorf("%s holds a seal", body)
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
