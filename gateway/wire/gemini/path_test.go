package gemini_test

import (
	"net/url"
	"testing"

	"relay/gateway/wire/gemini"
)

func TestSplitPath_SplitsAtTheLastColon(t *testing.T) {
	for rest, want := range map[string][2]string{
		"acme-gem:generateContent":                            {"acme-gem", "generateContent"},
		"acme-gem%3AgenerateContent":                          {"acme-gem", "generateContent"},
		"acme-gem%3astreamGenerateContent":                    {"acme-gem", "streamGenerateContent"},
		"hf.co/acme/tiny-gguf:Q4_K_M:generateContent":         {"hf.co/acme/tiny-gguf:Q4_K_M", "generateContent"},
		"hf.co%2Facme%2Ftiny-gguf%3AQ4_K_M:generateContent":   {"hf.co/acme/tiny-gguf:Q4_K_M", "generateContent"},
		"hf.co%2Facme/tiny-gguf:Q4_K_M%3AgenerateContent":     {"hf.co/acme/tiny-gguf:Q4_K_M", "generateContent"},
		"hf.co%2facme%2ftiny-gguf%3aQ4_K_M%3agenerateContent": {"hf.co/acme/tiny-gguf:Q4_K_M", "generateContent"},
		"models/acme-gem:countTokens":                         {"acme-gem", "countTokens"},
		"models%2Facme-gem:countTokens":                       {"acme-gem", "countTokens"},
		"models/models/acme-gem:countTokens":                  {"models/acme-gem", "countTokens"},
		"tunedModels/mine:generateContent":                    {"tunedModels/mine", "generateContent"},
		"a%253Ab:embedContent":                                {"a%3Ab", "embedContent"},
		"a%253AembedContent:x":                                {"a%3AembedContent", "x"},
		"caf%C3%A9%20x+y:embedContent":                        {"café x+y", "embedContent"},
		"..%2F..%2Fx:embedContent":                            {"../../x", "embedContent"},
		"a:b/c":                                               {"a", "b/c"},
	} {
		model, verb, ok := gemini.SplitPath(rest)
		if !ok || model != want[0] || verb != want[1] {
			t.Errorf("%s: %q, %q, %v", rest, model, verb, ok)
		}
	}
}

func TestSplitPath_RefusesWhatIsNoCall(t *testing.T) {
	for _, rest := range []string{"", "acme-gem", "acme-gem%253AgenerateContent", ":generateContent", "%3AgenerateContent", "models/:generateContent", "acme-gem:", "acme-gem%3A", "a%zz:generateContent", "a%:generateContent", "a%2:x"} {
		if model, verb, ok := gemini.SplitPath(rest); ok || model != "" || verb != "" {
			t.Errorf("%q: %q, %q, %v", rest, model, verb, ok)
		}
	}
}

func TestPath_IsEscapedWhenItIsWritten(t *testing.T) {
	for model, want := range map[string]string{
		"acme-gem":                    "/v1beta/models/acme-gem:generateContent",
		"models/acme-gem":             "/v1beta/models/acme-gem:generateContent",
		"tunedModels/mine":            "/v1beta/tunedModels/mine:generateContent",
		"hf.co/acme/tiny-gguf:Q4_K_M": "/v1beta/models/hf.co/acme/tiny-gguf:Q4_K_M:generateContent",
		"a?b#c%3A d":                  "/v1beta/models/a%3Fb%23c%253A%20d:generateContent",
		"café":                        "/v1beta/models/caf%C3%A9:generateContent",
	} {
		u := url.URL{Scheme: "https", Host: "h.example", Path: "/v1beta" + gemini.Path(model, "generateContent"), RawQuery: "alt=sse"}
		if got := u.String(); got != "https://h.example"+want+"?alt=sse" {
			t.Errorf("%s: %s", model, got)
		}
	}
}

func TestSplitPath_ReadsWhatPathWrites(t *testing.T) {
	for _, model := range []string{"acme-gem", "hf.co/acme/tiny:Q4", "a?b#c%3A d:", "::", "café"} {
		u := url.URL{Path: gemini.Path(model, "countTokens")}
		got, verb, ok := gemini.SplitPath(u.EscapedPath()[len("/models/"):])
		if !ok || got != model || verb != "countTokens" {
			t.Errorf("%q became %q, %q, %v", model, got, verb, ok)
		}
	}
}
