package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

type discoverInput struct {
	ID   string `path:"id"`
	Body *discoverRequest
}

type discoverRequest struct {
	Bind bool `json:"bind,omitempty" doc:"Also make the models and bindings that are missing."`
}

// Discovery is what a host was found to offer.
type Discovery struct {
	Models []FoundModel `json:"models"`
	Notes  []string     `json:"notes,omitempty"`
}

type discoverOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       Discovery
}

func (s *server) discoverRoute(api huma.API) {
	op := operation(http.MethodPost, "/api/hosts/by-id/{id}/discover", "discover-host", "List the models that the host offers")
	huma.Register(api, op, func(ctx context.Context, in *discoverInput) (*discoverOutput, error) {
		c := s.DB.Catalog()
		host, err := current[store.HostSpec](c, store.KindHost, in.ID, "")
		if err != nil {
			return nil, s.refusal(err)
		}
		names, err := s.ask(ctx, c, host)
		if err != nil {
			return nil, s.refusal(err)
		}
		if in.Body == nil || !in.Body.Bind {
			out := &discoverOutput{Generation: c.Generation}
			out.Body.Models = survey(c, host, names)
			return out, nil
		}
		return s.bindListed(ctx, host, names)
	})
}

// ask lists a host's models with the first of its keys that can be read.
func (s *server) ask(ctx context.Context, c *store.Catalog, host *store.Host) ([]string, error) {
	if host.Spec.Auth == "none" {
		return s.listed(ctx, host, store.Secret{})
	}
	var unread error
	for key := range c.HostKeys.All() {
		if key.Spec.HostID != host.Metadata.ID || !store.Enabled(key.Spec.Enabled) {
			continue
		}
		value, err := s.keyValue(key)
		if err == nil {
			return s.listed(ctx, host, value)
		}
		unread = err
	}
	if unread != nil {
		return nil, unread
	}
	return nil, &store.Error{Code: store.CodeConflict, Message: "host " + host.Metadata.Name + " has no key that is switched on: connect it with one first"}
}

func (s *server) bindListed(ctx context.Context, host *store.Host, names []string) (*discoverOutput, error) {
	out := &discoverOutput{}
	c, err := s.write(ctx, func(e *store.Edit) error {
		if _, err := current[store.HostSpec](e.Catalog(), store.KindHost, host.Metadata.ID, ""); err != nil {
			return err
		}
		found, notes, err := binder{e, host}.bindAll(names)
		out.Body.Models, out.Body.Notes = found, notes
		return err
	})
	if err != nil {
		return nil, s.refusal(err)
	}
	out.Generation = c.Generation
	return out, nil
}
