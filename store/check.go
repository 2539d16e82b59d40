package store

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Check returns every fault that only the catalog as a whole shows: references
// to records that do not exist, values that must be unique and are not, cycles,
// and records that do not fit together. The order is the same for the same
// records.
func (c *Catalog) Check() []Problem {
	k := &check{catalog: c}
	for _, kind := range Kinds() {
		k.kind(kind)
	}
	k.bindings()
	k.aliases()
	k.fallbackCycles()
	k.hostKeys()
	k.tierPolicies()
	k.standaloneLimits()
	k.policyBindings()
	k.relayKeys()
	k.access()
	return k.problems
}

type check struct {
	catalog  *Catalog
	problems []Problem
}

func (k *check) add(rec AnyRecord, field, format string, args ...any) {
	k.problems = append(k.problems, Problem{
		Kind: rec.Kind(), Name: rec.Meta().Name, Field: field, Message: fmt.Sprintf(format, args...),
	})
}

// kind checks what holds for records of every kind: a name of its own, and
// references that lead somewhere.
func (k *check) kind(kind Kind) {
	table := k.catalog.Of(kind)
	for rec := range byID(table) {
		if named := table.FindByName(rec.Meta().Name); named == nil || named.Meta().ID != rec.Meta().ID {
			k.add(rec, "metadata.name", "is the name of another %s: choose another", kind)
		}
		eachRef(rec, func(s refSite) {
			for _, t := range s.targets() {
				if !k.exists(t) {
					k.add(rec, s.path, "refers to a %s that does not exist: %s", t.kind, t.id)
				}
			}
		})
	}
}

func (k *check) exists(t target) bool {
	table := k.catalog.Of(t.kind)
	return table != nil && table.Find(t.id) != nil
}

// bindings checks that a model has one binding a host.
func (k *check) bindings() {
	first := map[[2]string]*HostBinding{}
	for b := range k.catalog.HostBindings.byAge() {
		pair := [2]string{b.Spec.ModelID, b.Spec.HostID}
		if earlier := first[pair]; earlier != nil {
			k.add(b, "spec", "binds %s to %s as %s does: a model has one binding a host",
				k.catalog.nameOf(KindModel, pair[0]), k.catalog.nameOf(KindHost, pair[1]), earlier.Metadata.Name)
			continue
		}
		first[pair] = b
	}
}

// aliases checks that an alias leads to one model. An alias that is also a
// model's name is never reached, and no error: real names win.
func (k *check) aliases() {
	first := map[string]*Model{}
	for m := range k.catalog.Models.byAge() {
		for i, alias := range m.Spec.Aliases {
			key := strings.ToLower(alias)
			switch earlier := first[key]; {
			case earlier == nil:
				first[key] = m
			case earlier != m:
				k.add(m, item("spec.aliases", i), "is an alias of %s already: an alias leads to one model", earlier.Metadata.Name)
			}
		}
	}
}

// hostKeys checks that a key and its account are at the same host.
func (k *check) hostKeys() {
	for key := range k.catalog.HostKeys.All() {
		account := k.catalog.HostAccounts.Get(key.Spec.AccountID)
		if account != nil && account.Spec.HostID != key.Spec.HostID {
			k.add(key, "spec.accountId", "is an account at host %s: the key is for %s",
				k.catalog.nameOf(KindHost, account.Spec.HostID), k.catalog.nameOf(KindHost, key.Spec.HostID))
		}
	}
}

// relayKeys checks that a secret belongs to one key.
func (k *check) relayKeys() {
	first := map[string]*RelayKey{}
	for key := range k.catalog.RelayKeys.byAge() {
		k.secret(first, key, "spec.keyHash", key.Spec.KeyHash)
		k.secret(first, key, "spec.previousHash", key.Spec.PreviousHash)
	}
}

func (k *check) secret(first map[string]*RelayKey, key *RelayKey, field, hash string) {
	switch earlier := first[hash]; {
	case hash == "":
	case earlier == nil:
		first[hash] = key
	case earlier != key:
		k.add(key, field, "is the secret of relay key %s already: every key needs its own", earlier.Metadata.Name)
	}
}

// byAge yields the records from the first made on, whose ids say when that was:
// of two that do not go together the later one is told of.
func (t *Table[S]) byAge() iter.Seq[*Record[S]] {
	return func(yield func(*Record[S]) bool) {
		for _, id := range slices.Sorted(maps.Keys(t.byID)) {
			if !yield(t.byID[id]) {
				return
			}
		}
	}
}

// byID yields the records of a table by name and id, those too whose name
// another record has taken.
func byID(table Records) iter.Seq[AnyRecord] {
	return slices.Values(slices.SortedFunc(table.(interface{ allByID() iter.Seq[AnyRecord] }).allByID(), func(a, b AnyRecord) int {
		return cmp.Or(cmp.Compare(a.Meta().Name, b.Meta().Name), cmp.Compare(a.Meta().ID, b.Meta().ID))
	}))
}

func (r records[S]) allByID() iter.Seq[AnyRecord] {
	return func(yield func(AnyRecord) bool) {
		for _, rec := range r.table.byID {
			if !yield(rec) {
				return
			}
		}
	}
}
