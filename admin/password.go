package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// PasswordChange replaces the password of the user who is signed in.
type PasswordChange struct {
	Current store.Secret `json:"current" writeOnly:"true" minLength:"1" maxLength:"1024"`
	New     store.Secret `json:"new" writeOnly:"true" minLength:"1" maxLength:"1024" doc:"8 to 1024 bytes."`
}

type passwordInput struct {
	asked
	Body PasswordChange
}

func (s *server) passwordRoute(api huma.API) {
	op := operation(http.MethodPost, sessionPath+"/password", "change-password", "Change one's own password; it ends every other session of the user")
	huma.Register(api, op, func(ctx context.Context, in *passwordInput) (*sessionOutput, error) {
		out, err := s.changePassword(ctx, in)
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
}

func (s *server) changePassword(ctx context.Context, in *passwordInput) (*sessionOutput, error) {
	k := errandOf(ctx)
	user := s.DB.Catalog().Users.Get(k.user)
	if user == nil || !user.Spec.HasPassword {
		return nil, &store.Error{Code: store.CodeConflict, Message: "whoever calls has no password here"}
	}
	if err := s.checkCurrent(ctx, k, user, in.Body.Current); err != nil {
		return nil, err
	}
	if fault := store.CheckPassword(user.Metadata.Name, in.Body.New); fault != "" {
		return nil, invalid(store.Problem{Field: "new", Message: fault})
	}
	hash, err := s.Passwords.Hash(ctx, in.Body.New)
	if err != nil {
		return nil, err
	}
	c, err := s.DB.Write(func(e *store.Edit) error {
		e.Audit(k.actor, k.address, k.action)
		return e.SetPassword(user.Metadata.ID, hash)
	})
	if err != nil {
		return nil, err
	}
	k.written = true
	s.sessions.endOf(user.Metadata.ID)
	return s.admit(k, in.request, c.Users.Get(user.Metadata.ID)), nil
}

// checkCurrent asks for the present password, so that a browser left open does
// not give the account away.
func (s *server) checkCurrent(ctx context.Context, k *errand, user *store.User, current store.Secret) error {
	wait, undo := s.failures.hold(s.Now(), k.address)
	if wait > 0 {
		return tooMany(wait)
	}
	matches, err := s.passwordMatches(ctx, user, current)
	switch {
	case err != nil:
		return err
	case !matches:
		s.refused(k.actor, k.address, "a wrong password")
		return invalid(store.Problem{Field: "current", Message: "is not the present password"})
	}
	undo()
	return nil
}
