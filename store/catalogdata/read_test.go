package catalogdata_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"relay/store/catalogdata"
)

// small is a catalogue of one row of each kind.
const small = `
release: 1
date: 2026-11-01
sources:
- {id: vendor, title: the vendor's page, date: 2026-11-01}
providers:
- {name: acme, title: Acme, homepage: "https://acme.example", source: vendor}
hosts:
- {name: acme, title: Acme, url: "https://api.acme.example/v1", shapes: [openai], auth: bearer, keys: [ACME_API_KEY], source: vendor}
models:
- {name: acme-1, title: Acme 1, provider: acme, context: 1000, output: 100, can: [chat], source: vendor}
offers:
- {model: acme-1, host: acme, prices: [{usd: {input: 1.00, output: 2.00}, source: vendor, checked: 2026-11-01}]}
`

// edited returns the small catalogue with texts replaced, given in pairs.
func edited(t *testing.T, pairs ...string) string {
	t.Helper()
	text := small
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the small catalogue does not hold %q", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func read(texts ...string) (*catalogdata.Data, error) {
	files := fstest.MapFS{}
	for i, text := range texts {
		files[string(rune('a'+i))+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	return catalogdata.Read(files)
}

func mustRead(t *testing.T, texts ...string) *catalogdata.Data {
	t.Helper()
	data, err := read(texts...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRead_PutsTheFilesTogether(t *testing.T) {
	more := `
models:
- {name: acme-2, title: Acme 2, provider: acme, context: 1000, can: [chat], source: vendor}
`
	data := mustRead(t, small, more)
	if len(data.Models) != 2 || data.Release != 1 || len(data.Records()) != 6 {
		t.Errorf("%d models, release %d, %d records", len(data.Models), data.Release, len(data.Records()))
	}
}

func TestRead_RefusesWhatCannotBeRight(t *testing.T) {
	cases := map[string]struct {
		replace []string
		want    string
	}{
		"no date":                          {[]string{"date: 2026-11-01\nsources", "sources"}, `release: must have a date such as 2026-01-31, not ""`},
		"a deprecation without a day":      {[]string{"can: [chat],", "can: [chat], deprecation: {status: sunset, source: vendor},"}, "model acme-1: must have a date"},
		"a deprecation without a source":   {[]string{"can: [chat],", "can: [chat], deprecation: {status: sunset, sunset: 2026-12-01},"}, `must name a source, and "" is none`},
		"a deprecation that is none":       {[]string{"can: [chat],", "can: [chat], deprecation: {status: old, sunset: 2026-12-01, source: vendor},"}, "spec.deprecation.status"},
		"an offer that is no wider":        {[]string{"model: acme-1, host", "model: acme-1, context: 1000, host"}, "must leave out a context or output"},
		"a member that does not exist":     {[]string{"shapes: [openai]", "shape: openai"}, "field shape not found"},
		"a repeated member":                {[]string{"auth: bearer", "auth: bearer, auth: none"}, "already defined"},
		"no release":                       {[]string{"release: 1", "release: 0"}, "release: must be given"},
		"a source without a date":          {[]string{"date: 2026-11-01", "date: November"}, `source vendor: must have a date such as 2026-01-31, not "November"`},
		"a row without a source":           {[]string{"can: [chat], source: vendor", "can: [chat]"}, "model acme-1: must name a source"},
		"a price without a day":            {[]string{", checked: 2026-11-01", ""}, "offer of acme-1 at acme: must have a date"},
		"a price without a source":         {[]string{"source: vendor, checked", "source: rumour, checked"}, `"rumour" is none`},
		"a meter that nobody knows":        {[]string{"input: 1.00,", "input: 1.00, inptu: 1.00,"}, `prices "inptu", which is none of input, cache_read`},
		"a price for input only":           {[]string{", output: 2.00", ""}, "must price input and output"},
		"an amount that is none":           {[]string{"output: 2.00", "output: 2e3"}, "spec.rates[1].amount"},
		"tiers in the wrong order":         {[]string{"checked: 2026-11-01}", "checked: 2026-11-01, above: [{tokens: 9, usd: {input: 1, output: 1}, source: vendor}, {tokens: 9, usd: {input: 1, output: 1}, source: vendor}]}"}, "tiers above more and more tokens"},
		"prices in the wrong order":        {[]string{"prices: [{usd", "prices: [{from: 2026-11-02, usd: {input: 1, output: 1}, source: vendor, checked: 2026-11-01}, {from: 2026-11-01, usd"}, "in the order of their days"},
		"a model of no provider":           {[]string{"provider: acme", "provider: emca"}, "model acme-1: needs provider emca, which is not there"},
		"an offer at no host":              {[]string{"host: acme", "host: emca"}, "needs host emca"},
		"a capability that nobody knows":   {[]string{"can: [chat]", "can: [chatt]"}, "spec.capabilities.chatt is not a capability"},
		"a shape that nobody speaks":       {[]string{"shapes: [openai]", "shapes: [bedrock-converse]"}, "spec.shapes[0] must be one of"},
		"a name that is no label":          {[]string{"- {name: acme, title: Acme, url", "- {name: Acme Inc, title: Acme, url"}, "metadata.name"},
		"a placeholder that nobody fills":  {[]string{"api.acme.example/v1", "api.acme.example/{tenant}/v1"}, "has a placeholder in its url"},
		"a value without a placeholder":    {[]string{"keys: [ACME_API_KEY]", "values: {region: ACME_REGION}"}, "has a value for {region}"},
		"a variable that is none":          {[]string{"ACME_API_KEY", "acme key"}, "must name environment variables"},
		"a variable that is named twice":   {[]string{"keys: [ACME_API_KEY]", "keys: [ACME_API_KEY, ACME_API_KEY]"}, "names the variable ACME_API_KEY, as host acme does"},
		"variables of a host without auth": {[]string{"auth: bearer", "auth: none"}, "takes no key and names variables"},
		"a row of a release to come":       {[]string{"can: [chat],", "can: [chat], since: 2,"}, "is there since a release that is yet to come"},
		"a second document":                {[]string{"offers:\n", "---\noffers:\n"}, "must be one document"},
		"a key over plain http":            {[]string{"https://api.acme", "http://api.acme"}, "sends the key unencrypted"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := read(edited(t, c.replace...))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestRead_RefusesARowOrAReleaseThatIsThereTwice(t *testing.T) {
	twice := "hosts:\n- {name: acme, title: Acme, url: \"https://acme.example\", shapes: [openai], auth: bearer, source: vendor}\n"
	if _, err := read(small, twice); err == nil || !strings.Contains(err.Error(), "host acme: is there twice") {
		t.Errorf("got %v", err)
	}
	if _, err := read(small, "release: 2\n"); err == nil || !strings.Contains(err.Error(), "release is given by another file") {
		t.Errorf("got %v", err)
	}
}

func TestRead_TellsAllFaultsAtOnce(t *testing.T) {
	_, err := read(edited(t, "can: [chat], source: vendor", "can: [chat]", "host: acme", "host: emca"))
	if err == nil || !strings.Contains(err.Error(), "must name a source") || !strings.Contains(err.Error(), "needs host emca") {
		t.Errorf("got %v", err)
	}
}
