package admin

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// setUpPath is open to whoever has a setup link, as long as there is no user.
const setUpPath = "/api/setup"

const setUpAction = "set-up"

// SetupLink lets one browser make the first user.
type SetupLink struct {
	Secret  string    `json:"secret" doc:"The page posts it to /api/setup. It is in no other answer."`
	URL     string    `json:"url,omitempty" doc:"The link; absent when the server has no listener for browsers."`
	Expires time.Time `json:"expires"`
}

// At returns the link at another address of the same server, which may end in
// a slash. The secret is in the fragment, which browsers send nowhere.
func (l SetupLink) At(address string) string {
	return strings.TrimRight(address, "/") + "/#setup=" + l.Secret
}

type setupLinkOutput struct{ Body SetupLink }

// SetUp makes the first user, who may do everything.
type SetUp struct {
	Setup    store.Secret `json:"setup" writeOnly:"true" minLength:"1" maxLength:"200" doc:"The secret of a setup link: what follows #setup= in it."`
	Username string       `json:"username" minLength:"1" maxLength:"63"`
	Password store.Secret `json:"password" writeOnly:"true" minLength:"1" maxLength:"1024" doc:"8 to 1024 bytes."`
	Email    string       `json:"email,omitempty" maxLength:"254"`
}

type setUpInput struct {
	asked
	Body SetUp
}

func (s *server) setupRoutes(api huma.API) {
	link := operation(http.MethodPost, "/api/setup-link", "create-setup-link",
		"Make the link that makes the first user, once and within 30 minutes; the one before stops working")
	link.DefaultStatus = http.StatusCreated
	huma.Register(api, link, func(context.Context, *struct{}) (*setupLinkOutput, error) {
		made, err := s.newSetupLink()
		if err != nil {
			return nil, s.refusal(err)
		}
		return &setupLinkOutput{Body: made}, nil
	})
	op := operation(http.MethodPost, setUpPath, setUpAction, "Make the first user with a setup link, and sign it in")
	op.DefaultStatus = http.StatusCreated
	huma.Register(api, op, func(ctx context.Context, in *setUpInput) (*sessionOutput, error) {
		out, err := s.setUp(ctx, in)
		if err != nil {
			return nil, s.refusal(err)
		}
		return out, nil
	})
}

func (s *server) newSetupLink() (SetupLink, error) {
	if s.DB.Catalog().Users.Len() > 0 {
		return SetupLink{}, alreadySetUp()
	}
	secret, expires, err := s.setup.renew(s.Now())
	if err != nil {
		return SetupLink{}, err
	}
	link := SetupLink{Secret: secret.Reveal(), Expires: expires}
	if s.ControlURL != "" {
		link.URL = link.At(s.ControlURL)
	}
	return link, nil
}

func alreadySetUp() error {
	return &store.Error{Code: store.CodeConflict, Message: "Relay is set up: sign in, or give a user another password with relay user password NAME"}
}

// setUp makes the first user. Afterwards the path is as if it were not there,
// and no link opens anything.
func (s *server) setUp(ctx context.Context, in *setUpInput) (*sessionOutput, error) {
	k := errandOf(ctx)
	if err := s.checkLink(k, in.Body.Setup); err != nil {
		return nil, err
	}
	user, err := in.Body.user()
	if err != nil {
		return nil, err
	}
	hash, err := s.Passwords.Hash(ctx, in.Body.Password)
	if err != nil {
		return nil, err
	}
	c, err := s.DB.Write(func(e *store.Edit) error {
		e.Audit(store.Actor{Kind: "local", Name: "setup link"}, k.address, k.action)
		return putFirstUser(e, user, hash)
	})
	if err != nil {
		return nil, err
	}
	k.written = true
	if err := s.setup.useUp(); err != nil {
		s.Log.Warn().Err(err).Msg("the setup link is still there; it opens nothing any more")
	}
	return s.admit(k, in.request, c.Users.Get(user.Metadata.ID)), nil
}

func (s *server) checkLink(k *errand, secret store.Secret) error {
	wait, undo := s.failures.hold(s.Now(), k.address)
	opens, err := s.setup.opens(secret, s.Now())
	switch {
	case err != nil:
		return err
	case opens: // nobody guesses 256 bits, so that others' guesses keep its holder from nothing
		undo()
		return nil
	case wait > 0:
		return tooMany(wait)
	}
	s.refused(anonymous(), k.address, "a setup link that opens nothing")
	return problem(http.StatusUnauthorized,
		"this setup link does not work any more: it opens once and within 30 minutes; relay setup --link makes another")
}

func (in *SetUp) user() (*store.User, error) {
	user := &store.User{
		Metadata: store.Metadata{Name: in.Username},
		Spec:     store.UserSpec{Email: in.Email, Password: in.Password},
	}
	problems := store.Validate(user)
	for i, p := range problems {
		problems[i] = store.Problem{Field: memberOfSetUp(p.Field), Message: p.Message}
	}
	user.Spec.Password = store.Secret{}
	return user, invalid(problems...)
}

func memberOfSetUp(field string) string {
	if field == "metadata.name" {
		return "username"
	}
	return strings.TrimPrefix(field, "spec.")
}

// putFirstUser makes a user who may do everything, unless another was faster.
func putFirstUser(e *store.Edit, user *store.User, hash store.PasswordHash) error {
	if e.Catalog().Users.Len() > 0 {
		return alreadySetUp()
	}
	if err := e.Put(user); err != nil {
		return err
	}
	if err := e.SetPassword(user.Metadata.ID, hash); err != nil {
		return err
	}
	return bindAdmin(e, user, nil)
}

// bindAdmin gives a user the built-in role admin in the whole system, and makes
// that role when it is not there.
func bindAdmin(e *store.Edit, user *store.User, labels map[string]string) error {
	role := e.Catalog().Roles.ByName(store.RoleAdmin)
	if role == nil {
		role = store.BuiltinRoles()[0]
		if err := e.Put(role); err != nil {
			return err
		}
	}
	return e.Put(&store.RoleBinding{
		Metadata: store.Metadata{DisplayName: user.Metadata.Name + " is administrator", Labels: labels},
		Spec: store.RoleBindingSpec{
			RoleID: role.Metadata.ID, Scope: store.System(),
			Subjects: []store.Ref{{Kind: store.KindUser, ID: user.Metadata.ID}},
		},
	})
}

// NewSetupLink makes the link that lets one browser make the first user.
func (c *Client) NewSetupLink(ctx context.Context) (*SetupLink, error) {
	return call[SetupLink](ctx, c, request{method: http.MethodPost, path: "/api/setup-link"})
}
