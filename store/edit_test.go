package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

func host(name string) *store.Host {
	return &store.Host{
		Metadata: store.Metadata{Name: name},
		Spec:     store.HostSpec{BaseURL: "https://" + name + ".example/v1", Auth: "bearer"},
	}
}

func storedKey(name, host, value string) *store.HostKey {
	return &store.HostKey{
		Metadata: store.Metadata{Name: name},
		Spec: store.HostKeySpec{
			HostID: host, Source: store.KeySource{Kind: "stored"}, Value: store.NewSecret(value),
		},
	}
}

func rateLimit(name string) *store.RateLimit {
	rule := limiter.Rule{Meter: limiter.MeterRequests, Amount: 60, Window: 60, Strategy: limiter.SlidingWindow}
	return &store.RateLimit{
		Metadata: store.Metadata{Name: name},
		Spec:     store.RateLimitSpec{Rules: []limiter.Rule{rule}},
	}
}

// write puts records in one write.
func write(t *testing.T, db *store.DB, records ...store.AnyRecord) *store.Catalog {
	t.Helper()
	c, err := db.Write(func(e *store.Edit) error { return putAll(e, records) })
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	return c
}

func putAll(e *store.Edit, records []store.AnyRecord) error {
	for _, rec := range records {
		if err := e.Put(rec); err != nil {
			return err
		}
	}
	return nil
}

// populate writes records of several kinds that refer to each other.
func populate(t *testing.T, db *store.DB) {
	t.Helper()
	for i := range 20 {
		name := fmt.Sprintf("up-%d", i)
		model := &store.Model{
			Metadata: store.Metadata{Name: "lab/m" + name, Labels: map[string]string{"a": "b"}},
			Spec:     store.ModelSpec{Aliases: []string{name + "-*"}, Capabilities: store.Capabilities{"chat": true}},
		}
		binding := &store.HostBinding{Spec: store.HostBindingSpec{ModelID: model.Metadata.Name, HostID: name}}
		policy := &store.Policy{
			Metadata: store.Metadata{DisplayName: "Policy " + name},
			Spec:     store.PolicySpec{RateLimitID: "rl-" + name, Models: []store.ModelRef{store.ModelRef(model.Metadata.Name)}},
		}
		write(t, db, host(name), model, binding, rateLimit("rl-"+name), policy, storedKey("key-"+name, name, "secret-of-"+name+"-1234567890"))
	}
}

func TestWrite_ServesWhatIsOnDisk(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	populate(t, db)
	key := db.Catalog().HostKeys.ByName("key-up-3")
	changes := []func(e *store.Edit) error{
		func(e *store.Edit) error { return e.Put(host("new")) },
		func(e *store.Edit) error {
			return e.Put(&store.HostKey{Metadata: key.Metadata, Spec: store.HostKeySpec{
				HostID: "up-4", Source: store.KeySource{Kind: "env", Env: "KEY"}}})
		},
		func(e *store.Edit) error { return e.Delete(store.KindHostKey, key.Metadata.ID) },
	}
	for i, change := range changes {
		written, err := db.Write(change)
		if err != nil {
			t.Fatalf("change %d: %v", i, err)
		}
		if written != db.Catalog() {
			t.Fatalf("change %d: another catalog is in use", i)
		}
		mustClose(t, db)
		db = mustOpen(t, o)
		sameCatalog(t, written, db.Catalog())
	}
	mustClose(t, db)
	storetest.Check(t, o.Dir)
}

func TestPut_FillsInTheEnvelope(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 890, time.FixedZone("", 3600))
	db := storetest.Open(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	rec := &store.Provider{Metadata: store.Metadata{DisplayName: " Acme & Sons, Ltd. "}}
	again := &store.Provider{Metadata: store.Metadata{DisplayName: "acme sons ltd"}}
	c := write(t, db, rec, again)

	m := rec.Metadata
	if id, err := uuid.Parse(m.ID); err != nil || id.Version() != 7 {
		t.Errorf("id %q", m.ID)
	}
	want := time.Date(2026, 3, 4, 4, 6, 7, 0, time.UTC)
	if m.Name != "acme-sons-ltd" || m.CreatedAt != want || m.UpdatedAt != want {
		t.Errorf("metadata %+v", m)
	}
	if again.Metadata.Name != "acme-sons-ltd-2" {
		t.Errorf("second name %q", again.Metadata.Name)
	}
	served := c.Providers.Get(m.ID)
	if served == rec || served.Metadata.Generation != 1 || c.Generation != 1 {
		t.Errorf("served %+v of generation %d", served.Metadata, c.Generation)
	}

	now = now.Add(time.Hour)
	rec.Metadata.Name, rec.Metadata.CreatedAt, rec.Spec.Icon = "", time.Time{}, "star"
	served = write(t, db, rec).Providers.Get(m.ID)
	if served.Metadata.Name != m.Name || served.Metadata.CreatedAt != want || served.Metadata.UpdatedAt != want.Add(time.Hour) {
		t.Errorf("after a change: %+v", served.Metadata)
	}
}

