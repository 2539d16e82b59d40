package plan

import (
	"strings"

	"relay/limiter"
	"relay/store"
)

// asked is the ladder of a question, folded as Compile folds those of relay
// keys.
type asked struct {
	*compiler
	origin  *Plan
	subject RecordName
	ladder  *ladder
	caller  *Caller
}

// ask folds the ladder of a relay key or, without one, of an account.
func (p *Plan) ask(keyID string, account store.AccountRef) (*asked, error) {
	if keyID == "" {
		return p.askAccount(account)
	}
	key := p.Catalog().RelayKeys.Get(keyID)
	if key == nil {
		return nil, &store.Error{Code: store.CodeNotFound, Message: "there is no such relay key; relay key ls lists them"}
	}
	c := p.aside()
	return p.answerer(c, nameOf(key), c.ladderOf(key)), nil
}

// anyKey stands for the id of a key that an account might have: what counts
// per key has counted nothing for it.
const anyKey = "*"

// askAccount climbs from the account as a key of it would.
func (p *Plan) askAccount(account store.AccountRef) (*asked, error) {
	rec, err := p.account(account)
	if err != nil {
		return nil, err
	}
	if rec.Kind() == store.KindHost || rec.Kind() == store.KindHostAccount {
		return nil, &store.Error{Code: store.CodeInvalid, Message: "a " + words(rec.Kind()) + " makes no requests; name an organization, team, project, service-account or member"}
	}
	c, subject := p.aside(), nameOf(rec)
	key := &store.RelayKey{Metadata: store.Metadata{ID: anyKey}, Spec: store.RelayKeySpec{Account: account}}
	switch rec := rec.(type) {
	case *store.ServiceAccount:
		key.Spec.Principal = store.Ref{Kind: rec.Kind(), ID: rec.Metadata.ID}
	case *store.User:
		key.Spec.Principal, key.Spec.ProjectID = store.Ref{Kind: rec.Kind(), ID: rec.Metadata.ID}, accountOf(key).Project
		subject.Name = c.memberName(rec, key.Spec.ProjectID)
	}
	return p.answerer(c, subject, c.climb(key, "a key of "+words(rec.Kind())+" "+subject.Name)), nil
}

// account finds the record of an account.
func (p *Plan) account(ref store.AccountRef) (store.AnyRecord, error) {
	parts, err := store.ParseAccountRef(ref)
	if err != nil {
		return nil, &store.Error{Code: store.CodeInvalid, Message: "the account " + err.Error()}
	}
	if parts.Kind == store.KindUser && p.Catalog().Projects.Get(parts.Project) == nil {
		return nil, &store.Error{Code: store.CodeNotFound, Message: "there is no such project"}
	}
	if table := p.Catalog().Of(parts.Kind); table != nil {
		if rec := table.Find(parts.Name); rec != nil {
			return rec, nil
		}
	}
	return nil, &store.Error{Code: store.CodeNotFound, Message: "there is no such " + words(parts.Kind)}
}

func (p *Plan) answerer(c *compiler, subject RecordName, l *ladder) *asked {
	return &asked{compiler: c, origin: p, subject: subject, ladder: l, caller: c.callerOn(l)}
}

// aside returns a compiler that folds further ladders onto the plan and leaves
// it as it is: limits that the plan has are the same ones, others count by the
// counters that there are, and what nothing has counted yet counts aside.
func (p *Plan) aside() *compiler {
	c := *p.compiled
	c.plan = &Plan{Generation: p.Generation, Hosts: p.Hosts, HostKeys: p.HostKeys, names: p.names}
	c.known, c.limits = p.compiled.limits, map[limiter.Name]*limiter.Limit{}
	c.sources, c.accesses, c.modelLimits = map[sourceKey]*limiter.Source{}, map[string]*Access{}, map[string]ModelLimits{}
	c.turns, c.rights = map[string]int{}, map[string]store.Access{}
	c.selectives = map[limiter.Name]*Selective{}
	c.splitter = func(limits []*limiter.Limit, _ []dimension) splitter { return looked{&c, limits} }
	scratch := limiter.NewRegistry()
	c.counter = func(name limiter.Name) *limiter.Counter {
		if counter := p.compiled.Registry.Find(name); counter != nil {
			return counter
		}
		return scratch.Use(p.Generation, name)
	}
	return &c
}

// alone folds one rung of the ladder by itself.
func (a *asked) alone(r rung) *Caller {
	only := &Caller{}
	a.foldRung(only, a.ladder, r, a.ladder.party())
	return only
}

// keyAlone folds the caps of the key by themselves.
func (a *asked) keyAlone() *Caller {
	only := &Caller{}
	a.foldKey(only, a.ladder, a.ladder.party())
	return only
}

// nameOf returns the name of a record, or its id when there is none.
func (c *compiler) nameOf(kind store.Kind, id string) string {
	if table := c.catalog.Of(kind); table != nil {
		if rec := table.Find(id); rec != nil {
			return rec.Meta().Name
		}
	}
	return id
}

func nameOf(rec store.AnyRecord) RecordName {
	return RecordName{Kind: rec.Kind(), ID: rec.Meta().ID, Name: rec.Meta().Name}
}

func words(kind store.Kind) string { return strings.ReplaceAll(string(kind), "-", " ") }
