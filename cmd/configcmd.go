package cmd

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"relay/store"
)

func (a *app) configCommand() *cobra.Command {
	return group("config", "Show or check the configuration", a.configShowCommand(), a.configPathCommand(), a.configCheckCommand())
}

// configRow is one key with its value in use and where that was written.
type configRow struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

type configBody struct {
	File  string      `json:"file,omitempty"`
	Items []configRow `json:"items"`
}

func (a *app) configShowCommand() *cobra.Command {
	var changed bool
	c := &cobra.Command{
		Use:     "show",
		Aliases: []string{"print"},
		Short:   "Show every value in use, and where it comes from",
		Long: "Shows the configuration that a command started here would have: every key, its value,\n" +
			"and the flag, the variable or the line of the file that has set it. Secrets are not shown.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, origins, err := a.configWithOrigins()
			if err != nil {
				return err
			}
			return a.showConfig(configBody{cfg.File, configRows(cfg, origins, changed)})
		},
	}
	c.Flags().BoolVar(&changed, "changed", false, "leave out what has its default")
	return c
}

func (a *app) showConfig(body configBody) error {
	t := table{columns: []column{left("key"), left("value"), left("from")}}
	names := make([]string, len(body.Items))
	for i, row := range body.Items {
		names[i] = row.Key
		t.rows = append(t.rows, []string{row.Key, row.Value, row.From})
	}
	return a.show(view{body: body, names: names, table: t})
}

const fromDefault = "default"

// configRows lists the keys in the order of Config, and then the secrets, of
// which only the environment has any.
func configRows(cfg Config, origins settings, changed bool) []configRow {
	rows := []configRow{}
	inUse := cfg
	inUse.Limits = cfg.Limits.orElse(profileSwitches(cfg.Limits.Profile))
	for _, leaf := range leavesOf(reflect.ValueOf(inUse), "") {
		row := configRow{leaf.key, leaf.text(), cfg.originOf(leaf.key, origins)}
		if row.From != fromDefault || !changed {
			rows = append(rows, row)
		}
	}
	for _, secret := range []struct {
		variable string
		value    store.Secret
	}{{"RELAY_MASTER_KEY", cfg.MasterKey}, {"RELAY_ADMIN_TOKEN", cfg.AdminToken}} {
		if !secret.value.IsZero() {
			key := strings.ToLower(strings.TrimPrefix(secret.variable, "RELAY_"))
			rows = append(rows, configRow{key, secret.value.String(), secret.variable})
		}
	}
	return rows
}

// originOf tells where the value of a key was written.
func (c *Config) originOf(key string, origins settings) string {
	one, written := origins[key]
	profile, profiled := origins[profileKey]
	switch {
	case slices.Contains(profileSwitchKeys(), key) && !c.Written[key]:
		if profiled {
			return profileKey + ", " + profile.origin
		}
		return fromDefault
	case written:
		return one.origin
	}
	return fromDefault
}

func (a *app) configPathCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file that is read",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := findConfigFile(a.global.config, a.Env)
			if err != nil {
				return err
			}
			if path == "" {
				return &store.Error{Code: store.CodeNotFound, Message: "there is no configuration file, which is fine; one would be read from " +
					strings.Join(configPlaces(a.Env), ", ")}
			}
			_, err = fmt.Fprintln(a.Stdout, path)
			return err
		},
	}
}

func (a *app) configCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "check",
		Short:   "Tell everything that is wrong with the configuration",
		Long:    "Reads file, environment and flags as relay serve does. It exits 0 when all is well, and\n2 with a line for every fault.",
		Example: "  relay config check --config relay.yaml",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, origins, err := a.configWithOrigins()
			if err != nil {
				return err
			}
			file := "there is no file"
			if cfg.File != "" {
				file = "read from " + cfg.File
			}
			a.note("The configuration is good: %s, %s set.", file, counted(len(origins), "value"))
			return nil
		},
	}
}
