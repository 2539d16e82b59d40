package hub_test

import (
	"testing"

	"relay/gateway/wire/hub"
)

func TestFileName_IsThatOfTheMediaTypeWhereTheFileHasNone(t *testing.T) {
	for _, c := range []struct{ name, mediaType, want string }{
		{"", "application/pdf", "document.pdf"},
		{"", `text\/plain`, "document.txt"},
		{"", "text/markdown", "document.md"},
		{"", "text/html", "document.html"},
		{"", "text/csv", "document.csv"},
		{"", "", "document.pdf"},
		{"a.bin", "text/plain", "a.bin"},
	} {
		p := hub.Part{Kind: hub.PartFile, Name: hub.Text(c.name), MediaType: hub.Text(c.mediaType)}
		if got := p.FileName().String(); got != c.want {
			t.Errorf("%q of %s is named %s", c.name, c.mediaType, got)
		}
	}
}
