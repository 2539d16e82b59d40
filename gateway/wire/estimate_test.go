package wire_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
)

// sample is a text of the corpus and what tokenizers count of it.
type sample struct {
	Name, Kind, Text string
	Counts           map[string]int64
}

// provider is what OpenAI counts of the text: the larger of its two tokenizers'.
func (s sample) provider() int64 { return max(s.Counts["o200k_base"], s.Counts["cl100k_base"]) }

// aroundMessage is what OpenAI counts beside the text of the only message: 3 for it, 1
// for its role, and 3 with which the answer is begun.
const aroundMessage = 3 + 1 + 3

func samples(t *testing.T) (all []sample) {
	t.Helper()
	f, err := os.Open("testdata/estimate/texts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		s := sample{Counts: map[string]int64{}}
		members := map[string]json.RawMessage{}
		if err := json.Unmarshal(lines.Bytes(), &members); err != nil {
			t.Fatal(err)
		}
		for name, value := range members {
			switch name {
			case "name":
				s.Name = unquoted(t, value)
			case "kind":
				s.Kind = unquoted(t, value)
			case "text":
				s.Text = unquoted(t, value)
			default:
				s.Counts[name] = int64(numberOf(t, value))
			}
		}
		all = append(all, s)
	}
	if len(all) < 240 {
		t.Fatalf("%d texts", len(all))
	}
	return all
}

func unquoted(t *testing.T, value json.RawMessage) (text string) {
	t.Helper()
	if err := json.Unmarshal(value, &text); err != nil {
		t.Fatal(err)
	}
	return text
}

func numberOf(t *testing.T, value json.RawMessage) (n float64) {
	t.Helper()
	if err := json.Unmarshal(value, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// quoted writes a text as JSON, as Go does it, which escapes some of ASCII.
func quoted(text string) string {
	json, _ := json.Marshal(text)
	return string(json)
}

// asMessage is a chat body that holds a text as one message.
func asMessage(text string) string {
	return `{"model":"m","messages":[{"role":"user","content":` + quoted(text) + `}]}`
}

func estimate(t *testing.T, body string) int64 {
	t.Helper()
	if err := wire.Scan([]byte(body), &wire.Members{}); err != nil {
		t.Fatalf("%.200s: %v", body, err)
	}
	return wire.EstimateTokens([]byte(body))
}

// ratios are what estimates are to counts, ascending.
type ratios []float64

func (r ratios) at(share float64) float64 { return r[min(int(share*float64(len(r))), len(r)-1)] }

// enough is the share of estimates that are not below what is counted.
func (r ratios) enough() float64 {
	under := slices.IndexFunc(r, func(ratio float64) bool { return ratio >= 1 })
	if under < 0 {
		return 0
	}
	return 1 - float64(under)/float64(len(r))
}

func sorted(r ratios) ratios {
	slices.Sort(r)
	return r
}

// TestEstimateTokens_IsSeldomBelowWhatProvidersCount holds the promise of limits, and
// a narrower one: limits ask for 95 %, 0.9 and 3.
func TestEstimateTokens_IsSeldomBelowWhatProvidersCount(t *testing.T) {
	all := samples(t)
	var found ratios
	for _, s := range all {
		got, count := estimate(t, asMessage(s.Text)), s.provider()+aroundMessage
		if float64(got) < 0.95*float64(count) {
			t.Errorf("%s: the estimate is %d, a provider counts %d", s.Name, got, count)
		}
		found = append(found, float64(got)/float64(count))
	}
	found = sorted(found)
	t.Logf("%d texts: %.1f %% enough, least %.2f, median %.2f, most %.2f", len(found), 100*found.enough(), found[0], found.at(.5), found.at(1))
	if found.enough() < 0.97 || found.at(.5) > 1.6 {
		t.Errorf("%.3f of the estimates are enough, the median is %.2f of what is counted", found.enough(), found.at(.5))
	}
}

// TestEstimateTokens_IsSeldomBelowWhatOtherTokenizersCount is of tokenizers of models
// that many hosts serve. Two old ones are only told of.
func TestEstimateTokens_IsSeldomBelowWhatOtherTokenizersCount(t *testing.T) {
	all := samples(t)
	for tokenizer := range all[0].Counts {
		var found ratios
		for _, s := range all {
			found = append(found, float64(estimate(t, asMessage(s.Text)))/float64(s.Counts[tokenizer]+aroundMessage))
		}
		found = sorted(found)
		t.Logf("%s: %.1f %% enough, least %.2f, median %.2f, most %.2f", tokenizer, 100*found.enough(), found[0], found.at(.5), found.at(1))
		if isOld := tokenizer == "claude_2" || tokenizer == "mistral_1"; !isOld && (found.enough() < 0.95 || found[0] < 0.9) {
			t.Errorf("%s: %.3f of the estimates are enough, the least is %.2f of what is counted", tokenizer, found.enough(), found[0])
		}
	}
}

// TestEstimateTokens_HoldsForTextsOfSeveralKinds is of texts that are joined of those
// of the corpus: together they count no more than each by itself.
func TestEstimateTokens_HoldsForTextsOfSeveralKinds(t *testing.T) {
	all, r := samples(t), rand.New(rand.NewPCG(11, 12))
	var found ratios
	for range 100 {
		var text strings.Builder
		count := int64(aroundMessage)
		for range 2 + r.IntN(11) {
			s := all[r.IntN(len(all))]
			text.WriteString(s.Text)
			text.WriteString([...]string{"", " ", "\n", "\n\n"}[r.IntN(4)])
			count += s.provider() + 1
		}
		found = append(found, float64(estimate(t, asMessage(text.String())))/float64(count))
	}
	found = sorted(found)
	t.Logf("%.1f %% enough, least %.2f, median %.2f, most %.2f", 100*found.enough(), found[0], found.at(.5), found.at(1))
	if found.enough() < 0.97 || found[0] < 0.95 || found.at(.5) > 1.6 {
		t.Errorf("%.3f of the estimates are enough, the least is %.2f and the median %.2f of what is counted", found.enough(), found[0], found.at(.5))
	}
}

// TestEstimateTokens_ReadsEscapesAsWhatTheyStandFor writes every text in several ways.
func TestEstimateTokens_ReadsEscapesAsWhatTheyStandFor(t *testing.T) {
	for _, s := range samples(t) {
		want := estimate(t, `{"input":`+wire.Quote(s.Text)+`}`)
		for _, written := range []string{quoted(s.Text), escaped(s.Text, 0x80), escaped(s.Text, 0)} {
			if got := estimate(t, `{"input":`+written+`}`); got != want {
				t.Errorf("%s: %d, with other escapes %d: %.80s", s.Name, want, got, written)
			}
		}
	}
}

// escaped writes a text as JSON with escapes for all from a rune on.
func escaped(text string, from rune) string {
	var to strings.Builder
	for _, r := range text {
		switch {
		case r >= 0x10000:
			r -= 0x10000
			to.WriteString(hex4(0xd800+r>>10) + hex4(0xdc00+r&0x3ff))
		case r >= from || r < ' ' || r == '"' || r == '\\':
			to.WriteString(hex4(r))
		default:
			to.WriteRune(r)
		}
	}
	return `"` + to.String() + `"`
}

func hex4(r rune) string {
	const digits = "0123456789aBcDeF"
	return `\u` + string([]byte{digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}
