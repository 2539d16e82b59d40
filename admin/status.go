package admin

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"relay/gateway/plan"
	"relay/store"
)

// Status is the state of the process and its database. Without a running
// server Live is false, and what only that knows is absent.
type Status struct {
	Version        string                    `json:"version"`
	InstallationID string                    `json:"installationId"`
	Generation     uint64                    `json:"generation" doc:"Of the catalog; every change adds one."`
	DataDir        string                    `json:"dataDir"`
	InferenceURL   string                    `json:"inferenceURL,omitempty" doc:"Where callers reach this Relay."`
	Live           bool                      `json:"live"`
	Ready          bool                      `json:"ready"`
	Reason         string                    `json:"reason,omitempty" doc:"Why the process takes no traffic."`
	Started        time.Time                 `json:"started"`
	UptimeSeconds  int64                     `json:"uptimeSeconds"`
	InFlight       int                       `json:"inFlight"`
	DurableThrough time.Time                 `json:"durableThrough,omitzero" doc:"Usage up to here is on disk."`
	Warnings       []store.Problem           `json:"warnings"`
	Counts         map[string]int            `json:"counts" doc:"Records by plural kind, and counters."`
	Hosts          map[string]plan.HostState `json:"hosts,omitempty" doc:"By host id."`
	HostKeys       map[string]plan.KeyState  `json:"hostKeys,omitempty" doc:"By host-key id."`
}

// Version tells which program answers.
type Version struct {
	Version string `json:"version"`
	Go      string `json:"go"`
}

type statusOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       Status
}

type versionOutput struct {
	Body Version
}

func (s *server) statusRoutes(api huma.API) {
	status := operation(http.MethodGet, "/api/status", "status", "The state of the process")
	huma.Register(api, status, func(ctx context.Context, _ *struct{}) (*statusOutput, error) {
		c := s.DB.Catalog()
		state := s.status(c)
		if !errandOf(ctx).access(c).Allows(store.AreaStatus, store.VerbRead, store.System()) {
			state.keepToPublic()
		}
		return &statusOutput{Generation: c.Generation, Body: state}, nil
	})
	version := operation(http.MethodGet, "/api/version", "version", "The version of the program")
	huma.Register(api, version, func(context.Context, *struct{}) (*versionOutput, error) {
		return &versionOutput{Body: Version{Version: s.Version, Go: runtime.Version()}}, nil
	})
}

func (s *server) status(c *store.Catalog) Status {
	state := Status{
		Version:        s.Version,
		InstallationID: s.DB.InstallationID(),
		Generation:     c.Generation,
		DataDir:        s.DB.Dir(),
		InferenceURL:   s.InferenceURL,
		Ready:          true,
		Started:        s.started.UTC(),
		UptimeSeconds:  int64(s.Now().Sub(s.started) / time.Second),
		DurableThrough: s.DB.DurableThrough(),
		Warnings:       s.warnings(),
		Counts:         s.counts(c),
	}
	if err := s.unready(); err != nil {
		state.Ready, state.Reason = false, err.Error()
	}
	if s.Live != nil {
		state.Live, state.InFlight = true, s.Live.InFlight()
		state.Hosts, state.HostKeys = s.Live.HostStates(), s.Live.KeyStates()
	}
	return state
}

// keepToPublic leaves what everybody may know who has signed in.
func (state *Status) keepToPublic() {
	state.DataDir, state.InFlight, state.DurableThrough = "", 0, time.Time{}
	state.Warnings, state.Counts, state.Hosts, state.HostKeys = []store.Problem{}, map[string]int{}, nil, nil
}

func (s *server) counts(c *store.Catalog) map[string]int {
	counts := map[string]int{}
	for _, kind := range store.Kinds() {
		counts[kind.Plural()] = c.Of(kind).Len()
	}
	if s.Counters != nil {
		counts["counters"] = s.Counters.Len()
	}
	return counts
}
