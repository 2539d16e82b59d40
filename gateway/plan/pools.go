package plan

import (
	"fmt"
	"slices"

	"relay/store"
)

// The ways in which a pool chooses among its healthy keys.
const (
	Prioritized       = "prioritized"         // the first
	RoundRobin        = "round-robin"         // each in its turn
	LeastRecentlyUsed = "least-recently-used" // the longest unused, those never used before all
	Weighted          = "weighted"            // each in its turn, as often as its binding's weight says
	Affinity          = "affinity"            // the same for the same conversation
)

// selectionOf is the selection as it is written, else affinity where the keys
// are of more than one host account, which share no prompt cache.
func selectionOf(written string, keys []*HostKey) string {
	if written != "" {
		return written
	}
	account := ""
	for _, k := range keys {
		switch {
		case k.AccountID == "" || k.AccountID == account:
		case account == "":
			account = k.AccountID
		default:
			return Affinity
		}
	}
	return Prioritized
}

// turn returns the index of the turn that the pool takes for the model, if it
// takes any. Ladders with the same pool share it.
func (c *compiler) turn(pool *poolKeys, model string) int {
	if pool.selection != RoundRobin && pool.selection != Weighted {
		return 0
	}
	name := pool.policyID + "/" + pool.name + "/" + model
	i, known := c.turns[name]
	if !known {
		i = len(c.plan.Turns)
		c.turns[name] = i
		c.plan.Turns = append(c.plan.Turns, name)
	}
	return i
}

// poolKeys is a pool before models are looked at.
type poolKeys struct {
	name      string
	policyID  string // whose pool it is; empty: the one of every key
	selection string // one of the constants
	keys      []*HostKey

	unknownTurn int // that it takes for models the catalog does not know
}

// pools returns the pools of the lowest rung that defines any, each with only
// the keys that every higher rung that defines pools has too.
func (c *compiler) pools(l *ladder) []poolKeys {
	lowest := -1
	for i, r := range l.rungs {
		if r.policy != nil && len(r.policy.Spec.Pools) > 0 {
			lowest = i
		}
	}
	if lowest < 0 {
		return []poolKeys{{name: "all", selection: selectionOf("", c.plan.HostKeys), keys: c.plan.HostKeys}}
	}
	var out []poolKeys
	policy := l.rungs[lowest].policy
	for _, spec := range policy.Spec.Pools {
		pool := poolKeys{name: spec.Name, policyID: policy.Metadata.ID, keys: c.keysOf(spec)}
		for _, r := range l.rungs[:lowest] {
			pool.keys = c.keep(pool.keys, r.policy)
		}
		pool.selection = selectionOf(spec.Selection, pool.keys)
		pool.unknownTurn = c.turn(&pool, anyUnknown)
		out = append(out, pool)
	}
	c.warnOfPools(policy, out)
	return out
}

func (c *compiler) keysOf(spec store.Pool) []*HostKey {
	if len(spec.HostKeyIDs) == 0 && len(spec.HostIDs) == 0 {
		return c.plan.HostKeys
	}
	var keys []*HostKey
	for _, id := range spec.HostKeyIDs {
		if k := c.keys[id]; k != nil {
			keys = append(keys, k)
		}
	}
	for _, id := range spec.HostIDs {
		if h := c.hosts[id]; h != nil {
			keys = append(keys, h.Keys...)
		}
	}
	return keys
}

func (c *compiler) keep(keys []*HostKey, p *store.Policy) []*HostKey {
	if p == nil || len(p.Spec.Pools) == 0 {
		return keys
	}
	var above []*HostKey
	for _, spec := range p.Spec.Pools {
		above = append(above, c.keysOf(spec)...)
	}
	return slices.DeleteFunc(slices.Clone(keys), func(k *HostKey) bool { return !slices.Contains(above, k) })
}

func (c *compiler) warnOfPools(p *store.Policy, pools []poolKeys) {
	for i, pool := range pools {
		if len(pool.keys) == 0 {
			c.warn(p, fmt.Sprintf("spec.pools[%d]", i), "pool %s has no usable key: its keys are switched off, unreadable, or not in the pools of a higher rung", pool.name)
		}
	}
}
