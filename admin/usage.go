package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// UsageEvent is what is kept of one request, with the names that its ids stand
// for at present.
type UsageEvent struct {
	store.Event
	ModelName      string `json:"model_name,omitempty"`
	HostName       string `json:"host_name,omitempty"`
	HostKeyName    string `json:"host_key_name,omitempty"`
	ProjectName    string `json:"project_name,omitempty"`
	PrincipalName  string `json:"principal_name,omitempty"`
	CredentialName string `json:"credential_name,omitempty"`
}

// UsageSum sums up the events of one group.
type UsageSum struct {
	Name string `json:"name,omitempty" doc:"What the group, where it is an id, stands for."`
	store.SummaryRow
}

// UsageQuery asks for a page of usage events.
type UsageQuery struct {
	UsageFilter
	Limit  int    `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Events a page."`
	Cursor string `query:"cursor" doc:"The next of the page before."`
}

// UsageEvents is a page of events, newest first.
type UsageEvents struct {
	Items []UsageEvent `json:"items"`
	Next  string       `json:"next,omitempty" doc:"The cursor of the next page; absent on the last."`
}

type eventsOutput struct{ Body UsageEvents }

type summaryInput struct {
	UsageFilter
	GroupBy string `query:"group_by" enum:"model,key,user,principal,organization,team,project,host,host_key,day" doc:"Absent: all in one row."`
}

// UsageSummary holds a row for each group.
type UsageSummary struct {
	Items []UsageSum `json:"items"`
}

type summaryOutput struct{ Body UsageSummary }

func (s *server) usageRoutes(api huma.API) {
	events := operation(http.MethodGet, "/api/usage/events", "list-usage-events", "List usage events, newest first")
	huma.Register(api, events, func(ctx context.Context, in *UsageQuery) (*eventsOutput, error) {
		if err := s.mayReadUsage(ctx, &in.UsageFilter); err != nil {
			return nil, s.refusal(err)
		}
		out, err := s.usageEvents(ctx, in)
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
	summary := operation(http.MethodGet, "/api/usage/summary", "summarize-usage", "Sum up usage by group")
	huma.Register(api, summary, func(ctx context.Context, in *summaryInput) (*summaryOutput, error) {
		if err := s.mayReadUsage(ctx, &in.UsageFilter); err != nil {
			return nil, s.refusal(err)
		}
		out, err := s.usageSummary(ctx, in)
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
}

func (s *server) usageEvents(ctx context.Context, in *UsageQuery) (*eventsOutput, error) {
	c := s.DB.Catalog()
	q, err := s.usageQuery(c, &in.UsageFilter)
	if err != nil {
		return nil, err
	}
	q.Limit, q.Cursor = in.Limit, in.Cursor
	s.settleUsage(ctx)
	events, next, err := s.DB.Events(q)
	if err != nil {
		return nil, err
	}
	out := &eventsOutput{Body: UsageEvents{Items: make([]UsageEvent, 0, len(events)), Next: next}}
	for _, e := range events {
		out.Body.Items = append(out.Body.Items, namedEvent(c, e))
	}
	return out, nil
}

func (s *server) usageSummary(ctx context.Context, in *summaryInput) (*summaryOutput, error) {
	c := s.DB.Catalog()
	q, err := s.usageQuery(c, &in.UsageFilter)
	if err != nil {
		return nil, err
	}
	s.settleUsage(ctx)
	rows, err := s.DB.Summary(q, in.GroupBy)
	if err != nil {
		return nil, err
	}
	out := &summaryOutput{Body: UsageSummary{Items: make([]UsageSum, 0, len(rows))}}
	for _, row := range rows {
		out.Body.Items = append(out.Body.Items, UsageSum{Name: groupName(c, in.GroupBy, row.Group), SummaryRow: row})
	}
	return out, nil
}

// settleUsage waits a moment for events of requests that have just ended. With
// a disk that takes none, what is there is answered.
func (s *server) settleUsage(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = s.DB.FlushUsage(ctx)
}
