package store_test

import (
	"strings"
	"testing"

	"relay/store"
)

func TestNameFrom_MakesALabelOfADisplayName(t *testing.T) {
	free := func(string) bool { return false }
	for display, want := range map[string]string{
		"Acme Models": "acme-models", "  GPT-4.1 (mini) ": "gpt-4-1-mini", "--": "", "Ünïcode": "n-code",
		"a__b": "a-b", strings.Repeat("ab ", 40): strings.Repeat("ab-", 21)[:62],
	} {
		if got := store.NameFrom(display, free); got != want {
			t.Errorf("%q: %q, want %q", display, got, want)
		}
	}
}

func TestNameFrom_NumbersNamesThatAreTaken(t *testing.T) {
	taken := map[string]bool{"acme": true, "acme-2": true}
	if got := store.NameFrom("Acme", func(n string) bool { return taken[n] }); got != "acme-3" {
		t.Errorf("got %q", got)
	}
	long := strings.Repeat("a", 63)
	got := store.NameFrom(long, func(n string) bool { return n == long })
	if got != long[:61]+"-2" {
		t.Errorf("got %q", got)
	}
}

func TestNearest_FindsMisspellings(t *testing.T) {
	words := []string{"rateLimit", "models", "pools"}
	for word, want := range map[string]string{"ratelimit": "rateLimit", "modles": "models", "pool": "pools", "zzz": "", "": ""} {
		if got := store.Nearest(word, words); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := store.Nearest(strings.Repeat("x", 1000), []string{strings.Repeat("y", 1000)}); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestIsID_TakesLowerCaseUUIDsOnly(t *testing.T) {
	for text, want := range map[string]bool{
		"0192f0c4-7b1a-7def-8123-456789abcdef": true, "0192F0C4-7B1A-7DEF-8123-456789ABCDEF": false,
		"0192f0c47b1a7def8123456789abcdef": false, "chat": false, "": false,
	} {
		if store.IsID(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
