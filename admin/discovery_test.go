package admin_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"relay/admin"
	"relay/store"
	"relay/store/storetest"
)

// places answers for base URLs that a test has put servers at.
type places map[string][]string

func (p places) ListModels(_ context.Context, h *store.Host, _ store.Secret) ([]string, error) {
	if names, ok := p[h.Spec.BaseURL]; ok {
		return names, nil
	}
	return nil, errors.New("nobody is there")
}

func newDiscoverer(t *testing.T, at places, env map[string]string) *admin.Discoverer {
	db := storetest.Open(t)
	_, err := db.Write(func(e *store.Edit) error {
		return e.Put(&store.Host{
			Metadata: store.Metadata{Name: "openai"},
			Spec:     store.HostSpec{BaseURL: "https://api.openai.com/v1", Auth: "bearer", Shapes: []store.Shape{store.ShapeOpenAI}},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return &admin.Discoverer{
		DB: db, Upstream: at, EnvKeys: []admin.EnvKey{{Env: "OPENAI_API_KEY", Host: "openai"}, {Env: "OTHER_KEY", Host: "other"}},
		Getenv: func(name string) string { return env[name] }, Own: func(base string) bool { return base == "http://127.0.0.1:8080/v1" },
		Log: zerolog.Nop(),
	}
}

func TestTakeEnvKeys_MakesAKeyOnceAndNeverOfARelayKey(t *testing.T) {
	d := newDiscoverer(t, nil, map[string]string{"OPENAI_API_KEY": "sk-test", "OTHER_KEY": "x"})
	d.TakeEnvKeys()
	d.TakeEnvKeys()
	if n := d.DB.Catalog().HostKeys.Len(); n != 1 {
		t.Fatalf("%d host keys, want 1", n)
	}
	k := d.DB.Catalog().HostKeys.ByName("openai")
	if k == nil || k.Spec.Source != (store.KeySource{Kind: "env", Env: "OPENAI_API_KEY"}) || k.Metadata.Origin.Kind != "environment" {
		t.Errorf("host key %+v", k)
	}
	d = newDiscoverer(t, nil, map[string]string{"OPENAI_API_KEY": "sk-wr-own"})
	d.TakeEnvKeys()
	if n := d.DB.Catalog().HostKeys.Len(); n != 0 {
		t.Error("a relay key was taken for a provider key")
	}
}

func TestLookAround_BindsWhatIsThereAndSwitchesOffWhatIsGone(t *testing.T) {
	at := places{"http://127.0.0.1:11434": {"llama3.2:3b", "lab/coder:7b"}, "http://127.0.0.1:8080/v1": {"myself"}}
	d := newDiscoverer(t, at, nil)
	d.LookAround(t.Context())
	c := d.DB.Catalog()
	h := c.Hosts.ByName("ollama")
	if h == nil || h.Spec.Auth != "none" || !slices.Contains(h.Spec.Shapes, store.ShapeOpenAI) || c.Hosts.Len() != 2 {
		t.Fatalf("hosts: %d, ollama %+v", c.Hosts.Len(), h)
	}
	if c.Models.ByName("llama3.2:3b") == nil || c.HostBindings.Len() != 2 {
		t.Fatalf("models %d, bindings %d", c.Models.Len(), c.HostBindings.Len())
	}
	generation := c.Generation
	d.LookAround(t.Context())
	if d.DB.Catalog().Generation != generation {
		t.Error("looking again, with nothing new, has written")
	}
	at["http://127.0.0.1:11434"] = []string{"lab/coder:7b", "new"}
	d.LookAround(t.Context())
	c = d.DB.Catalog()
	on := map[string]bool{}
	for b := range c.HostBindings.All() {
		on[c.Models.Get(b.Spec.ModelID).Metadata.Name] = store.Enabled(b.Spec.Enabled)
	}
	if on["llama3.2:3b"] || !on["lab/coder:7b"] || !on["new"] {
		t.Errorf("bindings on: %v", on)
	}
	at["http://127.0.0.1:11434"] = []string{"llama3.2:3b"}
	d.LookAround(t.Context())
	for b := range d.DB.Catalog().HostBindings.All() {
		if name := d.DB.Catalog().Models.Get(b.Spec.ModelID).Metadata.Name; store.Enabled(b.Spec.Enabled) != (name == "llama3.2:3b") {
			t.Errorf("%s enabled %v", name, b.Spec.Enabled)
		}
	}
}

func TestLookAround_BindsAtAHostOfTheCatalogueAndNotAtAPersons(t *testing.T) {
	for origin, want := range map[string]int{"catalog": 1, "discovery": 1, "file": 0, "": 0} {
		d := newDiscoverer(t, places{"http://127.0.0.1:11434": {"tiny:latest"}}, nil)
		host := &store.Host{
			Metadata: store.Metadata{Name: "mine"},
			Spec:     store.HostSpec{BaseURL: "http://127.0.0.1:11434", Auth: "none", Shapes: []store.Shape{store.ShapeOllama}},
		}
		if origin != "" {
			host.Metadata.Origin = &store.Origin{Kind: origin, Source: "test"}
		}
		if _, err := d.DB.Write(func(e *store.Edit) error { return e.Put(host) }); err != nil {
			t.Fatal(err)
		}
		d.LookAround(t.Context())
		if c := d.DB.Catalog(); c.HostBindings.Len() != want || c.Hosts.Len() != 2 {
			t.Errorf("origin %q: %d bindings at %d hosts", origin, c.HostBindings.Len(), c.Hosts.Len())
		}
	}
}

func TestDiscovery_LeavesAwayWhatSomebodyHasDeleted(t *testing.T) {
	at := places{"http://127.0.0.1:11434": {"llama3.2:3b", "lab/coder:7b"}}
	d := newDiscoverer(t, at, map[string]string{"OPENAI_API_KEY": "sk-test"})
	again := func() *store.Catalog {
		t.Helper()
		d.TakeEnvKeys()
		d.LookAround(t.Context())
		return d.DB.Catalog()
	}
	c := again()
	storetest.Delete(t, d.DB, c.HostKeys.ByName("openai"), c.HostBindings.ByName("llama3-2-3b-ollama"), c.Models.ByName("llama3.2:3b"))
	c = again()
	if c.HostKeys.Len() != 0 || c.Models.Len() != 1 || c.HostBindings.Len() != 1 {
		t.Errorf("host keys %d, models %d, bindings %d", c.HostKeys.Len(), c.Models.Len(), c.HostBindings.Len())
	}
	storetest.Delete(t, d.DB, c.HostBindings.ByName("lab-coder-7b-ollama"))
	if c = again(); c.HostBindings.Len() != 0 || c.Models.Len() != 1 {
		t.Errorf("models %d, bindings %d", c.Models.Len(), c.HostBindings.Len())
	}
	storetest.Delete(t, d.DB, c.Hosts.ByName("ollama"))
	if c = again(); c.Hosts.ByName("ollama") != nil {
		t.Error("the host is back")
	}
}

func TestDiscovery_LeavesABindingAloneThatSomebodyHasSwitchedOff(t *testing.T) {
	at := places{"http://127.0.0.1:11434": {"llama3.2:3b"}}
	d := newDiscoverer(t, at, nil)
	d.LookAround(t.Context())
	off, binding := false, *d.DB.Catalog().HostBindings.ByName("llama3-2-3b-ollama")
	binding.Spec.Enabled = &off
	if _, err := d.DB.Write(func(e *store.Edit) error { return e.Put(&binding) }); err != nil {
		t.Fatal(err)
	}
	d.LookAround(t.Context())
	if store.Enabled(d.DB.Catalog().HostBindings.ByName("llama3-2-3b-ollama").Spec.Enabled) {
		t.Error("it is on again")
	}
}

func TestDiscover_BindsAgainWhatWasDeletedWhenAPersonAsks(t *testing.T) {
	f := startWith(t, &scripted{models: []string{"m1"}})
	id := f.create(store.KindHost, `{"metadata":{"name":"near"},"spec":{"baseURL":"http://127.0.0.1:9/v1","auth":"none","shapes":["openai"]}}`)
	bind := func() {
		t.Helper()
		f.send("POST", "/api/hosts/by-id/"+id+"/discover", `{"bind":true}`).want(200).holds(`"bound":true`)
	}
	bind()
	c := f.db.Catalog()
	storetest.Delete(t, f.db, c.HostBindings.ByName("m1-near"), c.Models.ByName("m1"))
	bind()
	if c = f.db.Catalog(); c.HostBindings.ByName("m1-near") == nil || c.Models.ByName("m1") == nil {
		t.Error("it is not bound again")
	}
	for grave := range c.Tombstones() {
		t.Errorf("tombstone %+v is left", grave)
	}
}
