package catalogdata_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/store"
	"relay/store/catalogdata"
)

// leftOut lists the rows of the facts that the catalogue does not have, and why.
// There are none.
func leftOut() map[string]string { return map[string]string{} }

func (want factModel) row() string { return want.Model + " at " + want.Host }

// checkRows wants every row of the facts in the catalogue or left out for a
// reason, and nothing in the catalogue that the facts do not have.
func checkRows(t *testing.T, f facts, data *catalogdata.Data) {
	t.Helper()
	offered := map[string]bool{}
	for _, o := range data.Offers {
		offered[o.Model+" at "+o.Host] = true
	}
	for _, want := range f.Models {
		if offered[want.row()] == (leftOut()[want.row()] != "") {
			t.Errorf("%s: is in the catalogue: %t; is listed as left out: %q", want.row(), offered[want.row()], leftOut()[want.row()])
		}
		delete(offered, want.row())
	}
	for row := range offered {
		t.Errorf("%s: is not in the facts", row)
	}
	checkHostRows(t, f, data)
}

func checkHostRows(t *testing.T, f facts, data *catalogdata.Data) {
	t.Helper()
	known := map[string]bool{}
	for _, h := range f.Hosts {
		known[h.ID], known[departures()[h.ID].split] = true, true
	}
	for _, h := range data.Hosts {
		if !known[h.Name] {
			t.Errorf("host %s: is not in the facts", h.Name)
		}
	}
}

// sharing returns the rows of the same name, in any case, at whatever host.
func (want factModel) sharing(f facts) []factModel {
	return slices.DeleteFunc(slices.Clone(f.Models), func(m factModel) bool { return !strings.EqualFold(m.Model, want.Model) })
}

func (want factModel) compare(t *testing.T, f facts, data *catalogdata.Data) {
	at := slices.IndexFunc(data.Models, func(m catalogdata.Model) bool { return strings.EqualFold(m.Name, want.Model) })
	offer := slices.IndexFunc(data.Offers, func(o catalogdata.Offer) bool { return o.Model == want.Model && o.Host == want.Host })
	if at < 0 || offer < 0 {
		t.Fatal("is not in the catalogue")
	}
	got, own, all := data.Models[at], data.Offers[offer], want.sharing(f)
	if least := slices.MinFunc(all, byContext).Context; got.Context != least || cmp.Or(own.Context, got.Context) != want.Context {
		t.Errorf("context %d, here %d; want %d, here %d", got.Context, own.Context, least, want.Context)
	}
	if least := slices.MinFunc(all, byOutput).MaxOutput; got.Output != least || cmp.Or(own.Output, got.Output) != want.MaxOutput {
		t.Errorf("output %d, here %d; want %d, here %d", got.Output, own.Output, least, want.MaxOutput)
	}
	if got.Released != released(all) || got.Provider != want.maker() {
		t.Errorf("released %q by %s; want %q, %s", got.Released, got.Provider, released(all), want.maker())
	}
	if title := strings.TrimSuffix(want.Name, " (latest)"); !strings.EqualFold(got.Title, title) {
		t.Errorf("title %q, want %q", got.Title, title)
	}
	if can := shared(all); !slices.Equal(got.Can, can) {
		t.Errorf("can %v, want %v", got.Can, can)
	}
	want.compareSource(t, own.Prices)
	name := store.NameFrom(want.Model+" "+want.Host, func(string) bool { return false })
	want.comparePrices(t, pricingIn(t, data, name).Spec.Rates)
}

func byContext(a, b factModel) int { return cmp.Compare(a.Context, b.Context) }

func byOutput(a, b factModel) int { return cmp.Compare(a.MaxOutput, b.MaxOutput) }

// released is the first day that the facts give. A month alone is none.
func released(all []factModel) string {
	var days []string
	for _, m := range all {
		if _, err := time.Parse(time.DateOnly, m.Released); err == nil {
			days = append(days, m.Released)
		}
	}
	if len(days) == 0 {
		return ""
	}
	return slices.Min(days)
}

// shared are the capabilities that the model has at every host.
func shared(all []factModel) []string {
	return slices.DeleteFunc(all[0].can(), func(name string) bool {
		return slices.ContainsFunc(all, func(m factModel) bool { return !slices.Contains(m.can(), name) })
	})
}

// maker is who makes the model: the host itself, unless it is one of those that
// serve the models of others.
func (want factModel) maker() string {
	if !slices.Contains([]string{"groq", "cerebras", "together", "fireworks", "deepinfra"}, want.Host) {
		return want.Host
	}
	for _, known := range [][2]string{
		{"gpt-oss", "openai"}, {"llama", "meta"}, {"qwen", "alibaba"}, {"glm", "zai"}, {"deepseek", "deepseek"}, {"kimi", "moonshot"}, {"minimax", "minimax"},
	} {
		if strings.Contains(strings.ToLower(want.Model), known[0]) {
			return known[1]
		}
	}
	return "nobody"
}
