package foreign

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"relay/store"
)

const leastKey = 16 // characters, of the plaintext of a key

// bookkeeping are the columns of keys that only tell of the past.
func bookkeeping() []string {
	return []string{"created_at", "created_by", "updated_at", "updated_by", "last_active", "budget_reset_at", "model_spend", "team_spend", "key_name", "last_refreshed_at", "rotation_count", "last_rotation_at", "key_rotation_at"}
}

// readCallers takes the master key and the virtual keys over.
func (l *litellm) readCallers(general *object, rows []*object) {
	everybody := l.addTeam("litellm", l.org)
	l.teams[""] = everybody
	for _, row := range rows {
		l.readTeam(row)
	}
	for _, id := range l.teamOrder(rows) {
		l.putTeam(l.teams[id])
	}
	l.readMasterKey(everybody, general.text("master_key"))
	for _, row := range rows {
		l.readKey(row)
	}
	if len(rows) > 0 {
		l.report.add(Unsupported, "columns of keys", "%s: what has been stays with LiteLLM", strings.Join(bookkeeping(), ", "))
	}
}

func (l *litellm) teamOrder(rows []*object) []string {
	ids := []string{""}
	for _, row := range rows {
		if id := row.text("team_id"); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// readMasterKey keeps calls with the master key working.
func (l *litellm) readMasterKey(t *team, text string) {
	if text == "" {
		return
	}
	key, missing := l.plain(text)
	switch {
	case missing != "":
		l.report.add(Unsupported, "setting general_settings.master_key", "stands in %s: with the variable set, an import makes a relay key of it, for those who call with it", missing)
	case len(key) < leastKey:
		l.report.add(Unsupported, "setting general_settings.master_key", "is shorter than %d characters: give those who call with it a key of their own", leastKey)
	default:
		l.putKey(caller{name: "litellm-master-key", display: "litellm-master-key", team: t, hash: hashOf(key)})
		l.report.add(Approximated, "setting general_settings.master_key", "a relay key without caps, for those who call with it; Relay's own administrators sign in otherwise")
	}
}

// readTeam notes the team of a key, and its organization.
func (l *litellm) readTeam(row *object) {
	id := row.text("team_id")
	if id == "" || l.teams[id] != nil {
		return
	}
	org := l.org
	if name := cmp.Or(row.text("organization_id"), row.text("org_id")); name != "" {
		org = l.organization(name)
	}
	t := l.addTeam(cmp.Or(row.text("team_alias"), id), org)
	l.teams[id] = t
	subject := "team " + cmp.Or(row.text("team_alias"), id)
	rpm, _ := row.whole("team_rpm_limit")
	tpm, _ := row.whole("team_tpm_limit")
	t.limits = limitsOf(rpm, tpm, 0)
	if names := texts(row.take("team_models")); len(names) > 0 {
		refs, all := l.refs(subject, names)
		t.models, t.closed = refs, !all && len(refs) == 0
	}
	if n, ok := row.number("team_max_budget"); ok {
		t.budget = l.remaining(subject, n, row, "team_spend", row.text("team_budget_duration"))
		t.closed = t.closed || t.budget == nil
	}
	l.report.add(Taken, subject, "team and project, with limits of the team")
}

// organization makes the organization of the name once.
func (l *litellm) organization(name string) string {
	if l.orgs[name] == "" {
		l.orgs[name] = l.addOrganization(name)
		l.report.add(Approximated, "organization "+name, "models and budgets of an organization are not in the export: set them on a policy for it")
	}
	return l.orgs[name]
}

var hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// readKey takes one virtual key over. Its token is the SHA-256 of what callers
// send, or that text itself when an export of the table is older.
func (l *litellm) readKey(row *object) {
	token := row.text("token")
	name := cmp.Or(row.text("key_alias"), row.text("key_name"), "key "+token[:min(len(token), 8)])
	subject := "key " + name
	c := caller{name: name, display: name, user: row.text("user_id"), team: l.teams[row.text("team_id")], hash: strings.ToLower(token)}
	switch {
	case strings.HasPrefix(token, "sk-") && len(token) >= leastKey:
		c.hash = hashOf(token)
	case !hashPattern.MatchString(c.hash):
		l.report.add(Unsupported, subject, "has no token of 64 hex digits")
		return
	case l.hashes[c.hash]:
		l.report.add(Unsupported, subject, "is in the export twice")
		return
	}
	l.hashes[c.hash] = true
	blocked := row.boolean("blocked") || row.boolean("team_blocked")
	c.off = blocked || c.team.closed
	l.readKeyCaps(&c, subject, row)
	l.putKey(c)
	switch {
	case blocked:
		l.report.add(Taken, subject, "is switched off: it was blocked")
	case c.off:
		l.report.add(Taken, subject, "is switched off")
	default:
		l.report.add(Taken, subject, "works on, by its hash")
	}
	if c.user != "" {
		l.report.add(Approximated, "user "+c.user, "a service account: it has no password, and limits of users are not in the export")
	}
	l.tellKeyRest(subject, row)
}

func (l *litellm) readKeyCaps(c *caller, subject string, row *object) {
	rpm, _ := row.whole("rpm_limit")
	tpm, _ := row.whole("tpm_limit")
	parallel, _ := row.whole("max_parallel_requests")
	c.limits = limitsOf(rpm, tpm, parallel)
	if row.text("expires") != "" {
		if c.expires = row.instant("expires"); c.expires == nil {
			l.report.add(Unsupported, subject, "its expiry is no time: it is switched off")
			c.off = true
		}
	}
	if n, ok := row.number("max_budget"); ok {
		c.budget = l.remaining(subject, n, row, "spend", row.text("budget_duration"))
		c.off = c.off || c.budget == nil
	}
	names := texts(row.take("models"))
	if len(names) == 0 {
		return
	}
	refs, all := l.refs(subject, names)
	c.models = refs
	if len(refs) == 0 && !all {
		c.off = true
		l.report.add(Unsupported, subject, "may use no model that is offered: it is switched off")
	}
}

// remaining makes a budget. One that never starts anew has lost what is spent; nil
// says that nothing is left.
func (l *litellm) remaining(subject string, amount float64, row *object, spent, span string) *store.Budget {
	used, _ := row.number(spent)
	budget, note := budgetOf(amount, span)
	if budget != nil && budget.Period == "total" && used > 0 {
		budget, _ = budgetOf(amount-used, span)
		note = "what is spent is taken off its budget"
	}
	if budget == nil {
		l.report.add(Approximated, subject, "its budget is used up: it is switched off")
		return nil
	}
	if note != "" {
		l.report.add(Approximated, subject, "%s", note)
	}
	return budget
}

func (l *litellm) tellKeyRest(subject string, row *object) {
	for _, column := range append(bookkeeping(), "spend", "organization_id", "org_id", "team_alias", "team_rpm_limit", "team_tpm_limit", "team_models", "team_max_budget", "team_budget_duration", "team_blocked") {
		row.take(column)
	}
	for _, column := range row.rest() {
		l.report.add(Unsupported, subject, "%s: Relay has no such setting of a key", column)
	}
}
