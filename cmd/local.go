package cmd

import (
	"errors"
	"io"
	"net/http"

	"github.com/rs/zerolog"

	"relay/admin"
	"relay/gateway"
)

// localHandler opens the data directory and returns the control API in
// process, for a command line that finds no server.
func localHandler(cfg Config, env Environment) (http.Handler, io.Closer, error) {
	e, err := openEngine(cfg, env, zerolog.Nop())
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(e.seedSystemLimits(env), admin.FirstBoot(e.db), admin.EnsureRoles(e.db), e.ship()); err != nil {
		return nil, nil, errors.Join(err, e.db.Close())
	}
	e.compile(nil)
	handler := admin.New(admin.Options{
		DB: e.db, Warnings: e.Warnings, Counters: counterReader{e}, Resets: counterResetter{e}, Catalogue: e.catalogue, Plan: e.plan.Load, Version: Version(), Authz: cfg.Authz,
		Upstream: &gateway.Prober{Version: Version(), DenyPrivate: cfg.Upstream.DenyPrivate},
	})
	return handler, e.db, nil
}
