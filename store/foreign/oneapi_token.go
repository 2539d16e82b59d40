package foreign

import (
	"slices"
	"strconv"
	"strings"

	"relay/store"
)

// readToken takes a token over. The database has it without the sk- that callers
// put before it, or leave out.
func (a *oneAPI) readToken(row *object) {
	name := row.text("name")
	if name == "" {
		name = "token " + row.text("id")
	}
	subject := "token " + name
	key := strings.TrimPrefix(row.text("key"), "sk-")
	if len(key) < leastKey || strings.Contains(key, "*") {
		a.report.add(Unsupported, subject, "the export does not have its key: lists of the API leave it out; take it from the database")
		return
	}
	if says(row.values["deleted_at"]) || a.hashes[key] {
		a.report.add(Unsupported, subject, "was deleted, or is in the export twice")
		return
	}
	a.hashes[key] = true
	c := caller{subject: subject, name: name, display: name, team: a.teams[a.groupOf(row)], hash: hashOf("sk-" + key), former: hashOf(key)}
	c.user = a.userOf(row)
	status := row.text("status")
	c.off = status != "" && status != "1" || c.team.closed
	a.readTokenCaps(&c, row)
	a.putKey(c)
	if c.off {
		a.report.add(Taken, subject, "is switched off, as its status or what is told of it here says")
	} else {
		a.report.add(Taken, subject, "works on, with sk- before it and without")
	}
	for _, column := range []string{"id", "created_time", "accessed_time", "used_quota", "group", "deleted_at"} {
		row.take(column)
	}
	for _, column := range row.rest() {
		a.report.add(Unsupported, subject, "%s: Relay has no such setting of a key", column)
	}
}

func (a *oneAPI) userOf(row *object) string {
	id := row.text("user_id")
	if user := a.users[id]; user != nil && user.text("username") != "" {
		return user.text("username")
	}
	if id == "" || id == "0" {
		return ""
	}
	return "user " + id
}

func (a *oneAPI) readTokenCaps(c *caller, row *object) {
	if at, ok := row.number("expired_time"); ok && at > 0 && at < 1e11 {
		when := unix(at)
		c.expires = &when
	}
	if !row.boolean("unlimited_quota") {
		left, _ := row.number("remain_quota")
		if text, ok := dollars(left / a.perUnit); ok {
			c.budget = &store.Budget{Amount: text, Period: "total"}
			a.report.add(Approximated, c.subject, "what is left of its quota is a budget in dollars (%s of quota is one), spent at Relay's prices", strconv.FormatFloat(a.perUnit, 'f', -1, 64))
		} else {
			c.off = true
			a.report.add(Approximated, c.subject, "its quota is used up: it is switched off")
		}
	}
	names := words(row.text("models"), ",")
	if limits := row.text("model_limits"); row.boolean("model_limits_enabled") {
		names = words(limits, ",")
	}
	for _, name := range names {
		if reached := a.reach(name); reached != "" && !slices.Contains(c.models, store.ModelRef(reached)) {
			c.models = append(c.models, store.ModelRef(reached))
		} else if reached == "" {
			a.report.add(Unsupported, c.subject, "may use %s, which no channel offers", name)
		}
	}
	if len(names) > 0 && len(c.models) == 0 {
		c.off = true
	}
	a.readNetworks(c, row)
}
