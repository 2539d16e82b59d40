package catalogdata_test

import (
	"bytes"
	"strings"
	"testing"

	"relay/store/catalogdata"
)

func TestText_IsReadBackAsTheSameCatalogue(t *testing.T) {
	for name, data := range map[string]*catalogdata.Data{"embedded": load(t), "small": mustRead(t, small)} {
		text, err := data.Text()
		if err != nil {
			t.Fatal(err)
		}
		again, err := catalogdata.ReadText(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		twice, err := again.Text()
		if err != nil || !bytes.Equal(text, twice) {
			t.Errorf("%s: the text of what was read is another one (%v)", name, err)
		}
		if len(again.Records()) != len(data.Records()) || len(text) > catalogdata.MaxText/4 {
			t.Errorf("%s: %d records of %d in %d bytes", name, len(again.Records()), len(data.Records()), len(text))
		}
	}
}

func TestReadText_RefusesWhatReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("#", catalogdata.MaxText+1): "at most",
		"release: 1\n":                                    "release: must have a date",
		edited(t, "can: [chat]", "can: [chatt]"):          "is not a capability",
		edited(t, "shapes: [openai]", "shape: openai"):    "field shape not found",
		edited(t, "offers:\n", "---\noffers:\n"):          "must be one document",
		edited(t, "https://api.acme", "http://api.acme"):  "sends the key unencrypted",
		edited(t, "output: 2.00", "output: -2"):           "amount",
		edited(t, "release: 1", "release: 1\nrelease: 2"): "already defined",
	} {
		if _, err := catalogdata.ReadText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
