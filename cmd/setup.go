package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"relay/admin"
)

func (a *app) setupCommand() *cobra.Command {
	var link bool
	c := &cobra.Command{
		Use:   "setup --link",
		Short: "Make the link that makes the first user",
		Long: "Prints a link to the admin UI with which one browser makes the first user, who may do\n" +
			"everything. It opens once and within 30 minutes, and the link before it stops working.\n" +
			"Once there is a user nothing is left to set up: relay user password NAME gives another\n" +
			"password, relay user add makes further users.",
		Example: "  relay setup --link\n  docker exec relay /relay setup --link",
		Args:    noArgs,
	}
	c.Flags().BoolVar(&link, "link", false, "make a link")
	setup := a.online(a.setupLink)
	c.RunE = func(c *cobra.Command, args []string) error {
		if !link {
			return usagef("relay setup: --link is missing; relay setup --link prints a link with which a browser makes the first user")
		}
		return setup(c, args)
	}
	return c
}

// shownLink is what -o json shows of a link.
type shownLink struct {
	URL     string    `json:"url"`
	Expires time.Time `json:"expires"`
}

func (a *app) setupLink(ctx context.Context, s *session, _ []string) error {
	made, err := s.NewSetupLink(ctx)
	if err != nil {
		return err
	}
	url, err := s.setupURL(made)
	if err != nil {
		return err
	}
	if a.human() {
		fmt.Fprintln(a.Stdout, url)
	} else if err := a.show(view{
		body:  shownLink{url, made.Expires},
		names: []string{url},
		table: table{columns: []column{left("url"), left("expires")}, rows: [][]string{{url, localTime(made.Expires)}}},
	}); err != nil {
		return err
	}
	a.note("One browser makes the first user with it, until %s.", localTime(made.Expires))
	if s.local != nil {
		a.note("The page is there once relay serve runs.")
	}
	return nil
}

// setupURL is the link at the address that was asked, else at the server's own,
// else at the one that the configuration gives.
func (s *session) setupURL(link *admin.SetupLink) (string, error) {
	if s.server != "" {
		return link.At(s.server), nil
	}
	if link.URL != "" {
		return link.URL, nil
	}
	listen := s.cfg.Control.Listen
	_, port, err := net.SplitHostPort(listen)
	switch {
	case s.local == nil || listen == "off":
		return "", errors.New("the control listener is off, so browsers reach no page: set control.listen and start relay serve again")
	case err != nil || port == "0":
		return "", errors.New("the port of the page is chosen when relay serve starts: start it first")
	}
	if s.cfg.Control.TLS.given() {
		return link.At("https://" + listen), nil
	}
	return link.At("http://" + listen), nil
}
