package plan_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"relay/gateway/plan"
	"relay/store"
)

// alias makes a model that stands for others.
func (w *world) alias(name string, to ...string) {
	put(w, name, store.ModelSpec{Fallbacks: w.fallbacks(to...)})
}

func (w *world) fallbacks(to ...string) []store.Fallback {
	var all []store.Fallback
	for _, model := range to {
		all = append(all, store.Fallback{ModelID: w.id(store.KindModel, model)})
	}
	return all
}

// walk returns the models that a request for one comes to; pick says which of
// an alias's targets comes first.
func (w *world) walk(key, model string, pick func([]plan.Fallback) int) string {
	w.t.Helper()
	p := w.plan()
	m, _, ok := p.Find(model)
	if !ok {
		w.t.Fatalf("no model %s", model)
	}
	route := p.Caller(sha256.Sum256([]byte(key))).Access.Route(m)
	if route == nil {
		return "not allowed"
	}
	var walk plan.Walk
	walk.Start(route)
	var names []string
	for r := walk.Next(pick); r != nil; r = walk.Next(pick) {
		names = append(names, r.Model.Name)
	}
	return strings.Join(names, " ")
}

func inOrder([]plan.Fallback) int { return 0 }

func TestWalk_ComesToEachModelOnceInTheOrderOfItsFallbacks(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"one", "two", "three", "four"} {
		w.model(name, "up")
	}
	rpm := int64(5)
	w.key("k", store.RelayKeySpec{Limits: &store.Limits{RPM: &rpm}})
	put(w, "one", store.ModelSpec{Fallbacks: w.fallbacks("two", "four")})
	put(w, "two", store.ModelSpec{Fallbacks: w.fallbacks("three")})
	put(w, "three", store.ModelSpec{Fallbacks: w.fallbacks("four")})
	w.alias("fast", "three", "two")
	w.alias("any", "fast", "one")
	last := func(next []plan.Fallback) int { return len(next) - 1 }
	for _, c := range []struct {
		model string
		pick  func([]plan.Fallback) int
		want  string
	}{
		{"four", inOrder, "four"},
		{"one", inOrder, "one two three four"},
		{"two", inOrder, "two three four"},
		{"fast", inOrder, "three four two"},
		{"fast", last, "two three four"},
		{"any", inOrder, "three four two one"},
		{"any", last, "one two three four"},
	} {
		if got := w.walk("k", c.model, c.pick); got != c.want {
			t.Errorf("%s: walked %s, want %s", c.model, got, c.want)
		}
	}
}

func TestCompile_ALayeredCatalogOfAliasesStaysSmall(t *testing.T) {
	w := newWorld(t)
	rpm := int64(5)
	w.key("k", store.RelayKeySpec{Limits: &store.Limits{RPM: &rpm}})
	below := []string{"chat", "embed"}
	for layer := range 12 {
		var these []string
		for i := range 5 {
			name := fmt.Sprintf("layer-%d-%d", layer, i)
			w.alias(name, below...)
			these = append(these, name)
		}
		below = these
	}
	got := strings.Fields(w.walk("k", "layer-3-0", inOrder))
	if !slices.Equal(got, []string{"chat", "embed"}) {
		t.Errorf("walked %v", got)
	}
	if n := len(strings.Fields(w.walk("k", "layer-11-4", inOrder))); n > 32 {
		t.Errorf("walked over %d models", n)
	}
}

func TestCompile_WarnsOfFallbacksThatDoNothing(t *testing.T) {
	w := newWorld(t)
	weight := 3
	put(w, "lost", store.ModelSpec{})
	w.alias("fast", "lost")
	put(w, "embed", store.ModelSpec{Fallbacks: []store.Fallback{{ModelID: w.id(store.KindModel, "chat"), Weight: &weight}}})
	w.alias("good", "chat")
	var warned []string
	for _, p := range w.plan().Warnings {
		warned = append(warned, p.Name+": "+p.Message)
	}
	for _, want := range []string{"fast: lead to no enabled binding", "embed: have weights, which count only for a model that no host is bound to", "lost: has no enabled binding"} {
		if !slices.ContainsFunc(warned, func(got string) bool { return strings.HasPrefix(got, want) }) {
			t.Errorf("no warning %q in %q", want, warned)
		}
	}
	if slices.ContainsFunc(warned, func(got string) bool { return strings.HasPrefix(got, "good") }) {
		t.Errorf("warnings %q", warned)
	}
}

func TestLimitsOf_CountsAliasModels(t *testing.T) {
	w := newWorld(t)
	w.alias("fast", "chat")
	put(w, "p", store.PolicySpec{Models: []store.ModelRef{ref(w, store.KindModel, "fast")}})
	limits, err := plan.LimitsOf(w.plan(), w.id(store.KindPolicy, "p"), plan.Observed{})
	if err != nil {
		t.Fatal(err)
	}
	wantStrings(t, "unthrottled", limits.Unthrottled, "fast")
}

func TestCompile_TurnsAreNamedByPolicyPoolAndModel(t *testing.T) {
	w := newWorld(t)
	put(w, "p", store.PolicySpec{Pools: []store.Pool{{Name: "main", Selection: "weighted"}, {Name: "spare", Selection: "prioritized"}}})
	w.bind("p", "team", "research")
	w.key("k1", store.RelayKeySpec{})
	w.key("k2", store.RelayKeySpec{Deny: []store.ModelRef{ref(w, store.KindModel, "embed")}})
	first, second := w.plan(), w.plan()
	wantStrings(t, "turns", second.Turns, first.Turns...)
	policy := w.id(store.KindPolicy, "p")
	for _, model := range []string{"chat", "embed"} {
		if name := policy + "/main/" + w.id(store.KindModel, model); !slices.Contains(first.Turns, name) {
			t.Errorf("no turn %s in %v", name, first.Turns)
		}
	}
	if len(first.Turns) != 3 { // of both models, and of those that the catalog does not know
		t.Errorf("turns %v", first.Turns)
	}
}

func TestWalk_KeepsItsMemory(t *testing.T) {
	w := newWorld(t)
	put(w, "embed", store.ModelSpec{Fallbacks: w.fallbacks("chat")})
	w.alias("fast", "embed", "chat")
	rpm := int64(5)
	w.key("k", store.RelayKeySpec{Limits: &store.Limits{RPM: &rpm}})
	p := w.plan()
	m, _, _ := p.Find("fast")
	route := p.Caller(sha256.Sum256([]byte("k"))).Access.Route(m)
	var walk plan.Walk
	models := 0
	allocs := testing.AllocsPerRun(100, func() {
		walk.Start(route)
		for r := walk.Next(inOrder); r != nil; r = walk.Next(inOrder) {
			models++
		}
	})
	if allocs != 0 || models != 2*101 {
		t.Errorf("%v allocations a walk over %d models in all", allocs, models)
	}
}