func TestPut_DerivesNamesOfBindings(t *testing.T) {
	db := storetest.Open(t)
	team := &store.Team{Metadata: store.Metadata{Name: "research"}, Spec: store.TeamSpec{OrganizationID: "acme"}}
	policy := &store.PolicyBinding{Spec: store.PolicyBindingSpec{PolicyID: "all", Account: "team:research"}}
	binding := &store.HostBinding{Spec: store.HostBindingSpec{ModelID: "lab/coder:7b", HostID: "up"}}
	write(t, db,
		host("up"), &store.Model{Metadata: store.Metadata{Name: "lab/coder:7b"}}, binding,
		&store.Policy{Metadata: store.Metadata{Name: "all"}},
		&store.Organization{Metadata: store.Metadata{Name: "acme"}}, team, policy)
	if binding.Metadata.Name != "lab-coder-7b-up" || policy.Metadata.Name != "team-research" {
		t.Errorf("names %q and %q", binding.Metadata.Name, policy.Metadata.Name)
	}
	if policy.Spec.Account != store.AccountRef("team:"+team.Metadata.ID) {
		t.Errorf("account %q", policy.Spec.Account)
	}
}

func TestWrite_ResolvesNamesOfRecordsThatComeLater(t *testing.T) {
	db := storetest.Open(t)
	up := host("up")
	up.Spec.DefaultTierPolicyID = "tier"
	tier := &store.Policy{Metadata: store.Metadata{Name: "tier", Owner: &store.Ref{Kind: store.KindHost, ID: "up"}}}
	c := write(t, db, up, tier)
	if got := c.Hosts.ByName("up").Spec.DefaultTierPolicyID; got != tier.Metadata.ID {
		t.Errorf("reference %q, want %q", got, tier.Metadata.ID)
	}
}

