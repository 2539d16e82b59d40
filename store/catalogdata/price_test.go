package catalogdata_test

import (
	"slices"
	"testing"

	"relay/store"
	"relay/store/catalogdata"
)

func pricing(t *testing.T, name string) store.Pricing {
	t.Helper()
	return pricingIn(t, load(t), name)
}

func pricingIn(t *testing.T, data *catalogdata.Data, name string) store.Pricing {
	t.Helper()
	for _, rec := range data.Records() {
		if p, ok := rec.(*store.Pricing); ok && p.Metadata.Name == name {
			return *p
		}
	}
	t.Fatalf("no pricing %s", name)
	return store.Pricing{}
}

func rate(meter, amount string, above int64, from, to string) store.Rate {
	return store.Rate{Meter: "tokens." + meter, Unit: "per_million", Amount: amount, AboveTokens: above, From: from, To: to}
}

func TestRecords_PriceThePresentAndWhatWasBefore(t *testing.T) {
	const day = "2026-07-30"
	want := []store.Rate{
		rate("input", "2.50", 0, "", day), rate("cache_read", "0.25", 0, "", day),
		rate("cache_creation", "3.125", 0, "", day), rate("output", "15.00", 0, "", day),
		rate("input", "2.00", 0, day, ""), rate("cache_read", "0.20", 0, day, ""),
		rate("cache_creation", "2.50", 0, day, ""), rate("output", "12.00", 0, day, ""),
		rate("input", "4.00", 272000, day, ""), rate("cache_read", "0.40", 272000, day, ""),
		rate("cache_creation", "5.00", 272000, day, ""), rate("output", "18.00", 272000, day, ""),
	}
	if got := pricing(t, "gpt-5-6-terra-openai").Spec.Rates; !slices.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

func TestRecords_LeaveOutMetersThatHaveNoPriceOfTheirOwn(t *testing.T) {
	want := []store.Rate{
		rate("input", "30.00", 0, "", ""), rate("output", "180.00", 0, "", ""),
		rate("input", "60.00", 272000, "", ""), rate("output", "270.00", 272000, "", ""),
	}
	if got := pricing(t, "gpt-5-5-pro-openai").Spec.Rates; !slices.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

func TestRecords_PriceCacheWritesThatLiveAnHourApart(t *testing.T) {
	want := []store.Rate{
		rate("input", "1.00", 0, "", ""), rate("cache_read", "0.10", 0, "", ""), rate("cache_creation", "1.25", 0, "", ""),
		rate("cache_creation_1h", "2.00", 0, "", ""), rate("output", "5.00", 0, "", ""),
	}
	if got := pricing(t, "claude-haiku-4-5-anthropic").Spec.Rates; !slices.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

func TestRecords_KeepSourceAndDayBesideAPrice(t *testing.T) {
	got := pricing(t, "gpt-5-5-pro-openai").Metadata.Annotations
	want := map[string]string{
		"catalog/source": "genai-prices", "catalog/checked": "2026-04-24",
		"catalog/agree": "models.dev", "catalog/differs": "litellm 30.0/3.0/None/180.0",
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s: got %q, want %q", key, got[key], value)
		}
	}
}

func TestRecords_PriceRequestsByTheThousandOnTopOfTokens(t *testing.T) {
	want := []store.Rate{
		rate("input", "3.00", 0, "", ""), rate("output", "15.00", 0, "", ""), {Meter: "requests", Unit: "per_thousand", Amount: "14.00"},
	}
	if got := pricing(t, "sonar-pro-perplexity").Spec.Rates; !slices.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}
