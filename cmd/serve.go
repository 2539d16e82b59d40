package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
)

func (a *app) serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway",
		Long:  "Runs the gateway until it is interrupted. Without any configuration it makes a data directory, a first key, and listens on loopback.",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			return a.serve(c.Context(), cfg)
		},
	}
	addConfigFlags(c)
	return c
}

// gcPercent is how much the heap may grow over what is live before it is
// collected. What is live is a few MiB, so that collecting less often costs
// little memory and saves a twentieth of the processor time of a busy gateway.
const gcPercent = 300

// serve runs until ctx ends.
func (a *app) serve(ctx context.Context, cfg Config) error {
	loaded := cfg
	cfg.tuneMemory(a.Env)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	log, closeLog := newLogger(a.Stderr, cfg.Log)
	defer func() { _ = closeLog() }()
	level := newLogLevel(cfg.Log.Level)
	log = log.Level(zerolog.TraceLevel).Sample(level)
	p, err := startProcess(cfg, a.Env, log)
	if err != nil {
		return err
	}
	first, err := p.firstRun()
	if err != nil {
		return errors.Join(err, p.Close())
	}
	a.announce(p, first)
	reloads := &reloader{process: p, read: a.config, env: a.Env, level: level, present: loaded}
	p.background(func() { reloads.run(ctx, hangups) })
	select {
	case <-ctx.Done():
		log.Info().Msg("stopping")
	case err = <-p.failed:
	}
	return errors.Join(err, p.Close())
}
