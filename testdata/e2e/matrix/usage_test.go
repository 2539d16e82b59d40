package matrix_test

import (
	"testing"

	"relay/testdata/e2e/strict"
)

// TestUsageIsWhatTheProvidersHaveReported sums up all that the tests have done so
// far: what relay usage says of a model is what the provider has reported, however
// the callers were told.
func TestUsageIsWhatTheProvidersHaveReported(t *testing.T) {
	for _, shape := range shapes() {
		cell{T: t, caller: openAIChat(), upstream: shape, model: shape + "-mini", name: "usage-" + shape}.text()
	}
	rows, err := bench.relay.Usage("model")
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range shapes() {
		model := shape + "-mini"
		n, u, row := bench.providers.Answered(model), strict.Usage(shape), rows[model]
		got := strict.Tokens{Input: row.Tokens.Input, CacheRead: row.Tokens.CacheRead, CacheCreation: row.Tokens.CacheCreation, Output: row.Tokens.Output, Reasoning: row.Tokens.Reasoning}
		want := strict.Tokens{Input: n * u.Input, CacheRead: n * u.CacheRead, CacheCreation: n * u.CacheCreation, Output: n * u.Output, Reasoning: n * u.Reasoning}
		if got != want || n == 0 {
			t.Errorf("%s has given %d answers of %+v, relay has counted %+v", model, n, want, got)
		}
	}
}
