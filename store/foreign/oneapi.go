package foreign

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// oneAPI reads an export of one-api (https://github.com/songquanpeng/one-api) or
// of new-api (https://github.com/QuantumNous/new-api), which grew out of it.
type oneAPI struct {
	*builder
	newer    bool // new-api
	tables   map[string][]*object
	groups   []string // of channels, in their order
	teams    map[string]*team
	users    map[string]*object // by id
	perUnit  float64            // quota that stands for a dollar
	topOrder int64              // the highest priority of a channel
	hashes   map[string]bool
}

// OneAPI reads an export of one-api: the tables channels, tokens and, when they
// are there, users and options. See readTables for its forms.
func OneAPI(exports []io.Reader, o Options) (*Result, error) {
	return readOneAPI("one-api", exports, o)
}

// NewAPI reads an export of new-api, as OneAPI does.
func NewAPI(exports []io.Reader, o Options) (*Result, error) {
	return readOneAPI("new-api", exports, o)
}

func readOneAPI(origin string, exports []io.Reader, o Options) (*Result, error) {
	b, err := newBuilder(origin, o)
	if err != nil {
		return nil, err
	}
	a := &oneAPI{builder: b, newer: origin == "new-api", tables: map[string][]*object{}, teams: map[string]*team{}, users: map[string]*object{}, perUnit: 500_000, hashes: map[string]bool{}}
	for _, export := range exports {
		if err := a.readTables(export); err != nil {
			return nil, fmt.Errorf("read the export: %w", err)
		}
	}
	if len(a.tables["channels"]) == 0 {
		return nil, errors.New("the export has no channels: give the tables channels and tokens, as JSON or as an SQL dump")
	}
	if err := a.read(); err != nil {
		return nil, err
	}
	return a.result()
}

func (a *oneAPI) read() error {
	a.readOptions()
	for _, user := range a.tables["users"] {
		a.users[user.text("id")] = user
	}
	a.budgeted = slices.ContainsFunc(a.tables["tokens"], func(row *object) bool { return !row.boolean("unlimited_quota") })
	for _, channel := range a.tables["channels"] {
		if n, ok := channel.number("priority"); ok {
			a.topOrder = max(a.topOrder, int64(min(max(n, -1e5), 1e5)))
		}
	}
	for _, channel := range a.tables["channels"] {
		a.readChannel(channel)
	}
	if len(a.hosts) == 0 {
		return errors.New("no channel can be taken over:\n" + a.reasons())
	}
	a.finish()
	a.putPolicy(nil)
	org := a.addOrganization(a.origin)
	a.readGroups(org)
	for _, token := range a.tables["tokens"] {
		a.readToken(token)
	}
	a.tellTables()
	return nil
}

// readOptions finds out how much quota stands for a dollar.
func (a *oneAPI) readOptions() {
	for _, option := range a.tables["options"] {
		switch key := option.text("key"); key {
		case "QuotaPerUnit":
			if n, ok := option.number("value"); ok && n > 0 {
				a.perUnit = n
				a.report.add(Taken, "option QuotaPerUnit", "budgets are quota by it")
			}
		case "ModelRatio", "GroupRatio", "CompletionRatio", "ModelPrice", "CacheRatio":
			a.report.add(Unsupported, "option "+key, "Relay counts what providers charge, in dollars: set prices with relay pricing")
		default:
			a.report.add(Unsupported, "option "+key, "Relay has no such setting")
		}
	}
}

// readGroups makes a team of each group, which may use the channels of the group.
func (a *oneAPI) readGroups(org string) {
	names := slices.Clone(a.groups)
	for _, token := range a.tables["tokens"] {
		if group := a.groupOf(token); !slices.Contains(names, group) {
			names = append(names, group)
		}
	}
	for _, name := range names {
		wish := name
		if name == "default" {
			wish = a.origin // the team default is that of first boot
		}
		t := a.addTeam(wish, org)
		a.teams[name] = t
		if len(names) > 1 && name != "auto" {
			t.models = a.offered([]string{name})
			t.closed = !slices.Contains(a.groups, name)
		}
		if t.closed {
			t.models = nil
		}
		a.putTeam(t)
		switch {
		case t.closed:
			a.report.add(Unsupported, "group "+name, "no channel is for it: its tokens are switched off")
		case name == "auto":
			a.report.add(Approximated, "group auto", "team %s, which may use the channels of every group", t.name)
		default:
			a.report.add(Taken, "group "+name, "team and project %s", t.name)
		}
	}
}

// groupOf returns the group in which a token runs: its own, else its user's.
func (a *oneAPI) groupOf(token *object) string {
	if group := token.text("group"); group != "" {
		return group
	}
	if user := a.users[token.text("user_id")]; user != nil {
		if group := user.text("group"); group != "" {
			return group
		}
	}
	return "default"
}

// tellTables tells of tables that nothing was made of.
func (a *oneAPI) tellTables() {
	for _, name := range slices.Sorted(maps.Keys(a.tables)) {
		switch rows := a.tables[name]; name {
		case "channels", "tokens", "options":
		case "users":
			a.report.add(Approximated, "table users", "service accounts that their tokens act for; passwords and what is left of a user's own quota are not taken over")
		case "abilities":
			a.report.add(Taken, "table abilities", "it follows from channels")
		default:
			a.report.add(Unsupported, "table "+name, "%d rows: what has been stays with %s", len(rows), a.origin)
		}
	}
}
