package foreign

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"relay/store"
)

const mostRefs = 1000 // in one policy

// team is a team of the foreign gateway with one project of the same name.
type team struct {
	name     string
	org      string
	display  string
	limits   *store.Limits
	models   []store.ModelRef
	budget   *store.Budget
	closed   bool              // its keys are switched off
	accounts map[string]string // service accounts by what they act for
}

// caller is a key that was handed out.
type caller struct {
	subject  string
	name     string
	display  string
	user     string // whom it is of; empty: nobody in particular
	team     *team
	hash     string
	former   string // the hash of another text that means the same key
	off      bool
	expires  *time.Time
	limits   *store.Limits
	budget   *store.Budget
	models   []store.ModelRef
	networks []string
}

// everAfter is when a second text of a key ends, for a key that does not.
func everAfter() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }

// addOrganization makes an organization under the policy of what is imported.
func (b *builder) addOrganization(wish string) string {
	name := b.names.free(store.KindOrganization, wish)
	b.put(&store.Organization{Metadata: store.Metadata{Name: name}})
	b.bindPolicy(b.origin, "organization:"+name)
	return name
}

func (b *builder) bindPolicy(policy, account string) {
	parts, err := store.ParseAccountRef(store.AccountRef(account))
	if err != nil {
		return
	}
	b.put(&store.PolicyBinding{
		Metadata: store.Metadata{Name: parts.BindingName()},
		Spec:     store.PolicyBindingSpec{PolicyID: policy, Account: parts.Ref()},
	})
}

// putPolicy makes the policy of everything that is imported. Its pool holds the
// imported hosts, and picks by the weights of bindings.
func (b *builder) putPolicy(budget *store.Budget) {
	policy := &store.Policy{Metadata: store.Metadata{Name: b.origin, Description: "What was offered before the move to Relay."}}
	policy.Spec.Models = b.offered(nil)
	hosts := make([]string, len(b.hosts))
	for i, h := range b.hosts {
		hosts[i] = h.name
	}
	if len(hosts) > 0 && len(hosts) <= mostRefs {
		policy.Spec.Pools = []store.Pool{{Name: "imported", HostIDs: hosts, Selection: "weighted"}}
	} else {
		policy.Spec.Pools = []store.Pool{{Name: "all", Selection: "weighted"}}
	}
	if budget != nil {
		policy.Spec.Budgets = []store.Budget{*budget}
	}
	b.put(policy)
}

// offered lists what is offered to those in a group: models at hosts, hosts that
// forward, and alias models. nil stands for everybody together.
func (b *builder) offered(group []string) []store.ModelRef {
	var refs []string
	for _, h := range b.hosts {
		if len(group) > 0 && !slices.Contains(h.audience, group[0]) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(h.bindings)) {
			refs = append(refs, h.bindings[name].model+"@"+h.name)
		}
		if h.wild {
			refs = append(refs, "@"+h.name)
		}
	}
	for _, m := range b.models {
		if m.alias {
			refs = append(refs, m.name)
		}
	}
	if len(refs) > mostRefs {
		b.report.add(Approximated, "policy "+b.origin, "more than %d models at hosts: everything at the imported hosts is granted", mostRefs)
		refs = nil
		for _, h := range b.hosts[:min(len(b.hosts), mostRefs)] {
			refs = append(refs, "@"+h.name)
		}
	}
	return modelRefs(refs)
}

// addTeam makes a team and its project.
func (b *builder) addTeam(wish, org string) *team {
	t := &team{org: org, display: wish, accounts: map[string]string{}}
	t.name = b.names.free(store.KindTeam, wish)
	b.names.keep(store.KindProject, t.name)
	return t
}

func (b *builder) putTeam(t *team) {
	display := ""
	if t.display != t.name {
		display = oneLine(t.display)
	}
	b.put(&store.Team{Metadata: store.Metadata{Name: t.name, DisplayName: display}, Spec: store.TeamSpec{OrganizationID: t.org, Limits: t.limits}})
	b.put(&store.Project{Metadata: store.Metadata{Name: t.name}, Spec: store.ProjectSpec{TeamID: t.name}})
	if len(t.models) == 0 && t.budget == nil {
		return
	}
	policy := &store.Policy{Metadata: store.Metadata{Name: b.names.free(store.KindPolicy, b.origin+" "+t.name)}, Spec: store.PolicySpec{Models: t.models}}
	if t.budget != nil {
		policy.Spec.Budgets = []store.Budget{*t.budget}
	}
	b.put(policy)
	b.bindPolicy(policy.Metadata.Name, "team:"+t.name)
}

// putKey makes the relay key of a caller and, when there is none yet, the
// service account that it acts for.
func (b *builder) putKey(c caller) {
	rec := &store.RelayKey{Metadata: store.Metadata{Name: b.names.free(store.KindRelayKey, c.name)}}
	if c.display != rec.Metadata.Name {
		rec.Metadata.DisplayName = oneLine(c.display)
	}
	rec.Spec = store.RelayKeySpec{
		Principal: store.Ref{Kind: store.KindServiceAccount, ID: b.account(c, rec.Metadata.Name)},
		KeyHash:   c.hash, ExpiresAt: c.expires, Limits: c.limits, Models: c.models, AllowedCIDRs: c.networks,
	}
	if c.former != "" {
		until := everAfter()
		rec.Spec.PreviousHash, rec.Spec.PreviousUntil = c.former, &until
	}
	if c.budget != nil {
		rec.Spec.Budgets = []store.Budget{*c.budget}
	}
	if c.off {
		rec.Spec.Enabled = off()
	}
	b.put(rec)
}

func (b *builder) account(c caller, key string) string {
	actor := cmp.Or(c.user, "key "+key)
	if name := c.team.accounts[actor]; name != "" {
		return name
	}
	name := b.names.free(store.KindServiceAccount, cmp.Or(c.user, key))
	c.team.accounts[actor] = name
	b.put(&store.ServiceAccount{Metadata: store.Metadata{Name: name}, Spec: store.ServiceAccountSpec{ProjectID: c.team.name}})
	return name
}

const longestDisplayName = 200 // bytes

// oneLine makes a display name of any text.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }), " ")
	if len(text) > longestDisplayName {
		text = strings.ToValidUTF8(text[:longestDisplayName], "")
	}
	return text
}
