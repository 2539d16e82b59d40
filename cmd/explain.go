package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/gateway/plan"
)

func (a *app) explainCommand() *cobra.Command {
	var in admin.ExplainRequest
	c := &cobra.Command{
		Use:   "explain",
		Short: "Say what would become of a request, and why",
		Long: "Says what would become of a request: the route it would take and the models it would go\n" +
			"on with, what each rung of the ladder says to it, the limits and what is left of them, and\n" +
			"the refusal, if there would be one. It calls nothing. It exits 0 when the request would\n" +
			"pass, 7 when a limit or budget would refuse it, 4 when anything else would.",
		Example: "  relay explain --key script --model gpt-4.1-mini\n" +
			"  relay explain --account team:research --model claude-sonnet-4-5 --endpoint messages",
		Args: noArgs,
	}
	c.Flags().StringVar(&in.Credential, "key", "", "a request of this relay key, by `NAME` or id")
	c.Flags().StringVar(&in.Account, "account", "", "a request of any key of this account, such as team:`NAME`, that has no caps of its own")
	c.Flags().StringVar(&in.Model, "model", "", "for this `MODEL`, as a request names it")
	c.Flags().StringVar(&in.Endpoint, "endpoint", "", "to this `ENDPOINT`, as policies name it (default chat)")
	c.Flags().StringVar(&in.User, "user", "", "by this end `USER`, where limits count them apart")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case (in.Credential == "") == (in.Account == ""):
			return usagef("give either --key NAME or --account REF, such as team:NAME")
		case in.Model == "":
			return usagef("--model is missing: name the model as a request would")
		}
		return a.online(func(ctx context.Context, s *session, _ []string) error {
			return a.explain(ctx, s, in)
		})(c, args)
	}
	return c
}

func (a *app) explain(ctx context.Context, s *session, in admin.ExplainRequest) error {
	answer, err := s.Do(ctx, http.MethodPost, "/api/explain", nil, in)
	if err != nil {
		if in.Credential != "" {
			return named(err, keyNoun(), in.Credential)
		}
		return err
	}
	e, err := decodeRow[plan.Explanation](answer.Body)
	if err != nil {
		return err
	}
	if err := a.showExplanation(answer.Body, e); err != nil {
		return err
	}
	return explainedOutcome(e)
}

// showExplanation writes all of it for people; for spreadsheets the limits, and
// as names the host keys in the order in which they are tried.
func (a *app) showExplanation(body json.RawMessage, e plan.Explanation) error {
	if !a.human() {
		return a.show(view{body: body, names: keyNames(e), table: limitTable(limitsOf(e))})
	}
	for i, t := range explanationTables(e) {
		if i > 0 {
			if _, err := fmt.Fprintln(a.Stdout); err != nil {
				return err
			}
		}
		if err := a.show(view{table: t}); err != nil {
			return err
		}
	}
	return nil
}

func explainedOutcome(e plan.Explanation) error {
	switch {
	case e.Allowed:
		return nil
	case e.Refusal.By == "limit" || e.Refusal.By == "budget":
		return outcome(exitLimited)
	}
	return outcome(exitRefused)
}

func keyNames(e plan.Explanation) []string {
	var names []string
	for _, pool := range poolsOf(e.Route) {
		for _, k := range pool.Keys {
			names = append(names, k.HostKey)
		}
	}
	return names
}
