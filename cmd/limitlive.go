package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"relay/gateway/plan"
)

// liveInterval is how often counters that are watched are read.
const liveInterval = time.Second

// liveLimit is what a rate limit counts under one policy.
type liveLimit struct {
	Policy plan.RecordName   `json:"policy"`
	Rules  []plan.PolicyRule `json:"rules"`
	Live   bool              `json:"live"`
	AsOf   time.Time         `json:"asOf,omitzero"`
}

type liveLimits struct {
	Name  string      `json:"name"`
	Items []liveLimit `json:"items"`
}

func (a *app) limitShowCommand() *cobra.Command {
	var live bool
	c := a.showCommand(limitNoun())
	show := c.RunE
	c.Long = "Shows a rate limit, or with --live what its counters stand at, under each policy that uses\n" +
		"it: on a terminal anew every second, until interrupted."
	c.Flags().BoolVar(&live, "live", false, "what its counters stand at")
	watch := a.online(func(ctx context.Context, s *session, args []string) error { return a.watchLimit(ctx, s, args[0]) })
	c.RunE = func(c *cobra.Command, args []string) error {
		if live {
			return watch(c, args)
		}
		return show(c, args)
	}
	return c
}

// watchLimit shows the counters once, and for people at a terminal until they
// have seen enough. Without a server nothing moves.
func (a *app) watchLimit(ctx context.Context, s *session, ref string) error {
	limit, err := find(ctx, s, limitNoun(), ref)
	if err != nil {
		return err
	}
	again := a.human() && isTerminal(a.Stdout) && s.local == nil
	ticker := time.NewTicker(liveInterval)
	defer ticker.Stop()
	for {
		if err := a.showLive(ctx, s, limit, again); err != nil || !again {
			return unlessEnded(ctx, err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// unlessEnded leaves an error out that only says that a person has seen enough.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (a *app) showLive(ctx context.Context, s *session, limit found, again bool) error {
	counts, err := readLive(ctx, s, limit)
	if err != nil {
		return err
	}
	if again {
		const homeAndClear = "\x1b[H\x1b[2J"
		if _, err := fmt.Fprint(a.Stdout, homeAndClear); err != nil {
			return err
		}
	}
	if len(counts.Items) == 0 {
		a.note("No policy uses rate limit %s, so it counts nothing.", counts.Name)
	}
	if err := a.show(view{body: counts, names: []string{counts.Name}, table: liveTable(counts)}); err != nil {
		return err
	}
	for _, item := range counts.Items[:min(1, len(counts.Items))] {
		if !item.Live {
			a.note("Counters %s.", countersText(plan.Explanation{AsOf: item.AsOf}))
		}
	}
	return nil
}

func readLive(ctx context.Context, s *session, limit found) (liveLimits, error) {
	out := liveLimits{Name: limit.Metadata.Name, Items: []liveLimit{}}
	users, err := limitUsers(ctx, s)
	if err != nil {
		return out, err
	}
	for _, policy := range users[limit.Metadata.ID] {
		counts, err := s.PolicyLimits(ctx, policy)
		if err != nil {
			return out, err
		}
		for _, l := range counts.RateLimits {
			if l.ID == limit.Metadata.ID {
				out.Items = append(out.Items, liveLimit{counts.Policy, l.Rules, counts.Live, counts.AsOf})
			}
		}
	}
	return out, nil
}
