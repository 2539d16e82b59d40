package cmd

import (
	"context"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"

	"relay/store"
)

func (a *app) masterKeyCommand() *cobra.Command {
	return group("master-key", "Show or rotate the key that seals what is secret", a.masterKeyStatusCommand(), a.masterKeyRotateCommand())
}

func (a *app) masterKeyStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Aliases: []string{"show"}, Short: "Show which master key is in use, by its id", Args: noArgs,
		RunE: a.online(func(ctx context.Context, s *session, _ []string) error {
			return a.askMasterKey(ctx, s, http.MethodGet, "/api/master-key", nil)
		}),
	}
}

func (a *app) masterKeyRotateCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "rotate", Short: "Seal everything with a new master key", Args: noArgs,
		Long: "Makes a new master key, seals every secret with it and puts it into the file of the\n" +
			"former one, which stays beside it under its id: backups from before need it. Interrupted\n" +
			"anywhere it is wholly done or not at all. The server may run meanwhile.",
		Example: "  relay master-key rotate && relay backup after.db",
	}
	yes := addYes(c)
	c.RunE = a.online(func(ctx context.Context, s *session, _ []string) error {
		if err := a.confirm(ctx, *yes, "replace the master key"); err != nil {
			return err
		}
		return a.askMasterKey(ctx, s, http.MethodPost, "/api/master-key/rotate", struct{}{})
	})
	return c
}

func (a *app) askMasterKey(ctx context.Context, s *session, method, path string, body any) error {
	answer, err := s.Do(ctx, method, path, nil, body)
	if err != nil {
		return err
	}
	state, err := decodeRow[store.MasterKeyState](answer.Body)
	if err != nil {
		return err
	}
	file := state.File
	if file == "" {
		file = "none: RELAY_MASTER_KEY holds it"
	}
	rows := [][]string{{"id", state.ID}, {"file", file}, {"sealed values", strconv.Itoa(state.Sealed)}}
	if state.Former != "" {
		rows = append(rows, []string{"former key", state.Former})
	}
	if err := a.show(view{body: state, names: []string{state.ID}, table: details(rows...)}); err != nil {
		return err
	}
	if state.Former != "" {
		a.note("Keep a copy of %s apart from the database. Backups from before open with %s only: make a new one (relay backup FILE), keep that key as long as they, and then delete it. relay db compact, with Relay stopped, removes what the former key sealed from the file.", state.File, state.Former)
	}
	return nil
}
