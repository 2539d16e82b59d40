package cmd

import (
	"context"
	"fmt"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

// noServerError is a command that only a running server can answer.
type noServerError struct{ command string }

func (e *noServerError) Error() string {
	return e.command + " needs a running server: relay serve starts one here, --server names one elsewhere"
}

func (e *noServerError) Is(target error) bool { return target == admin.ErrUnreachable }

// running makes the body of a command that needs a running server.
func (a *app) running(run func(ctx context.Context, s *session, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if a.serverURL() == "" {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			s, err := dialSocket(cfg)
			if err != nil {
				return err
			}
			if s == nil {
				return &noServerError{c.CommandPath()}
			}
			s.Close()
		}
		return a.online(run)(c, args)
	}
}

// offline makes the body of a command that works on the data directory itself,
// which no server may have open.
func (a *app) offline(run func(ctx context.Context, cfg Config, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if server := a.serverURL(); server != "" {
			return usagef("%s works on the data directory of this machine and not through %s: leave out --server and RELAY_SERVER", c.CommandPath(), server)
		}
		cfg, err := a.config()
		if err != nil {
			return err
		}
		s, err := dialSocket(cfg)
		if err != nil {
			return err
		}
		if s != nil {
			s.Close()
			return &store.Error{Code: store.CodeBusy, Message: fmt.Sprintf("Relay is running on %s: stop it first, then repeat %s", cfg.DataDir, c.CommandPath())}
		}
		return run(c.Context(), cfg, args)
	}
}

// storeOptions say where the database of a configuration is.
func storeOptions(cfg Config) store.Options {
	return store.Options{
		Dir: cfg.DataDir, MasterKey: cfg.MasterKey, MasterKeyFile: cfg.MasterKeyFile, BackupDir: cfg.Backup.Dir, Log: zerolog.Nop(),
	}
}
