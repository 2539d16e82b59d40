package plan_test

import (
	"encoding/hex"
	"slices"
	"testing"

	"relay/gateway/plan"
	"relay/store"
)

func TestCompile_WarnsOfTierPoliciesThatAskWhatIsAskedOfCallers(t *testing.T) {
	size := int64(5)
	for field, spec := range map[string]store.PolicySpec{
		"spec.capabilities":   {Capabilities: store.Capabilities{"tools": false}},
		"spec.maxInputTokens": {MaxInputTokens: &size},
		"spec.blockedParams":  {BlockedParams: []string{"seed"}},
		"":                    {Capabilities: store.Capabilities{"tools": true}},
	} {
		w := newWorld(t)
		put(w, "tier", spec)
		if warned(w.plan(), "") != 0 {
			t.Errorf("%s: warned of a policy for callers", field)
		}
		w.giveTo("up", "tier")
		if n := warned(w.plan(), field); field != "" && n != 1 || field == "" && n != 0 {
			t.Errorf("%s: %d warnings", field, n)
		}
	}
}

// warned counts the warnings about a field of policy tier; of any, where it is empty.
func warned(p *plan.Plan, field string) (n int) {
	for _, w := range p.Warnings {
		if w.Kind == store.KindPolicy && w.Name == "tier" && (field == "" || w.Field == field) {
			n++
		}
	}
	return n
}

func TestCompile_SharesGatesAmongKeysUnderTheSamePolicies(t *testing.T) {
	w := newWorld(t)
	put(w, "strict", store.PolicySpec{BlockedParams: []string{"max_tokens"}, Capabilities: store.Capabilities{"tools": false}})
	w.bind("strict", "team", "research")
	w.key("a", store.RelayKeySpec{})
	w.key("b", store.RelayKeySpec{})
	p := w.plan()
	var gates []*plan.Gates
	for key := range w.db.Catalog().RelayKeys.All() {
		var sum [32]byte
		if _, err := hex.Decode(sum[:], []byte(key.Spec.KeyHash)); err != nil {
			t.Fatal(err)
		}
		gates = append(gates, p.Caller(sum).Gates)
	}
	if len(gates) != 2 || gates[0] == nil || gates[0] != gates[1] {
		t.Fatalf("the gates are %v", gates)
	}
	for _, path := range []string{"maxtokens", "options.numpredict", "generationconfig.maxoutputtokens", "numpredict", "options.maxtokens"} {
		if i, known := gates[0].Blocked[path]; !known || i != 0 {
			t.Errorf("%s is at %d, %v", path, i, known)
		}
	}
	if i := gates[0].Blocked["generationconfig"]; i != -1 || !slices.Equal(gates[0].Params, []plan.Gate{{Name: "max_tokens", Policy: "strict"}}) {
		t.Errorf("generationconfig is at %d, %v", i, gates[0].Params)
	}
}
