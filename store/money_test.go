package store_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"relay/store"
)

func TestParseNanoDollars_IsExact(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "20.00": 20_000_000_000, "0.000000001": 1, "007.5": 7_500_000_000,
		"9223372036.854775807": 1<<63 - 1,
	} {
		if got, err := store.ParseNanoDollars(text); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestParseNanoDollars_RefusesWhatIsNoPlainDecimal(t *testing.T) {
	for text, part := range map[string]string{
		"": "decimal", "-1": "decimal", "+1": "decimal", "1e3": "decimal", ".5": "decimal", "1.": "decimal",
		"1,5": "decimal", "0x1": "decimal", "NaN": "decimal", "1.0000000000": "at most 9 decimals",
		"9223372036.854775808": "too large", "99999999999999999999999999": "too large",
	} {
		if _, err := store.ParseNanoDollars(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v, want %q", text, err, part)
		}
	}
}

func TestParsePicoDollars_GivesThePriceOfOneUnit(t *testing.T) {
	for _, c := range []struct {
		text string
		per  int64
		want int64
	}{
		{"2.50", 1_000_000, 2_500_000}, {"0.000001", 1_000_000, 1}, {"3", 1_000, 3_000_000_000},
		{"0.04", 1, 40_000_000_000}, {"0", 1_000_000, 0}, {"0.000000000001", 1, 1},
	} {
		if got, err := store.ParsePicoDollars(c.text, c.per); err != nil || got != c.want {
			t.Errorf("%s per %d: %d, %v, want %d", c.text, c.per, got, err, c.want)
		}
	}
}

func TestParsePicoDollars_RefusesWhatIsFinerThanAPicoDollar(t *testing.T) {
	if _, err := store.ParsePicoDollars("0.0000001", 1_000_000); err == nil || !strings.Contains(err.Error(), "at most 6 decimals") {
		t.Errorf("got %v", err)
	}
}

func TestFormatNanoDollars_KeepsTwoDecimalsAndNoZerosBehindThem(t *testing.T) {
	for nanos, want := range map[int64]string{
		0: "0.00", 20_000_000_000: "20.00", 20_130_000_000: "20.13", 500_000: "0.0005", 1: "0.000000001",
		-1_250_000_000: "-1.25", 1_200_000_000: "1.20", 1<<63 - 1: "9223372036.854775807", -1 << 63: "-9223372036.854775808",
	} {
		if got := store.FormatNanoDollars(nanos); got != want {
			t.Errorf("%d: %s, want %s", nanos, got, want)
		}
	}
}

func TestFormatNanoDollars_ReadsBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nanos := rapid.Int64Min(0).Draw(t, "nanos")
		if got, err := store.ParseNanoDollars(store.FormatNanoDollars(nanos)); err != nil || got != nanos {
			t.Fatalf("%d: %d, %v", nanos, got, err)
		}
	})
}
