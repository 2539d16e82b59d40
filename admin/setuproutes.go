package admin

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// SetupLink signs one browser in, once.
type SetupLink struct {
	Secret  string    `json:"secret" doc:"The page posts it to /api/session. It is in no other answer."`
	URL     string    `json:"url,omitempty" doc:"The link; absent when the server has no listener for browsers."`
	Expires time.Time `json:"expires"`
}

// At returns the link at another address of the same server, which may end in
// a slash. The secret is in the fragment, which browsers send nowhere.
func (l SetupLink) At(address string) string {
	return strings.TrimRight(address, "/") + "/#setup=" + l.Secret
}

type setupLinkOutput struct{ Body SetupLink }

func (s *server) setupRoutes(api huma.API) {
	op := operation(http.MethodPost, "/api/setup-link", "create-setup-link",
		"Make the link that signs a browser in once, within 30 minutes; the one before stops working")
	op.DefaultStatus = http.StatusCreated
	huma.Register(api, op, func(context.Context, *struct{}) (*setupLinkOutput, error) {
		secret, expires, err := s.setup.renew(s.Now())
		if err != nil {
			return nil, s.refusal(err)
		}
		link := SetupLink{Secret: secret.Reveal(), Expires: expires}
		if s.ControlURL != "" {
			link.URL = link.At(s.ControlURL)
		}
		return &setupLinkOutput{Body: link}, nil
	})
}

// NewSetupLink makes the link that signs a browser in.
func (c *Client) NewSetupLink(ctx context.Context) (*SetupLink, error) {
	return call[SetupLink](ctx, c, request{method: http.MethodPost, path: "/api/setup-link"})
}
