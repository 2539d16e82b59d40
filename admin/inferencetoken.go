package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"relay/store"
	"relay/store/token"
)

// TokenRequest asks for an inference token of the user who is signed in.
type TokenRequest struct {
	Project string         `json:"project" minLength:"1" maxLength:"63" doc:"The project, by name or id, in which the token calls."`
	TTL     store.Duration `json:"ttl,omitzero" doc:"How long it lives; absent: what setting tokens says, which is 1h at first."`
}

// MintedToken is an inference token. It is in no other answer.
type MintedToken struct {
	Token     string    `json:"token" doc:"A JSON Web Token, to be sent as a relay key is."`
	ID        string    `json:"id" doc:"Revokes it."`
	Project   string    `json:"project"`
	ExpiresAt time.Time `json:"expiresAt"`
}

type mintInput struct{ Body TokenRequest }

type mintOutput struct{ Body MintedToken }

func (s *server) tokenRoutes(api huma.API) {
	mint := operation(http.MethodPost, "/api/auth/token", "mint-token", "Make an inference token for oneself")
	mint.DefaultStatus = http.StatusCreated
	huma.Register(api, mint, func(ctx context.Context, in *mintInput) (*mintOutput, error) {
		out, err := s.mint(ctx, &in.Body)
		if err != nil {
			return nil, s.refusal(err)
		}
		return &mintOutput{Body: *out}, nil
	})
	s.tokenRevokeRoute(api)
	rotate := operation(http.MethodPost, "/api/auth/token-key/rotate", "rotate-token-key", "Sign tokens with another key; tokens of the former one work until they expire")
	rotate.DefaultStatus = http.StatusNoContent
	huma.Register(api, rotate, func(ctx context.Context, _ *struct{ Body *noMembers }) (*noOutput, error) {
		c, err := s.write(ctx, s.rotateTokenKey)
		if err != nil {
			return nil, s.refusal(err)
		}
		return &noOutput{Generation: c.Generation}, nil
	})
}

func (s *server) rotateTokenKey(e *store.Edit) error {
	_, most := e.Catalog().TokenTTL()
	return e.RotateTokenKey(s.Now(), s.Now().Add(most))
}

func (s *server) mint(ctx context.Context, in *TokenRequest) (*MintedToken, error) {
	k, c := errandOf(ctx), s.DB.Catalog()
	user := c.Users.Get(k.user)
	if user == nil {
		return nil, &store.Error{Code: store.CodeConflict, Message: "only users have inference tokens: make a relay key for a service account"}
	}
	project, err := find(c, store.KindProject, in.Project)
	if err != nil || !k.mayMint(c, project.Meta().ID) {
		k.hidden = err == nil
		return nil, unprocessable(store.Problem{Field: "project", Message: "is no project in which you may have tokens"})
	}
	usual, most := c.TokenTTL()
	ttl := time.Duration(in.TTL)
	switch {
	case ttl == 0:
		ttl = usual
	case ttl < time.Second || ttl > most:
		return nil, invalid(store.Problem{Field: "ttl", Message: "must be between 1s and " + store.FormatDuration(most)})
	}
	key, err := s.signingKey()
	if err != nil {
		return nil, err
	}
	k.touches(project)
	return s.sign(key, user, project.Meta(), ttl), nil
}

func (s *server) sign(key store.TokenKey, user *store.User, project *store.Metadata, ttl time.Duration) *MintedToken {
	now := s.Now().UTC().Truncate(time.Second)
	claims := token.Claims{
		ID: uuid.NewString(), User: user.Metadata.ID, Project: project.ID, Version: user.Spec.TokenVersion,
		Issued: now, Expires: now.Add(ttl),
	}
	return &MintedToken{
		Token: token.Sign(s.DB.InstallationID(), key.ID, key.Private, claims),
		ID:    claims.ID, Project: project.Name, ExpiresAt: claims.Expires,
	}
}

// signingKey returns the key that signs, and makes the first.
func (s *server) signingKey() (store.TokenKey, error) {
	keys, err := s.DB.TokenKeys(s.Now())
	if err != nil || len(keys) > 0 && keys[0].Until.IsZero() {
		return first(keys), err
	}
	if _, err := s.DB.Write(s.rotateTokenKey); err != nil {
		return store.TokenKey{}, err
	}
	keys, err = s.DB.TokenKeys(s.Now())
	return first(keys), err
}

func first(keys []store.TokenKey) store.TokenKey {
	if len(keys) == 0 {
		return store.TokenKey{}
	}
	return keys[0]
}
