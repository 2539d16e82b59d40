package plan

import (
	"encoding/hex"
	"net/netip"
	"net/textproto"
	"time"

	"relay/limiter"
	"relay/store"
)

// compileCallers makes a caller of each relay key, and a second one of a
// former plaintext that is still in its grace.
func (c *compiler) compileCallers() {
	for key := range c.catalog.RelayKeys.All() {
		caller := c.caller(key)
		c.admit(key.Spec.KeyHash, caller)
		if key.Spec.PreviousHash != "" && key.Spec.PreviousUntil != nil {
			former := *caller
			former.Until = *key.Spec.PreviousUntil
			c.admit(key.Spec.PreviousHash, &former)
		}
	}
	c.foldMembers()
	c.countSharers()
	if c.Open {
		c.plan.Local = c.localCaller()
	}
}

// localCaller makes the caller of requests without a credential: what a key of
// service account local without caps of its own would be, but for the key.
func (c *compiler) localCaller() *Caller {
	rec := c.catalog.ServiceAccounts.ByName(LocalAccount)
	if rec == nil {
		return nil
	}
	key := &store.RelayKey{Metadata: store.Metadata{ID: rec.Metadata.ID, Name: rec.Metadata.Name}}
	key.Spec.Principal = store.Ref{Kind: store.KindServiceAccount, ID: rec.Metadata.ID}
	caller := c.callerOn(c.climb(key, "service account "+rec.Metadata.Name))
	caller.Credential = store.KindServiceAccount
	return caller
}

func (c *compiler) admit(hash string, caller *Caller) {
	var sum [32]byte
	if n, err := hex.Decode(sum[:], []byte(hash)); err == nil && n == len(sum) {
		c.plan.callers[sum] = caller
	}
}

func (c *compiler) caller(key *store.RelayKey) *Caller {
	return c.callerOn(c.ladderOf(key))
}

// callerOn makes the caller whose requests climb the ladder.
func (c *compiler) callerOn(l *ladder) *Caller {
	key := l.key
	caller := &Caller{
		KeyID: key.Metadata.ID, KeyName: key.Metadata.Name, Prefix: key.Spec.Prefix, Credential: store.KindRelayKey,
		TrustUser: key.Spec.TrustUser, UserHeader: textproto.CanonicalMIMEHeaderKey(key.Spec.UserHeader),
		Disabled: !store.Enabled(key.Spec.Enabled), ExpiresAt: timeOf(key.Spec.ExpiresAt), RevokedAt: timeOf(key.Spec.RevokedAt),
	}
	for _, text := range key.Spec.AllowedCIDRs {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			caller.AllowedCIDRs = append(caller.AllowedCIDRs, prefix)
		}
	}
	caller.Tenancy, caller.Refused, caller.Ended = l.tenancy, l.broken, c.endedWith(key)
	if caller.Refused == nil {
		c.fold(caller, l)
	}
	return caller
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// fold puts the ladder's limits, endpoints and access into the caller.
func (c *compiler) fold(caller *Caller, l *ladder) {
	who := l.party()
	caller.party = who
	limits, refused := c.systemLimits(l.key.Metadata.ID, who)
	caller.add(limits)
	caller.refuse(refused)
	caller.ProxyLimits, caller.ProxyRefused = c.systemLimit(store.SystemProxy, "key="+l.key.Metadata.ID, who)
	for _, r := range l.rungs {
		c.foldRung(caller, l, r, who)
	}
	c.foldStandalone(caller, who)
	c.foldKey(caller, l, who)
	if caller.Refused == nil && len(caller.PolicyIDs) == 0 && !hasCaps(l.key) && !isTrue(c.catalog.Setting(store.SettingInference).AllowMissingPolicy) {
		caller.Refused = &Refused{
			Code:    "no_policy",
			Message: "No policy governs " + l.who + " and it has no caps of its own. An administrator binds one with: relay policy bind POLICY ACCOUNT.",
		}
	}
	caller.Access = c.access(l)
	caller.Gates = caller.Access.gates
}

func (c *compiler) foldRung(caller *Caller, l *ladder, r rung, who *party) {
	caller.add(Held{Limits: c.shorthand(r.id, r.limits, limiter.Source{Scope: r.scope, Rung: r.scope, Owner: string(r.kind) + " " + r.name})})
	if r.policy == nil {
		return
	}
	p := r.policy
	if !store.Enabled(p.Spec.Enabled) {
		caller.refuse(&Refused{
			Code:    "policy_disabled",
			Message: "Policy " + p.Metadata.Name + ", which governs this key, is switched off. Ask your gateway administrator.",
		})
		return
	}
	caller.PolicyIDs = append(caller.PolicyIDs, p.Metadata.ID)
	caller.narrowEndpoints(p.Spec.Endpoints)
	source := limiter.Source{Scope: limiter.ScopePolicy, Rung: r.scope, Order: 1, Owner: "policy " + p.Metadata.Name}
	limits, refused := c.policyLimits(p, l.subject(r), source, who)
	caller.add(limits)
	caller.refuse(refused)
	if perModel := c.policyModelLimits(p, l.subject(r), source, who); perModel != nil {
		caller.ModelLimits = append(caller.ModelLimits, perModel)
	}
	caller.noteUnpriced(p.Spec.Budgets, source)
}

// foldStandalone adds the limits that no policy binds, and that apply to whatever
// they match.
func (c *compiler) foldStandalone(caller *Caller, who *party) {
	for i, rl := range c.standalones {
		source := limiter.Source{Scope: limiter.ScopeStandalone, Rung: limiter.ScopeStandalone, Order: i}
		limits, refused := c.rules(rl, limiter.Name{Owner: rl.Metadata.ID}, source, who)
		caller.add(limits)
		caller.refuse(refused)
	}
}

func (c *compiler) foldKey(caller *Caller, l *ladder, who *party) {
	key := l.key
	source := limiter.Source{Scope: limiter.ScopeKey, Rung: limiter.ScopeKey, Owner: "key " + key.Metadata.Name}
	caller.add(Held{Limits: c.shorthand(key.Metadata.ID, key.Spec.Limits, source)})
	budgets, refused := c.budgets(key.Metadata.ID, "", key.Spec.Budgets, source, who)
	caller.add(budgets)
	caller.refuse(refused)
	caller.narrowEndpoints(key.Spec.Endpoints)
	caller.noteUnpriced(key.Spec.Budgets, source)
}

// refuse keeps the first refusal.
func (caller *Caller) refuse(r *Refused) {
	if caller.Refused == nil {
		caller.Refused = r
	}
}

func (caller *Caller) narrowEndpoints(endpoints []string) {
	if len(endpoints) == 0 {
		return
	}
	set := make(map[string]bool, len(endpoints))
	for _, e := range endpoints {
		set[e] = true
	}
	caller.Endpoints = append(caller.Endpoints, set)
}

func (caller *Caller) noteUnpriced(budgets []store.Budget, source limiter.Source) {
	for _, b := range budgets {
		if b.Unpriced == "refuse" && caller.Unpriced == nil {
			caller.Unpriced = &source
		}
	}
}

func hasCaps(k *store.RelayKey) bool {
	s := &k.Spec
	return s.Limits != nil || len(s.Budgets) > 0 || len(s.Models) > 0 || len(s.Deny) > 0 || len(s.Endpoints) > 0 || s.ExpiresAt != nil
}
