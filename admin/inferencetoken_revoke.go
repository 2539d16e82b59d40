package admin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"relay/store"
	"relay/store/token"
)

// TokenRevocation names what is revoked, in one of three ways.
type TokenRevocation struct {
	Token store.Secret `json:"token,omitzero" writeOnly:"true" maxLength:"4096" doc:"The token itself."`
	ID    string       `json:"id,omitempty" maxLength:"64" doc:"The id of a token."`
	User  string       `json:"user,omitempty" maxLength:"63" doc:"A user, by name or id: every token it has."`
}

type revokeTokenInput struct{ Body TokenRevocation }

func (s *server) tokenRevokeRoute(api huma.API) {
	op := operation(http.MethodPost, "/api/auth/token/revoke", "revoke-token", "Revoke an inference token, or all of a user")
	op.DefaultStatus = http.StatusNoContent
	huma.Register(api, op, func(ctx context.Context, in *revokeTokenInput) (*noOutput, error) {
		if err := s.revokeTokens(ctx, &in.Body); err != nil {
			return nil, s.refusal(err)
		}
		return &noOutput{Generation: s.DB.Catalog().Generation}, nil
	})
}

func (s *server) revokeTokens(ctx context.Context, in *TokenRevocation) error {
	k := errandOf(ctx)
	switch {
	case countTrue(!in.Token.IsZero(), in.ID != "", in.User != "") != 1:
		return invalid(store.Problem{Message: "give exactly one of token, id and user"})
	case in.User != "":
		return s.revokeAllOf(k, in.User)
	case in.ID != "":
		return s.revokeByID(k, in.ID)
	}
	return s.revokeShown(k, in.Token)
}

// mayRevoke reports whether the caller may revoke the tokens of a user.
func (k *errand) mayRevoke(c *store.Catalog, user string) bool {
	own := k.user != "" && k.user == user
	return own || k.access(c).Allows(store.KindUser.Plural(), store.VerbRevoke, store.System())
}

// revokeShown takes a token also from whoever has only found it: it is enough to
// be the user, or to keep users.
func (s *server) revokeShown(k *errand, shown store.Secret) error {
	keys, err := s.DB.TokenKeys(s.Now())
	if err != nil {
		return err
	}
	verifier := token.NewVerifier(s.DB.InstallationID(), token.Keys(keys))
	claims, err := verifier.Verify(shown.Reveal(), s.Now())
	switch {
	case errors.Is(err, token.ErrExpired):
		return nil
	case err != nil:
		return invalid(store.Problem{Field: "token", Message: "is not a token of this Relay"})
	case !k.mayRevoke(s.DB.Catalog(), claims.User):
		return forbidden(string(store.VerbRevoke), "the tokens of others")
	}
	return s.DB.RevokeToken(claims.ID, claims.Expires)
}

// revokeByID is for a token that nobody has at hand; it may live a day at most.
func (s *server) revokeByID(k *errand, id string) error {
	if uuid.Validate(id) != nil {
		return invalid(store.Problem{Field: "id", Message: "is not the id of a token"})
	}
	if !k.mayRevoke(s.DB.Catalog(), "") {
		return forbidden(string(store.VerbRevoke), "the tokens of others")
	}
	const longest = 24 * time.Hour
	return s.DB.RevokeToken(id, s.Now().Add(longest))
}

func (s *server) revokeAllOf(k *errand, ref string) error {
	rec, err := find(s.DB.Catalog(), store.KindUser, ref)
	if err != nil || !k.mayRevoke(s.DB.Catalog(), rec.Meta().ID) {
		k.hidden = err == nil
		return missing(store.KindUser)
	}
	_, err = s.DB.Write(func(e *store.Edit) error {
		e.Audit(k.actor, k.address, k.action)
		return alter(e, store.KindUser, rec.Meta().ID, "", func(user *store.User) error {
			user.Spec.TokenVersion++
			return nil
		})
	})
	k.written = err == nil
	return err
}
