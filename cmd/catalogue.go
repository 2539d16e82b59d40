package cmd

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"relay/admin"
	"relay/store"
	"relay/store/catalogdata"
)

// ship writes the embedded catalogue: all of it into a new database, and into
// an older one what this release adds or changes and nobody has edited, unless a
// newer catalogue has been put in place. Once a catalogue is there, a refresh that
// fails is a warning and not the end.
func (e *engine) ship() error {
	data, err := catalogdata.Load()
	if err != nil {
		return fmt.Errorf("read the embedded catalogue: %w", err)
	}
	e.shipped = data
	e.catalogue = &catalogue{db: e.db, now: time.Now}
	var changes catalogdata.Changes
	_, err = e.db.Write(func(edit *store.Edit) error {
		changes, err = e.catalogue.boot(edit, data)
		return err
	})
	switch {
	case err != nil && e.db.Catalog().Hosts.Len() == 0:
		return fmt.Errorf("write the embedded catalogue: %w", err)
	case err != nil:
		e.log.Warn().Err(err).Msg("the embedded catalogue cannot be refreshed; what is there stays")
	}
	for _, kept := range changes.Of(catalogdata.ActionKept) {
		e.log.Info().Str("kind", string(kept.Kind)).Str("name", kept.Name).Msg("the catalogue has changed this record, but an edit of yours stays")
	}
	return nil
}

// discover looks for keys in the environment and for model servers nearby,
// beside everything else: nobody waits for it.
func (p *process) discover(env Environment) {
	if !p.cfg.Discover {
		return
	}
	d := &admin.Discoverer{DB: p.db, Upstream: p.prober(), Getenv: env.get, Own: p.isOwn, Log: p.log}
	for _, k := range p.shipped.EnvKeys() {
		d.EnvKeys = append(d.EnvKeys, admin.EnvKey{Env: k.Env, Host: k.Host})
	}
	p.background(func() { d.Run(p.life) })
}

// isOwn reports whether a base URL leads to one of Relay's listeners.
func (p *process) isOwn(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	port, _ := strconv.ParseUint(u.Port(), 10, 16)
	addr, _ := netip.ParseAddr(u.Hostname())
	for _, own := range p.ownListeners() {
		if own.Port() == uint16(port) && (!addr.IsValid() || addr.IsLoopback()) {
			return true
		}
	}
	return false
}
