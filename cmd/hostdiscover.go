package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"relay/admin"
)

func (a *app) hostDiscoverCommand() *cobra.Command {
	var bind bool
	c := &cobra.Command{
		Use:     "discover NAME",
		Short:   "Ask a host which models it has",
		Example: "  relay host discover lab\n  relay host discover lab --bind",
		Args:    exactly("NAME"),
	}
	c.Flags().BoolVar(&bind, "bind", false, "take on those that do not run there yet")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		host, err := find(ctx, s, hostNoun(), args[0])
		if err != nil {
			return err
		}
		name := host.Metadata.Name
		stop := a.whenSlow("Asking %s for its models ...", name)
		found, err := s.Discover(ctx, host.Metadata.ID, bind)
		stop()
		if err != nil {
			return err
		}
		for _, note := range found.Notes {
			a.note("%s.", upperFirst(note))
		}
		return a.showFound(name, found)
	})
	return c
}

func (a *app) showFound(host string, found *admin.Discovery) error {
	t := table{columns: []column{left("model"), left("name at " + host), left("runs there")}}
	names, open := make([]string, len(found.Models)), 0
	for i, model := range found.Models {
		runs := "yes"
		switch {
		case !model.Bound:
			runs, open = "no", open+1
		case model.Created:
			runs = "yes, new"
		}
		names[i] = model.Name
		t.rows = append(t.rows, []string{model.Name, model.UpstreamName, runs})
	}
	if err := a.show(view{body: found, names: names, table: t}); err != nil {
		return err
	}
	a.note("%s", foundSentence(host, len(names), open))
	return nil
}

func foundSentence(host string, listed, open int) string {
	sentence := fmt.Sprintf("Host %s lists %s", host, counted(listed, "model"))
	if open > 0 {
		return fmt.Sprintf("%s, %d of them not taken on yet: relay host discover %s --bind.", sentence, open, host)
	}
	if listed == 0 {
		return sentence + "."
	}
	return sentence + "; all of them can be called."
}
