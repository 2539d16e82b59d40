package cmd

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"relay/store"
)

func (a *app) keyTopUpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "topup NAME DOLLARS",
		Short: "Add to what a key may spend in all",
		Long: "Adds to the prepaid budget of a key, which no period renews; a key without one gets one.\n" +
			"What the key has spent stays.",
		Example: "  relay key topup alice 10",
		Args:    exactly("NAME", "DOLLARS"),
		RunE: a.online(func(ctx context.Context, s *session, args []string) error {
			amount := strings.TrimPrefix(args[1], "$")
			if nanos, err := store.ParseNanoDollars(amount); err != nil || nanos == 0 {
				return usagef("%s: write dollars above 0, such as 10 or 2.50", args[1])
			}
			return a.topUp(ctx, s, args[0], amount)
		}),
	}
}

func (a *app) topUp(ctx context.Context, s *session, name, amount string) error {
	key, err := find(ctx, s, keyNoun(), name)
	if err != nil {
		return err
	}
	path := "/api/relay-keys/by-id/" + key.Metadata.ID + "/topup"
	answer, err := s.Do(ctx, http.MethodPost, path, nil, map[string]string{"amount": amount})
	if err != nil {
		return err
	}
	return a.tell(ctx, s, keyNoun(), answer.Body, func() (string, error) { return toppedUp(answer.Body) })
}

func toppedUp(row json.RawMessage) (string, error) {
	k, err := decodeRow[keyRow](row)
	return keySentence(k), err
}
