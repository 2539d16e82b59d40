package admin

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// ConnectRequest connects a provider: a host that the catalog knows, or another
// with its base URL, and at most one of value, env and file for the key.
type ConnectRequest struct {
	Host    string        `json:"host" doc:"The name of the host."`
	BaseURL string        `json:"baseURL,omitempty" doc:"For a host that is not known yet, or whose shipped base URL has placeholders."`
	Shapes  []store.Shape `json:"shapes,omitempty" doc:"Wire shapes of a new host, best first."`
	Auth    string        `json:"auth,omitempty" doc:"How a new host takes its key: bearer, x-api-key, x-goog-api-key, header:NAME or none."`
	Account string        `json:"account,omitempty" doc:"The host account that the key belongs to; made when there is none of the name."`
	Value   store.Secret  `json:"value,omitzero" writeOnly:"true" doc:"The key itself, kept sealed."`
	Env     string        `json:"env,omitempty" doc:"The environment variable of the server that holds the key."`
	File    string        `json:"file,omitempty" doc:"The file on the server that holds the key."`
}

// Connected is what a connection has led to.
type Connected struct {
	Host    json.RawMessage `json:"host"`
	HostKey json.RawMessage `json:"hostKey,omitempty"`
	Models  []FoundModel    `json:"models"`
	Notes   []string        `json:"notes,omitempty"`
}

type connectInput struct {
	Body ConnectRequest
}

type connectOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       Connected
}

func (s *server) connectRoute(api huma.API) {
	op := operation(http.MethodPost, "/api/connect", "connect", "Connect a provider: test its key, keep it, bind its models")
	huma.Register(api, op, func(ctx context.Context, in *connectInput) (*connectOutput, error) {
		out, err := s.connect(ctx, &in.Body)
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
}

// connect tests the key before anything is stored, and then stores all in one
// write.
func (s *server) connect(ctx context.Context, in *ConnectRequest) (*connectOutput, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	draft, err := in.draft(s.DB.Catalog())
	if err != nil {
		return nil, err
	}
	models, err := s.test(ctx, draft)
	if err != nil {
		return nil, err
	}
	out := &connectOutput{}
	c, err := s.write(ctx, func(e *store.Edit) error {
		if draft, err = in.draft(e.Catalog()); err != nil {
			return err
		}
		found, notes, err := draft.put(e, models)
		out.Body.Models, out.Body.Notes = found, append(draft.notes, notes...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, s.describe(c, draft, out)
}

func (s *server) test(ctx context.Context, d *connection) ([]string, error) {
	if d.key == nil {
		return s.listed(ctx, d.host, store.Secret{})
	}
	value := d.key.Spec.Value
	if value.IsZero() {
		var err error
		if value, err = s.keyValue(d.key); err != nil {
			return nil, err
		}
	}
	return s.listed(ctx, d.host, value)
}

func (s *server) describe(c *store.Catalog, d *connection, out *connectOutput) (err error) {
	out.Generation = c.Generation
	shown := s.view(c)
	if out.Body.Host, err = shown.render(c.Hosts.Get(d.host.Metadata.ID)); err != nil || d.key == nil {
		return err
	}
	out.Body.HostKey, err = shown.render(c.HostKeys.Get(d.key.Metadata.ID))
	return err
}

// countTrue tells how many of several ways were given.
func countTrue(given ...bool) (n int) {
	for _, one := range given {
		if one {
			n++
		}
	}
	return n
}

func (in *ConnectRequest) check() error {
	switch {
	case in.Host == "":
		return invalid(store.Problem{Field: "host", Message: "must name a host"})
	case countTrue(!in.Value.IsZero(), in.Env != "", in.File != "") > 1:
		return invalid(store.Problem{Field: "value", Message: "goes with neither env nor file: give the key in one way"})
	}
	return nil
}
