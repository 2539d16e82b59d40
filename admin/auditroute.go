package admin

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// AuditQuery selects entries of the audit log. What is empty selects all.
type AuditQuery struct {
	Since   string `query:"since" doc:"A time (RFC 3339), or how long ago: 24h, 7d."`
	Until   string `query:"until" doc:"Likewise; entries before it."`
	Actor   string `query:"actor" doc:"A name, an id, or a kind such as user."`
	Action  string `query:"action" doc:"The operation, such as replace-host or sign-in."`
	Outcome string `query:"outcome" enum:"done,refused"`
	Kind    string `query:"kind" doc:"Of a record that was changed, such as host-key."`
	Record  string `query:"record" doc:"Its name or id."`
	Limit   int    `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Entries a page."`
	Cursor  string `query:"cursor" doc:"The next of the page before."`
}

// AuditPage is a page of the audit log, newest first.
type AuditPage struct {
	Items []store.AuditEntry `json:"items"`
	Next  string             `json:"next,omitempty" doc:"The cursor of the next page; absent on the last."`
}

type auditOutput struct{ Body AuditPage }

func (s *server) auditRoute(api huma.API) {
	op := operation(http.MethodGet, "/api/audit", "list-audit", "List who did what, newest first")
	huma.Register(api, op, func(_ context.Context, in *AuditQuery) (*auditOutput, error) {
		q, err := s.auditQuery(in)
		if err != nil {
			return nil, s.refusal(err)
		}
		entries, next, err := s.DB.Audit(q)
		if err != nil {
			return nil, s.refusal(err)
		}
		return &auditOutput{Body: AuditPage{Items: append([]store.AuditEntry{}, entries...), Next: next}}, nil
	})
}

func (s *server) auditQuery(in *AuditQuery) (q store.AuditQuery, err error) {
	q = store.AuditQuery{
		Actor: in.Actor, Action: in.Action, Outcome: in.Outcome, Kind: store.Kind(in.Kind), Record: in.Record,
		Limit: in.Limit, Cursor: in.Cursor,
	}
	if q.Since, err = s.moment("query.since", in.Since); err != nil {
		return q, err
	}
	q.Until, err = s.moment("query.until", in.Until)
	return q, err
}

// Audit returns a page of the audit log, newest first.
func (c *Client) Audit(ctx context.Context, q AuditQuery) (*AuditPage, error) {
	values := url.Values{}
	for name, value := range map[string]string{
		"since": q.Since, "until": q.Until, "actor": q.Actor, "action": q.Action, "outcome": q.Outcome, "kind": q.Kind, "record": q.Record, "cursor": q.Cursor,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.Limit > 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	return get[AuditPage](ctx, c, "/api/audit", values)
}
