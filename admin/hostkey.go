package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

func (s *server) hostKeyRoutes(api huma.API) {
	keys := hostKeys{newResource[store.HostKeySpec](s, api)}
	keys.rotateRoute()
	keys.testRoute()
	keys.resetRoute()
	keys.healthRoute()
}

type hostKeys struct {
	*resource[store.HostKeySpec]
}

// settleHostKey refuses a new value for a key that has one: rotation is its own
// call, and another right.
func settleHostKey(rec, former *store.HostKey) error {
	if rec.Spec.Value.IsZero() || former.Metadata.ID == "" || former.Spec.Source.Kind != "stored" {
		return nil
	}
	return invalid(store.Problem{Field: "spec.value", Message: "is replaced by POST /api/host-keys/by-id/{id}/rotate only"})
}

type rotateHostKeyInput struct {
	ID      string `path:"id"`
	IfMatch string `header:"If-Match"`
	Body    rotateHostKeyRequest
}

type rotateHostKeyRequest struct {
	Value store.Secret `json:"value" writeOnly:"true" doc:"The new key of the provider."`
}

func (k hostKeys) rotateRoute() {
	op := k.operation(http.MethodPost, "/by-id/{id}/rotate", "rotate", "Replace the stored value")
	huma.Register(k.api, answering(op, http.StatusOK, k.schema), func(ctx context.Context, in *rotateHostKeyInput) (*rowOutput, error) {
		c, err := k.alter(ctx, store.VerbRotate, in.ID, in.IfMatch, func(rec *store.HostKey) error {
			if rec.Spec.Source.Kind != "stored" {
				return &store.Error{Code: store.CodeConflict, Message: "the value of this key comes from " + origin(rec.Spec.Source) + ": change it there"}
			}
			if in.Body.Value.IsZero() {
				return invalid(store.Problem{Field: "value", Message: "must not be empty"})
			}
			rec.Spec.Value = in.Body.Value
			return nil
		})
		if err != nil {
			return nil, k.refusal(err)
		}
		return k.row(c, c.HostKeys.Get(in.ID))
	})
}

func origin(source store.KeySource) string {
	if source.Kind == "env" {
		return "environment variable " + source.Env
	}
	return "file " + source.Path
}
