package plan

import (
	"relay/store"
)

// The ladder of the upstream side has two rungs that are accounts: the host,
// and the account at the host. The tier policies of keys stand below them.

func foldHost(p *Plan, host *store.Host, seen *Observed) FoldedLadder {
	u := &upstreamFold{compiler: p.aside(), seen: seen}
	u.climb(host)
	return u.folded(u.hosts[host.Metadata.ID], func(*HostKey) bool { return true })
}

func foldHostAccount(p *Plan, account *store.HostAccount, seen *Observed) FoldedLadder {
	u := &upstreamFold{compiler: p.aside(), seen: seen}
	if host := p.Catalog().Hosts.Get(account.Spec.HostID); host != nil {
		u.climb(host)
	}
	u.climb(account)
	return u.folded(u.hosts[account.Spec.HostID], func(k *HostKey) bool { return k.AccountID == account.Metadata.ID })
}

// upstreamFold folds what stands above the keys of a host.
type upstreamFold struct {
	*compiler
	seen  *Observed
	rungs []RungEffect
	above HostKey // a key under the rungs climbed so far
}

// climb adds the rung of a host or host account.
func (u *upstreamFold) climb(rec store.AnyRecord) {
	ref := string(rec.Kind()) + ":" + rec.Meta().ID
	owner := words(rec.Kind()) + " " + rec.Meta().Name
	policy := u.bound[store.AccountRef(ref)]
	var only HostKey
	u.underTier(&only, policy, ref, owner)
	u.underTier(&u.above, policy, ref, owner)
	out := RungEffect{Rung: string(rec.Kind()), Record: nameOf(rec), Limits: u.seen.describe(u.compiler, only.Held), Refusal: only.refused.told()}
	out.addPolicy(u.compiler, policy)
	u.rungs = append(u.rungs, out)
}

// folded tells what holds for the keys of the host that are picked; a host
// that is switched off is nil.
func (u *upstreamFold) folded(h *Host, pick func(*HostKey) bool) FoldedLadder {
	out := FoldedLadder{
		Rungs: u.rungs, Refusal: u.above.refused.told(), Models: []string{}, Endpoints: store.Endpoints(),
		Pools: []FoldedPool{}, Aliases: []AliasEffect{}, Forwards: []Forwarding{},
		Limits: u.seen.describe(u.compiler, u.above.Held), ModelLimits: []ModelEffect{},
	}
	if h == nil {
		return out
	}
	pool := FoldedPool{Name: h.Name(), Selection: Prioritized, Keys: []PoolKey{}}
	for _, k := range h.Keys {
		if pick(k) {
			pool.Keys = append(pool.Keys, poolKey(k))
		}
	}
	out.Pools = append(out.Pools, pool)
	u.addModels(&out, h)
	return out
}

// addModels tells which models of the host pass every rung.
func (u *upstreamFold) addModels(out *FoldedLadder, h *Host) {
	u.above.Host = h
	for rec := range u.catalog.Models.All() {
		m := u.models[rec.Metadata.ID]
		if onHost(m.Bindings, h) == nil || m.Disabled || !u.above.serves(m) {
			continue
		}
		out.Models = append(out.Models, m.Name)
		var held Held
		for _, perModel := range u.above.PerModel {
			held.add(perModel.Of(m).Held)
		}
		if !held.empty() {
			out.ModelLimits = append(out.ModelLimits, ModelEffect{nameOf(rec), u.seen.describe(u.compiler, held)})
		}
	}
}
