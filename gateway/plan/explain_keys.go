package plan

import (
	"cmp"
	"slices"

	"relay/store"
)

// PassedKey is a host key that a route leaves out, and why. A host that has no
// key at all stands without one.
type PassedKey struct {
	HostID    string `json:"hostId"`
	Host      string `json:"host"`
	HostKeyID string `json:"hostKeyId,omitempty"`
	HostKey   string `json:"hostKey,omitempty"`
	Reason    string `json:"reason"`
}

// passedOver looks at every key of every host that is bound to the model.
func (e *explainer) passedOver() []PassedKey {
	out := []PassedKey{}
	for b := range e.catalog.HostBindings.All() {
		host := e.catalog.Hosts.Get(b.Spec.HostID)
		if b.Spec.ModelID != e.model.ID || host == nil {
			continue
		}
		out = append(out, e.passedAt(host, b)...)
	}
	return out
}

func (e *explainer) passedAt(host *store.Host, b *store.HostBinding) []PassedKey {
	var out []PassedKey
	pass := func(id, name, reason string) {
		if reason != "" {
			out = append(out, PassedKey{HostID: host.Metadata.ID, Host: host.Metadata.Name, HostKeyID: id, HostKey: name, Reason: reason})
		}
	}
	keys := e.keysAt(host)
	switch {
	case !store.Enabled(host.Spec.Enabled):
		pass("", "", "host "+host.Metadata.Name+" is switched off")
	case !store.Enabled(b.Spec.Enabled):
		pass("", "", "the binding of "+e.model.Name+" to host "+host.Metadata.Name+" is switched off")
	case host.Spec.Auth == "none":
		pass("", "", e.whyLeftOut(e.anonymous(host), host))
	case len(keys) == 0:
		pass("", "", "host "+host.Metadata.Name+" has no key: relay connect "+host.Metadata.Name)
	}
	if out != nil {
		return out
	}
	for _, rec := range keys {
		pass(rec.Metadata.ID, rec.Metadata.Name, cmp.Or(e.whyUnusable(rec), e.whyLeftOut(e.keys[rec.Metadata.ID], host)))
	}
	return out
}

// keysAt returns the host's keys in the order in which they were made.
func (e *explainer) keysAt(host *store.Host) []*store.HostKey {
	var keys []*store.HostKey
	for rec := range e.catalog.HostKeys.All() {
		if rec.Spec.HostID == host.Metadata.ID {
			keys = append(keys, rec)
		}
	}
	slices.SortFunc(keys, func(a, b *store.HostKey) int { return cmp.Compare(a.Metadata.ID, b.Metadata.ID) })
	return keys
}

func (e *explainer) anonymous(host *store.Host) *HostKey {
	for _, k := range e.hosts[host.Metadata.ID].Keys {
		if k.Anonymous {
			return k
		}
	}
	return nil
}

// whyUnusable says why no request at all can use the key, or "".
func (e *explainer) whyUnusable(rec *store.HostKey) string {
	switch {
	case !store.Enabled(rec.Spec.Enabled):
		return "it is switched off"
	case e.keys[rec.Metadata.ID] != nil:
		return ""
	}
	for _, w := range e.origin.Warnings {
		if w.Kind == store.KindHostKey && w.Name == rec.Metadata.Name {
			return w.Message
		}
	}
	return "it cannot be used"
}

// whyLeftOut says why this ladder does not lead to the key for the model; ""
// when it does.
func (e *explainer) whyLeftOut(k *HostKey, host *store.Host) string {
	at := e.model.Name + " at " + host.Metadata.Name
	switch {
	case k == nil || e.way.Has(func(c Candidate) bool { return c.Key == k }):
		return ""
	case e.way == nil || onHost(e.way.bindings, k.Host) == nil:
		return "the ladder does not allow " + at
	case !k.serves(e.model):
		return "a policy of its host, its host account or its tier does not grant " + at
	}
	if refused := k.refusedFor(e.model); refused != nil {
		return refused.Message
	}
	return e.whyInNoPool(k)
}

func (e *explainer) whyInNoPool(k *HostKey) string {
	for _, r := range slices.Backward(e.ladder.rungs) {
		if r.policy == nil || len(r.policy.Spec.Pools) == 0 {
			continue
		}
		if len(e.keep([]*HostKey{k}, r.policy)) == 0 {
			return "it is in no pool of policy " + r.policy.Metadata.Name + ", which is bound to " + words(r.kind) + " " + r.name
		}
	}
	return "it is left out"
}
