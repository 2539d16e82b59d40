package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what runs, what to mind, and how far usage is on disk",
		Long: "Shows the state of Relay. It exits 0 when Relay runs and takes requests, 1 when it\n" +
			"runs and does not, 6 when it does not run; with -q it only exits.",
		Args: noArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkRunning(); err != nil {
				return err
			}
			err := a.online(a.status)(c, args)
			if a.global.quiet && err != nil {
				return outcome(exitCode(err))
			}
			return err
		},
	}
}

// checkRunning ends the command where there is nothing to show, before a
// database is opened, let alone made, for it.
func (a *app) checkRunning() error {
	if a.global.quiet {
		a.global.output = outputNothing
	}
	if a.serverURL() != "" {
		return nil
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	s, err := dialSocket(cfg)
	switch {
	case err != nil:
		return err
	case s != nil:
		s.Close()
	case a.global.quiet:
		return outcome(exitUnreachable)
	case !hasDatabase(cfg.DataDir):
		a.note("Relay is not running here, and there is no database in %s yet: relay serve starts it.", cfg.DataDir)
		return outcome(exitUnreachable)
	}
	return nil
}

func (a *app) status(ctx context.Context, s *session, _ []string) error {
	answer, err := s.Do(ctx, http.MethodGet, "/api/status", nil, nil)
	if err != nil {
		return err
	}
	state, err := decodeRow[admin.Status](answer.Body)
	if err != nil {
		return err
	}
	rows, err := a.healthRows(ctx, s, state)
	if err != nil {
		return err
	}
	t := details(statusPairs(state, time.Now())...)
	t.rows = append(t.rows, rows...)
	for _, warning := range state.Warnings {
		t.rows = append(t.rows, []string{"warning", warning.String()})
	}
	if err := a.show(view{body: json.RawMessage(answer.Body), names: []string{state.InstallationID}, table: t}); err != nil {
		return err
	}
	switch {
	case !state.Live:
		return outcome(exitUnreachable)
	case !state.Ready:
		return outcome(exitFailed)
	}
	return nil
}

func statusPairs(state admin.Status, now time.Time) [][]string {
	running := "not running"
	if state.Live {
		running = "running for " + roughly(time.Duration(state.UptimeSeconds)*time.Second)
		if !state.Ready {
			running += ", not ready: " + state.Reason
		}
	}
	pairs := [][]string{
		{"relay", running},
		{"version", state.Version},
		{"data", state.DataDir},
		{"records", countsInWords(state.Counts)},
	}
	if !state.Live {
		return pairs
	}
	durable := state.DurableThrough
	return append(pairs,
		[]string{"in flight", grouped(int64(state.InFlight))},
		[]string{"usage on disk", fmt.Sprintf("through %s (%s ago)", durable.Local().Format(time.DateTime), roughly(now.Sub(durable)))})
}

// countsInWords names the kinds that newcomers know, and others when there are
// any beyond those of first boot.
func countsInWords(counts map[string]int) string {
	var parts []string
	for _, kind := range []store.Kind{store.KindHost, store.KindHostKey, store.KindModel, store.KindPolicy, store.KindRateLimit, store.KindRelayKey} {
		words := strings.ReplaceAll(kind.Plural(), "-", " ")
		if counts[kind.Plural()] == 1 {
			words = strings.ReplaceAll(string(kind), "-", " ")
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[kind.Plural()], words))
	}
	return listed(parts)
}

// roughly writes a duration with its two largest units.
func roughly(d time.Duration) string {
	switch {
	case d < time.Second:
		return "less than 1s"
	case d >= 24*time.Hour:
		return fmt.Sprintf("%dd%dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return d.Truncate(time.Second).String()
}

// healthRows tells of hosts and host keys that do not work as they should.
func (a *app) healthRows(ctx context.Context, s *session, state admin.Status) ([][]string, error) {
	if !state.Live {
		return nil, nil
	}
	hosts, err := namesByID[store.HostSpec](ctx, s)
	if err != nil {
		return nil, err
	}
	keys, err := namesByID[store.HostKeySpec](ctx, s)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, id := range slices.Sorted(maps.Keys(state.Hosts)) {
		if host := state.Hosts[id]; host.Health == "unreachable" {
			rows = append(rows, []string{"host " + hosts[id], fmt.Sprintf("unreachable since %s: %s", localTime(host.LastTransition), host.LastError)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(state.HostKeys)) {
		if key := state.HostKeys[id]; key.State != "closed" {
			rows = append(rows, []string{"host key " + keys[id], fmt.Sprintf("%s until %s: %s", key.State, localTime(key.Until), key.Reason)})
		}
	}
	return rows, nil
}

func namesByID[S any](ctx context.Context, s *session) (map[string]string, error) {
	records, err := admin.ListAll[S](ctx, s.Client, admin.ListQuery{})
	names := map[string]string{}
	for _, record := range records {
		names[record.Metadata.ID] = record.Metadata.Name
	}
	return names, err
}
