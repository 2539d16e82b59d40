package admin

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"relay/gateway/plan"
	"relay/store"
)

// The topics of a live stream.
const (
	topicUsage  = "usage"
	topicLimits = "limits"
	topicHosts  = "hosts"
)

const (
	liveInterval = time.Second
	maxLive      = 100 // streams at once
	maxStandings = 500 // counters of one event
)

// LiveQuery says what is to be followed. The filter is that of usage.
type LiveQuery struct {
	Topics []string `query:"topics" enum:"usage,limits,hosts" doc:"What to follow; absent: all three."`
	UsageFilter
}

// LiveUsage is the data of event usage.
type LiveUsage struct {
	Items  []UsageEvent `json:"items" doc:"In the order in which they were recorded."`
	Missed int          `json:"missed,omitempty" doc:"How many more there were than could wait."`
}

// LiveLimits is the data of event limits: the counters that have changed.
type LiveLimits struct {
	Items []plan.Standing `json:"items"`
}

// LiveHosts is the data of event hosts, which comes at first and after changes.
type LiveHosts struct {
	Hosts    map[string]plan.HostState `json:"hosts" doc:"By host id."`
	HostKeys map[string]plan.KeyState  `json:"hostKeys" doc:"By host-key id."`
}

func (s *server) liveRoute(api huma.API) {
	op := operation(http.MethodGet, "/api/live", "live", "Follow usage, limits and hosts, as server-sent events")
	op.Description = "Events are named by their topic. What has changed comes once a second. The stream ends when its caller may not follow it any more."
	op.Responses = map[string]*huma.Response{"200": {
		Description: "OK",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: liveSchema(api)}},
	}}
	huma.Register(api, op, func(ctx context.Context, in *LiveQuery) (*huma.StreamResponse, error) {
		if len(in.Topics) == 0 {
			in.Topics = []string{topicUsage, topicLimits, topicHosts}
		}
		if err := s.mayFollow(ctx, *in); err != nil {
			return nil, s.refusal(err)
		}
		if s.following.Add(1) > maxLive {
			s.following.Add(-1)
			return nil, problem(http.StatusServiceUnavailable, "there are %d live streams already: close one", maxLive)
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			defer s.following.Add(-1)
			r, w := humamux.Unwrap(ctx)
			newLiveStream(s, r, w, in).run()
		}}, nil
	})
}

// liveSchema describes the data of one event.
func liveSchema(api huma.API) *huma.Schema {
	registry, schema := api.OpenAPI().Components.Schemas, &huma.Schema{}
	for _, t := range []reflect.Type{reflect.TypeFor[LiveUsage](), reflect.TypeFor[LiveLimits](), reflect.TypeFor[LiveHosts]()} {
		schema.OneOf = append(schema.OneOf, registry.Schema(t, true, ""))
	}
	return schema
}

// mayFollow refuses what the caller may not read. The filter is a copy, which a
// caller with rights in one place is kept to.
func (s *server) mayFollow(ctx context.Context, in LiveQuery) error {
	_, err := s.followed(ctx, in)
	return err
}

// followed returns the filter that usage events have to match now.
func (s *server) followed(ctx context.Context, in LiveQuery) (store.EventQuery, error) {
	k, c := errandOf(ctx), s.DB.Catalog()
	if in.Since != "" || in.Until != "" {
		return store.EventQuery{}, invalid(store.Problem{Field: "query.since", Message: "has no place here: a live stream begins now"})
	}
	watches := k.access(c).Allows(store.AreaStatus, store.VerbRead, store.System())
	lists := k.access(c).Allows(store.KindRateLimit.Plural(), store.VerbList, store.System())
	switch {
	case slices.Contains(in.Topics, topicHosts) && !watches:
		return store.EventQuery{}, forbidden(string(store.VerbRead), "topic hosts")
	case slices.Contains(in.Topics, topicLimits) && (!watches || !lists):
		return store.EventQuery{}, forbidden(string(store.VerbRead), "topic limits")
	case !slices.Contains(in.Topics, topicUsage):
		return store.EventQuery{}, nil
	}
	if err := s.mayReadUsage(ctx, &in.UsageFilter); err != nil {
		return store.EventQuery{}, err
	}
	return s.usageQuery(c, &in.UsageFilter)
}
