package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

func (a *app) catalogCommand() *cobra.Command {
	return group("catalog", "See and renew what Relay knows of hosts, models and prices",
		a.catalogListCommand(), a.catalogShowCommand(), a.catalogUpdateCommand(), a.catalogDiffCommand(), a.catalogRollbackCommand(), a.catalogImportCommand())
}

// shippedHost is a host of the catalogue with what belongs to it here.
type shippedHost struct {
	admin.CatalogueHost
	Title   string        `json:"title"`
	BaseURL string        `json:"baseURL"`
	Auth    string        `json:"auth"`
	Shapes  []store.Shape `json:"shapes"`
	Keys    int           `json:"keys"`
	Models  int           `json:"models"`
}

// shippedList is what relay catalog list shows.
type shippedList struct {
	admin.CatalogueText
	Warning string        `json:"warning,omitempty"`
	Hidden  int           `json:"hidden"` // hosts without a usable key
	Hosts   []shippedHost `json:"hosts"`
}

func (a *app) catalogListCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the hosts of the catalogue that have a usable key",
		Args:    noArgs,
	}
	c.Flags().BoolVar(&all, "all", false, "also hosts that wait for a key")
	c.RunE = a.online(func(ctx context.Context, s *session, _ []string) error {
		list, err := listShipped(ctx, s, all)
		if err != nil {
			return err
		}
		return a.showShipped(list)
	})
	return c
}

func listShipped(ctx context.Context, s *session, all bool) (*shippedList, error) {
	state, err := s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	hosts, err := admin.ListAll[store.HostSpec](ctx, s.Client, admin.ListQuery{Usable: !all})
	if err != nil {
		return nil, err
	}
	use, err := findHostUse(ctx, s)
	if err != nil {
		return nil, err
	}
	byName := map[string]*store.Host{}
	for _, h := range hosts {
		byName[h.Metadata.Name] = h
	}
	list := &shippedList{CatalogueText: state.CatalogueText, Warning: state.Warning, Hosts: []shippedHost{}}
	for _, known := range state.Hosts {
		h := byName[known.Name]
		if h == nil {
			list.Hidden++
			continue
		}
		list.Hosts = append(list.Hosts, shippedHost{
			CatalogueHost: known, Title: h.Metadata.DisplayName, BaseURL: h.Spec.BaseURL, Auth: h.Spec.Auth, Shapes: h.Spec.Shapes,
			Keys: len(use.keys[h.Metadata.ID]), Models: use.models[h.Metadata.ID],
		})
	}
	return list, nil
}

func (a *app) showShipped(list *shippedList) error {
	t := table{columns: []column{left("host"), left("title"), left("shapes"), right("keys"), right("models"), left("key is usually in")}}
	names := make([]string, len(list.Hosts))
	for i, h := range list.Hosts {
		names[i] = h.Name
		t.rows = append(t.rows, []string{
			h.Name, h.Title, strings.Join(texts(h.Shapes), ", "), grouped(int64(h.Keys)), grouped(int64(h.Models)), h.usual(),
		})
	}
	if err := a.show(view{body: list, names: names, table: t}); err != nil {
		return err
	}
	a.note("%s", list.sentence())
	if list.Warning != "" {
		a.note("Warning: %s.", list.Warning)
	}
	return nil
}

// usual names the variable in which a key of the host usually is.
func (h shippedHost) usual() string {
	switch {
	case len(h.Env) > 0:
		return h.Env[0]
	case h.Auth == "none":
		return "needs none"
	}
	return "-"
}

func (l *shippedList) sentence() string {
	text := fmt.Sprintf("Catalogue: release %d of %s, %s.", l.Release, l.Date, l.Source)
	if l.Hidden > 0 {
		text += fmt.Sprintf(" %s without a usable key: --all shows them, relay connect NAME takes a key.", counted(l.Hidden, "host"))
	}
	return text
}
