package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

type masterKeyOutput struct {
	Generation uint64 `header:"X-Relay-Generation"`
	Body       store.MasterKeyState
}

func (s *server) masterKeyRoutes(api huma.API) {
	state := operation(http.MethodGet, "/api/master-key", "get-master-key", "Which master key seals what is secret")
	huma.Register(api, state, func(context.Context, *struct{}) (*masterKeyOutput, error) {
		return s.masterKey(s.DB.MasterKey())
	})
	rotate := operation(http.MethodPost, "/api/master-key/rotate", "rotate-master-key", "Seal everything with a new master key and put that into its file")
	huma.Register(api, rotate, func(ctx context.Context, _ *struct{ Body *noMembers }) (*masterKeyOutput, error) {
		k := errandOf(ctx)
		out, err := s.masterKey(s.DB.RotateMasterKey(k.actor, k.address, k.action))
		k.written = err == nil
		return out, err
	})
}

func (s *server) masterKey(state store.MasterKeyState, err error) (*masterKeyOutput, error) {
	if err != nil {
		return nil, s.refusal(err)
	}
	return &masterKeyOutput{Generation: s.DB.Catalog().Generation, Body: state}, nil
}
