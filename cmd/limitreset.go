package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) limitResetCommand() *cobra.Command {
	var subject string
	c := &cobra.Command{
		Use:   "reset NAME",
		Short: "Set what a rate limit has counted to zero",
		Long: "Sets what a rate limit has counted to zero: under every policy that uses it, or with\n" +
			"--subject only what one team, key or other subject counts. Requests in flight stay counted\n" +
			"as in flight. It holds across a crash.",
		Example: "  relay limit reset chat-rl\n  relay limit reset chat-rl --subject team:research",
		Args:    exactly("NAME"),
	}
	c.Flags().StringVar(&subject, "subject", "", "only what this `ACCOUNT` counts: team:NAME, key:NAME, host-key:NAME")
	yes := addYes(c)
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		return a.resetLimit(ctx, s, args[0], subject, *yes)
	})
	return c
}

func (a *app) resetLimit(ctx context.Context, s *session, name, subject string, yes bool) error {
	limit, err := find(ctx, s, limitNoun(), name)
	if err != nil {
		return err
	}
	name, whose := limit.Metadata.Name, "everybody"
	if subject != "" {
		whose = subject
	}
	if err := a.confirm(ctx, yes, "set what rate limit %s has counted for %s to zero", name, whose); err != nil {
		return err
	}
	done, err := s.ResetRateLimit(ctx, limit.Metadata.ID, subject)
	if err != nil {
		return err
	}
	s.reset = true
	sentence := fmt.Sprintf("Rate limit %s: nothing is counted for %s now; %s at zero.", name, whose, standing(done.Counters))
	if done.Counters == 0 {
		sentence = fmt.Sprintf("Rate limit %s: nothing was counted for %s.", name, whose)
	}
	return a.tellReset(name, done, sentence)
}

func standing(counters int) string {
	if counters == 1 {
		return "1 counter stands"
	}
	return counted(counters, "counter") + " stand"
}
