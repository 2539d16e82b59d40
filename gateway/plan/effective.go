package plan

import (
	"maps"
	"slices"
	"time"

	"relay/store"
)

// FoldedLadder is what an account may do and is held to: each rung above it,
// and what comes of them together.
type FoldedLadder struct {
	Account     RecordName    `json:"account"`
	Rungs       []RungEffect  `json:"rungs" doc:"Widest first; the last is the account's own."`
	Refusal     *WouldRefuse  `json:"refusal,omitempty" doc:"What every request would get."`
	Models      []string      `json:"models" doc:"Names of the models that lists show."`
	Endpoints   []string      `json:"endpoints"`
	Pools       []FoldedPool  `json:"pools"`
	Aliases     []AliasEffect `json:"aliases" doc:"What the alias models among them lead to."`
	Forwards    []Forwarding  `json:"forwards" doc:"Hosts to which models that the catalogue does not know are sent."`
	Limits      []LimitState  `json:"limits" doc:"Of every request, in the order in which a refusal names them."`
	ModelLimits []ModelEffect `json:"modelLimits" doc:"Besides, of requests for these models."`
	Live        bool          `json:"live" doc:"A server runs: counters are as they stand."`
	AsOf        time.Time     `json:"asOf,omitzero" doc:"Without a server: when counters were last written; absent: never."`
}

// FoldedPool is a pool with only the keys that every rung leaves in it.
type FoldedPool struct {
	Name      string      `json:"name"`
	Selection string      `json:"selection"`
	Policy    *RecordName `json:"policy,omitempty" doc:"Whose pool it is; absent: every enabled host key."`
	Keys      []PoolKey   `json:"keys"`
}

// PoolKey is a host key of a pool.
type PoolKey struct {
	HostID    string `json:"hostId"`
	Host      string `json:"host"`
	HostKeyID string `json:"hostKeyId"`
	HostKey   string `json:"hostKey"`
}

// ModelEffect is what limits the requests for one model.
type ModelEffect struct {
	Model  RecordName   `json:"model"`
	Limits []LimitState `json:"limits"`
}

// Effective folds the ladder of an account, whose reference holds an id, as it
// holds for a key of the account without caps of its own. It fails with a
// *store.Error when there is no such account.
func Effective(p *Plan, account store.AccountRef, seen Observed) (FoldedLadder, error) {
	rec, err := p.account(account)
	if err != nil {
		return FoldedLadder{}, err
	}
	var out FoldedLadder
	name := nameOf(rec)
	switch rec := rec.(type) {
	case *store.Host:
		out = foldHost(p, rec, &seen)
	case *store.HostAccount:
		out = foldHostAccount(p, rec, &seen)
	default:
		asked, err := p.askAccount(account)
		if err != nil {
			return FoldedLadder{}, err
		}
		out, name = (&folding{asked, &seen}).ladder(), asked.subject
	}
	out.Account, out.Live = name, seen.Live != nil
	if !out.Live {
		out.AsOf = seen.AsOf
	}
	return out, nil
}

// folding is the making of one answer.
type folding struct {
	*asked
	seen *Observed
}

func (f *folding) ladder() FoldedLadder {
	out := FoldedLadder{
		Rungs: []RungEffect{}, Models: []string{}, Endpoints: f.endpoints(), Pools: f.foldedPools(), Aliases: []AliasEffect{}, Forwards: []Forwarding{},
		Limits: f.seen.describe(f.compiler, f.caller.Held), ModelLimits: f.modelLimits(f.caller.ModelLimits),
	}
	for _, r := range f.asked.ladder.rungs {
		out.Rungs = append(out.Rungs, f.rung(r))
	}
	if out.Refusal = f.caller.Refused.told(); out.Refusal != nil {
		return out
	}
	for _, m := range f.caller.Access.Models() {
		out.Models = append(out.Models, m.Name)
		if m.Alias {
			out.Aliases = append(out.Aliases, f.alias(m))
		}
	}
	out.Forwards = append(out.Forwards, f.forwards()...)
	return out
}

// endpoints returns those that every rung allows.
func (f *folding) endpoints() []string {
	return slices.DeleteFunc(store.Endpoints(), func(name string) bool { return f.caller.RefuseEndpoint(name, "") != nil })
}

func (f *folding) foldedPools() []FoldedPool {
	out := []FoldedPool{}
	for _, pool := range f.pools(f.asked.ladder) {
		shown := FoldedPool{Name: pool.name, Selection: pool.selection, Policy: f.poolOwner(), Keys: []PoolKey{}}
		for _, k := range pool.keys {
			shown.Keys = append(shown.Keys, poolKey(k))
		}
		out = append(out, shown)
	}
	return out
}

func poolKey(k *HostKey) PoolKey {
	return PoolKey{k.Host.Record.Metadata.ID, k.Host.Name(), k.ID, k.Name}
}

// modelLimits describes what counts per model, in the order of the models'
// names, and the limits that models have themselves.
func (f *folding) modelLimits(all []ModelLimits) []ModelEffect {
	models := map[string]*Model{}
	for _, perModel := range all {
		for m := range perModel {
			models[m.Name] = m
		}
	}
	for _, m := range f.models {
		if len(m.Limits) > 0 {
			models[m.Name] = m
		}
	}
	out := []ModelEffect{}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		if m := models[name]; f.caller.Access != nil && f.caller.Access.Route(m) != nil {
			out = append(out, ModelEffect{RecordName{store.KindModel, m.ID, m.Name}, f.seen.describe(f.compiler, heldFor(m, all))})
		}
	}
	return out
}
