package store

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration written as Go writes it, with "d" for 24 hours:
// "30s", "1h30m", "90d". A bare number is refused, since nobody can tell which
// unit was meant.
type Duration time.Duration

// ParseDuration reads a duration in the form above.
func ParseDuration(text string) (time.Duration, error) {
	fault := fmt.Errorf("%q is not a duration: write a number with a unit, such as 30s, 1m, 24h or 7d", text)
	if text == "" {
		return 0, fault
	}
	days, rest := time.Duration(0), text
	sign := time.Duration(1)
	if strings.HasPrefix(rest, "-") {
		sign, rest = -1, rest[1:]
	}
	if head, tail, found := strings.Cut(rest, "d"); found {
		n, err := strconv.ParseFloat(head, 64)
		if err != nil || n < 0 || n > 100*366 {
			return 0, fault
		}
		days, rest = time.Duration(n*24*float64(time.Hour)), tail
		if rest == "" {
			return sign * days, nil
		}
	}
	if rest != "0" && strings.Trim(rest, "0123456789.") == "" {
		return 0, fault
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 {
		return 0, fault
	}
	return sign * (days + d), nil
}

// FormatDuration writes whole days as "7d", and leaves out zero parts.
func FormatDuration(d time.Duration) string {
	const day = 24 * time.Hour
	if d != 0 && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// IsZero reports whether d is 0, so that omitzero leaves it out.
func (d Duration) IsZero() bool { return d == 0 }

// MarshalJSON writes the duration as text.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(FormatDuration(time.Duration(d)))
}

// UnmarshalJSON reads the duration from text.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("must be a duration in quotes, such as \"30s\", \"1m\", \"24h\" or \"7d\"")
	}
	parsed, err := ParseDuration(text)
	if err != nil {
		return err
	}
	*d = Duration(parsed)
	return nil
}