func TestWrite_ChangingNothingKeepsTheGeneration(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	db := storetest.Open(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	populate(t, db)
	before := db.Catalog()
	db.SetCompiler(func(*store.Catalog) (func(), []store.Problem) { return nil, nil })
	db.SetCompiler(func(c *store.Catalog) (func(), []store.Problem) {
		if c != before {
			t.Error("compiled")
		}
		return nil, nil
	})
	now = now.Add(time.Hour)
	key := *before.HostKeys.ByName("key-up-1")
	key.Spec.Value = store.NewSecret("secret-of-up-1-1234567890")
	after := write(t, db, clone(before.Hosts.ByName("up-1")), &key, clone(before.Policies.ByName("policy-up-2")))
	if after != before || db.Catalog() != before {
		t.Error("a write that changes nothing made another catalog")
	}
	made := host("made")
	after, err := db.Write(func(e *store.Edit) error {
		return errors.Join(e.Put(made), e.Delete(store.KindHost, made.Metadata.ID))
	})
	if err != nil || after != before {
		t.Errorf("made and deleted: %v", err)
	}
}

func clone[S any](rec *store.Record[S]) *store.Record[S] {
	copied := *rec
	return &copied
}

func TestWrite_IsAllOrNothing(t *testing.T) {
	db := storetest.Open(t)
	populate(t, db)
	before := db.Catalog()
	_, err := db.Write(func(e *store.Edit) error {
		if err := e.Put(host("new")); err != nil {
			return err
		}
		return errors.New("no more")
	})
	if err == nil || err.Error() != "no more" || db.Catalog() != before || before.Hosts.ByName("new") != nil {
		t.Errorf("error %v", err)
	}
	bad := host("bad")
	bad.Spec.BaseURL = "ftp://x"
	worse := rateLimit("worse")
	worse.Spec.Rules[0].Amount = 0
	_, err = db.Write(func(e *store.Edit) error { return putAll(e, []store.AnyRecord{host("new"), bad, worse}) })
	var refused *store.Error
	if !errors.As(err, &refused) || refused.Code != store.CodeInvalid || len(refused.Problems) != 2 || db.Catalog() != before {
		t.Errorf("error %v", err)
	}
}

func TestWrite_RefusesOnlyTheErrorsThatItAdds(t *testing.T) {
	db := storetest.Open(t)
	populate(t, db)
	before := db.Catalog()
	dangling := &store.HostBinding{
		Metadata: store.Metadata{Name: "dangling"},
		Spec:     store.HostBindingSpec{ModelID: "gone", HostID: uuid.NewString()},
	}
	_, err := db.Write(func(e *store.Edit) error { return e.Put(dangling) })
	var refused *store.Error
	if !errors.As(err, &refused) || refused.Code != store.CodeUnprocessable || len(refused.Problems) != 2 {
		t.Errorf("dangling references: %v", err)
	}

	known := store.Problem{Kind: store.KindHost, Name: "up-1", Message: "is odd"}
	db.SetCompiler(func(c *store.Catalog) (func(), []store.Problem) {
		problems := []store.Problem{known}
		if c.Hosts.ByName("worse") != nil {
			problems = append(problems, store.Problem{Kind: store.KindHost, Name: "worse", Message: "does not compile"})
		}
		return func() {}, problems
	})
	_, err = db.Write(func(e *store.Edit) error { return e.Put(host("worse")) })
	if !errors.As(err, &refused) || refused.Code != store.CodeUnprocessable || len(refused.Problems) != 1 || refused.Problems[0].Name != "worse" {
		t.Errorf("compile error: %v", err)
	}
	if db.Catalog() != before {
		t.Error("a refused write is in use")
	}
	write(t, db, host("fine"))
}

func TestWrite_SwapsOnceTheChangeIsOnDisk(t *testing.T) {
	db := storetest.Open(t)
	var compiled, swapped []uint64
	problems := db.SetCompiler(func(c *store.Catalog) (func(), []store.Problem) {
		compiled = append(compiled, c.Generation)
		return func() {
			if db.Catalog() != c {
				t.Error("swapped before the catalog is in use")
			}
			swapped = append(swapped, c.Generation)
		}, []store.Problem{{Message: "known"}}
	})
	if len(problems) != 1 {
		t.Errorf("problems %v", problems)
	}
	write(t, db, host("a"))
	store.HookWrites(db, func(bool, func() (int, error)) (int, error) { return 0, errors.New("disk on fire") })
	_, err := db.Write(func(e *store.Edit) error { return e.Put(host("b")) })
	if store.CodeOf(err) != store.CodeUnavailable || !strings.Contains(err.Error(), "disk on fire") || db.Failure() == nil {
		t.Errorf("error %v, failure %v", err, db.Failure())
	}
	store.HookWrites(db, nil)
	write(t, db, host("c"))
	if !slices.Equal(compiled, []uint64{0, 1, 2, 2}) || !slices.Equal(swapped, []uint64{0, 1, 2}) || db.Failure() != nil {
		t.Errorf("compiled %v, swapped %v, failure %v", compiled, swapped, db.Failure())
	}
}

func TestPut_RefusesTakenNamesAndUnknownIDs(t *testing.T) {
	db := storetest.Open(t)
	write(t, db, &store.Model{Metadata: store.Metadata{Name: "Llama3"}}, host("b"))
	for name, c := range map[string]struct {
		rec  store.AnyRecord
		code store.Code
	}{
		"a name in another case": {&store.Model{Metadata: store.Metadata{Name: "llama3"}}, store.CodeConflict},
		"an id of no record":     {&store.Model{Metadata: store.Metadata{ID: uuid.NewString(), Name: "x"}}, store.CodeNotFound},
		"no name":                {&store.Model{}, store.CodeInvalid},
	} {
		_, err := db.Write(func(e *store.Edit) error { return e.Put(c.rec) })
		if store.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

func TestPut_RenamesInCaseAndFreesTheFormerName(t *testing.T) {
	db := storetest.Open(t)
	model := &store.Model{Metadata: store.Metadata{Name: "Llama3"}}
	write(t, db, model)
	for _, name := range []string{"llama3", "other"} {
		model.Metadata.Name = name
		write(t, db, model)
	}
	c := write(t, db, &store.Model{Metadata: store.Metadata{Name: "LLAMA3"}})
	if c.Models.Len() != 2 || c.Models.ByName("OTHER").Metadata.ID != model.Metadata.ID {
		t.Errorf("models %v", recordsOf(c, store.KindModel))
	}
}

func TestDelete_RefusesWhileOthersRefer(t *testing.T) {
	db := storetest.Open(t)
	populate(t, db)
	id := db.Catalog().Hosts.ByName("up-7").Metadata.ID
	_, err := db.Write(func(e *store.Edit) error { return e.Delete(store.KindHost, id) })
	var refused *store.Error
	if !errors.As(err, &refused) || refused.Code != store.CodeConflict || len(refused.Problems) != 2 {
		t.Fatalf("error %v", err)
	}
	c, err := db.Write(func(e *store.Edit) error {
		for _, p := range refused.Problems {
			if err := e.Delete(p.Kind, e.Catalog().Of(p.Kind).FindByName(p.Name).Meta().ID); err != nil {
				return err
			}
		}
		return e.Delete(store.KindHost, id)
	})
	if err != nil || c.Hosts.Get(id) != nil {
		t.Errorf("with all that refer to it: %v", err)
	}
	if _, err := db.Write(func(e *store.Edit) error { return e.Delete(store.KindHost, id) }); store.CodeOf(err) != store.CodeNotFound {
		t.Errorf("again: %v", err)
	}
}

// Whichever write of the file fails, the catalog in use stays, the next write
// succeeds, and what is on disk is what is served.
func TestWrite_SurvivesAnyFailingDiskWrite(t *testing.T) {
	for _, c := range []failingWrite{{}, {done: true}, {again: true}, {done: true, again: true}} {
		for c.n = 1; c.run(t); c.n++ {
		}
	}
}

// failingWrite is a change whose n-th write to the file fails.
type failingWrite struct {
	n     int
	done  bool // it is done nevertheless, as when only the sync behind it fails
	again bool // then the same change is made again, else another
}

// run reports whether there was an n-th write to fail.
func (c failingWrite) run(t *testing.T) bool {
	const secret = "secret-of-a-1234567890"
	o := inDir(filepath.Join(t.TempDir(), "data"))
	db := mustOpen(t, o)
	write(t, db, host("a"), storedKey("k", "a", secret))
	before := db.Catalog()
	key := before.HostKeys.ByName("k")
	change := func(e *store.Edit) error {
		return errors.Join(e.Delete(store.KindHostKey, key.Metadata.ID), e.Put(host("b")))
	}
	count := 0
	store.HookWrites(db, func(_ bool, write func() (int, error)) (int, error) {
		if count++; count != c.n {
			return write()
		}
		if c.done {
			_, _ = write()
		}
		return 0, errors.New("broken")
	})
	_, err := db.Write(change)
	store.HookWrites(db, nil)
	if count < c.n {
		return false
	}
	if store.CodeOf(err) != store.CodeUnavailable || db.Catalog() != before {
		t.Fatalf("%+v: %v", c, err)
	}
	wantValue(t, db, key, secret)
	if !c.again {
		change = func(e *store.Edit) error { return e.Put(host("c")) }
	}
	served, err := db.Write(change)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	mustClose(t, db)
	db = mustOpen(t, o)
	sameCatalog(t, served, db.Catalog())
	if s, err := db.Unseal(store.KindHostKey, key.Metadata.ID, "value"); c.again == (err == nil) || !c.again && s.Reveal() != secret {
		t.Errorf("%+v: the sealed value: %v", c, err)
	}
	mustClose(t, db)
	storetest.Check(t, o.Dir)
	return true
}

func TestWrite_AfterCloseIsRefused(t *testing.T) {
	db := storetest.Open(t)
	mustClose(t, db)
	if _, err := db.Write(func(e *store.Edit) error { return e.Put(host("a")) }); store.CodeOf(err) != store.CodeUnavailable {
		t.Errorf("error %v", err)
	}
}
