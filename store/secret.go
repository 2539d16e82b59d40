package store

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// Secret is text that no formatter, logger or marshaller shows. Only Reveal
// gives it.
type Secret struct{ text string }

const redacted = "[redacted]"

// NewSecret wraps text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// IsZero reports whether there is no text, so that omitzero leaves it out.
func (s Secret) IsZero() bool { return s.text == "" }

// String hides the text.
func (s Secret) String() string { return redacted }

// GoString hides the text from %#v.
func (s Secret) GoString() string { return redacted }

// Format hides the text from every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue hides the text from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the text from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON hides the text from JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// UnmarshalJSON takes the text from a JSON string.
func (s *Secret) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &s.text); err != nil {
		return fmt.Errorf("must be a string")
	}
	return nil
}
