package admin

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"relay/gateway/plan"
	"relay/store"
)

type accountInput struct {
	Ref string `path:"ref" doc:"organization:NAME, team:NAME, project:NAME, service-account:NAME, member:USER@PROJECT, host:NAME or host-account:NAME, with a name or an id; or the id alone."`
}

type effectiveOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       plan.FoldedLadder
}

func (s *server) effectiveRoute(api huma.API) {
	op := operation(http.MethodGet, "/api/accounts/{ref}/effective", "get-effective", "Fold the ladder of an account: what it may do and what holds for it")
	huma.Register(api, op, func(ctx context.Context, in *accountInput) (*effectiveOutput, error) {
		if err := errandOf(ctx).mayFold(s.DB.Catalog(), unescaped(in.Ref)); err != nil {
			return nil, s.refusal(err)
		}
		out, err := s.effective(unescaped(in.Ref))
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
}

func (s *server) effective(ref string) (*effectiveOutput, error) {
	p, err := s.plan()
	if err != nil {
		return nil, err
	}
	account, err := findAccount(p.Catalog(), ref)
	if err != nil {
		return nil, err
	}
	out, err := plan.Effective(p, account, s.observed())
	if err != nil {
		return nil, err
	}
	return &effectiveOutput{Generation: p.Generation, Body: out}, nil
}

// accountKinds are the records that accounts belong to, widest first.
func accountKinds() []store.Kind {
	return []store.Kind{
		store.KindOrganization, store.KindTeam, store.KindProject, store.KindServiceAccount, store.KindHost, store.KindHostAccount,
	}
}

// findAccount returns the reference, with an id, of an account given by kind
// and name, by kind and id, or by id alone.
func findAccount(c *store.Catalog, ref string) (store.AccountRef, error) {
	if !strings.Contains(ref, ":") {
		return accountByID(c, ref)
	}
	parts, err := store.ParseAccountRef(store.AccountRef(ref))
	if err != nil {
		return "", invalid(store.Problem{Field: "account", Message: err.Error()})
	}
	if c.Of(parts.Kind) == nil {
		return "", missing(parts.Kind)
	}
	rec, err := find(c, parts.Kind, parts.Name)
	if err != nil {
		return "", err
	}
	if parts.Kind != store.KindUser {
		return accountOf(rec), nil
	}
	project, err := find(c, store.KindProject, parts.Project)
	if err != nil {
		return "", err
	}
	return store.AccountParts{Kind: store.KindUser, Name: rec.Meta().ID, Project: project.Meta().ID}.Ref(), nil
}

func accountByID(c *store.Catalog, id string) (store.AccountRef, error) {
	for _, kind := range accountKinds() {
		if rec := c.Of(kind).Find(id); rec != nil {
			return accountOf(rec), nil
		}
	}
	if store.IsID(id) {
		return "", &store.Error{Code: store.CodeNotFound, Message: "there is no such account"}
	}
	return "", invalid(store.Problem{Field: "account", Message: "must name its kind, as in team:NAME, or be an id"})
}

func accountOf(rec store.AnyRecord) store.AccountRef {
	return store.AccountRef(string(rec.Kind()) + ":" + rec.Meta().ID)
}
