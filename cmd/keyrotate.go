package cmd

import (
	"context"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"relay/store"
)

func (a *app) keyRotateCommand() *cobra.Command {
	var grace string
	c := &cobra.Command{
		Use:   "rotate NAME",
		Short: "Replace a key by a new one, printed this once",
		Args:  exactly("NAME"),
	}
	c.Flags().StringVar(&grace, "grace", "0", "how `LONG` the former key works on, at most 24h")
	yes := addYes(c)
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		if err := a.canShowPlaintext(); err != nil {
			return err
		}
		d, err := store.ParseDuration(grace)
		if err != nil || d < 0 || d > 24*time.Hour {
			return usagef("--grace %s: write a duration of at most 24h, such as 1h", grace)
		}
		return a.rotateKey(ctx, s, args[0], d, *yes)
	})
	return c
}

func (a *app) rotateKey(ctx context.Context, s *session, name string, grace time.Duration, yes bool) error {
	key, err := find(ctx, s, keyNoun(), name)
	if err != nil {
		return err
	}
	if grace == 0 {
		if err := a.confirm(ctx, yes, "rotate key %s, and who uses the present one is refused at once (--grace 1h lets it work on)", key.Metadata.Name); err != nil {
			return err
		}
	}
	body := map[string]int64{"graceSeconds": int64(grace / time.Second)}
	answer, err := s.Do(ctx, http.MethodPost, "/api/relay-keys/by-id/"+key.Metadata.ID+"/rotate", nil, body)
	if err != nil {
		return err
	}
	shown, err := decodeRow[shownKey](answer.Body)
	if err != nil {
		return err
	}
	if grace > 0 {
		a.note("The former key works until %s.", localTime(time.Now().Add(grace)))
	}
	return a.showPlaintext(ctx, s, shown)
}

func (a *app) keyRevokeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "revoke NAME",
		Short: "Make a key invalid for good",
		Args:  exactly("NAME"),
	}
	yes := addYes(c)
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		key, err := find(ctx, s, keyNoun(), args[0])
		if err != nil {
			return err
		}
		if err := a.confirm(ctx, *yes, "revoke key %s for good", key.Metadata.Name); err != nil {
			return err
		}
		if _, err := s.RevokeKey(ctx, key.Metadata.ID); err != nil {
			return err
		}
		a.note("Key %s is revoked: requests with it are refused.", key.Metadata.Name)
		return nil
	})
	return c
}
