package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"relay/gateway/plan"
	"relay/store"
)

// EnvKey is an environment variable in which a provider's key is usually kept.
type EnvKey struct{ Env, Host string }

// Discoverer finds provider keys in the environment and model servers on this
// machine, and keeps what it found up to date.
type Discoverer struct {
	DB       *store.DB
	Upstream plan.Upstream
	EnvKeys  []EnvKey
	Getenv   func(string) string
	Own      func(baseURL string) bool // whether a base URL is a listener of Relay's own
	Log      zerolog.Logger
}

const (
	discoverInterval = 30 * time.Second
	discoverTimeout  = 2 * time.Second
)

// Run takes up the environment's keys once, and looks for local servers now
// and every 30 s until ctx ends.
func (d *Discoverer) Run(ctx context.Context) {
	d.TakeEnvKeys()
	tick := time.NewTicker(discoverInterval)
	defer tick.Stop()
	for {
		d.LookAround(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// TakeEnvKeys makes a host key of source env for each variable that is set and
// whose host the catalog has. A host that has a key from that variable, or that
// a person has given a key, is left as it is, and so is one from which a person
// has taken that key away.
func (d *Discoverer) TakeEnvKeys() {
	for _, k := range d.EnvKeys {
		value := d.Getenv(k.Env)
		if value == "" || strings.HasPrefix(value, store.RelayKeyPrefix) {
			continue
		}
		made := false
		_, err := d.DB.Write(func(e *store.Edit) error {
			made = false
			host := e.Catalog().Hosts.ByName(k.Host)
			if host == nil || len(store.BaseURLPlaceholders(host.Spec.BaseURL)) > 0 || hasKey(e.Catalog(), host) {
				return nil
			}
			key := signed(e.Catalog(), &store.HostKey{
				Metadata: store.Metadata{Name: freeName(e.Catalog(), k.Host), Origin: &store.Origin{Kind: store.OriginEnvironment, Source: k.Env}},
				Spec:     store.HostKeySpec{HostID: host.Metadata.ID, Source: store.KeySource{Kind: "env", Env: k.Env}},
			})
			if made = welcome(e.Catalog(), key); !made {
				return nil
			}
			return e.Put(key)
		})
		d.report(err, made, k.Host, "provider key found in the environment")
	}
}

func (d *Discoverer) report(err error, made bool, host, message string) {
	switch {
	case err != nil:
		d.Log.Warn().Str("host", host).Err(err).Msg("discovery cannot write what it found")
	case made:
		d.Log.Info().Str("host", host).Msg(message)
	}
}

func hasKey(c *store.Catalog, host *store.Host) bool {
	for k := range c.HostKeys.All() {
		if k.Spec.HostID == host.Metadata.ID {
			return true
		}
	}
	return false
}

func freeName(c *store.Catalog, name string) string {
	return store.NameFrom(name, func(name string) bool { return c.HostKeys.ByName(name) != nil })
}

// localServer is a model server at its usual port.
type localServer struct {
	name   string
	port   string
	path   string
	shapes []store.Shape
}

// localServers are known by the ports that they take by default.
func localServers() []localServer {
	openai := []store.Shape{store.ShapeOpenAI}
	return []localServer{
		{"ollama", "11434", "", []store.Shape{store.ShapeOllama, store.ShapeOpenAI, store.ShapeResponses, store.ShapeAnthropic}},
		{"lm-studio", "1234", "/v1", openai},
		{"llama-cpp", "8080", "/v1", openai},
		{"vllm", "8000", "/v1", openai},
	}
}

// LookAround asks every usual place once. A server that answers becomes a host
// whose models are bound; models that are gone since are switched off, and on
// again when they are back.
func (d *Discoverer) LookAround(ctx context.Context) {
	for _, machine := range []string{"127.0.0.1", "host.docker.internal"} {
		for _, s := range localServers() {
			d.look(ctx, s, machine)
		}
	}
}

func (d *Discoverer) look(ctx context.Context, s localServer, machine string) {
	base := "http://" + machine + ":" + s.port + s.path
	if d.Own(base) {
		return
	}
	host := hostAt(d.DB.Catalog(), base)
	if host == nil {
		host = &store.Host{
			Metadata: store.Metadata{Name: s.name, Origin: &store.Origin{Kind: store.OriginDiscovery, Source: base}},
			Spec:     store.HostSpec{BaseURL: base, Auth: "none", Shapes: s.shapes, UnknownModels: "forward"},
		}
		if machine != "127.0.0.1" {
			host.Metadata.Name += "-docker"
		}
		if !welcome(d.DB.Catalog(), signed(d.DB.Catalog(), host)) {
			return
		}
	} else if !takesModels(host) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, discoverTimeout)
	defer cancel()
	names, err := d.Upstream.ListModels(ctx, host, store.Secret{})
	if err != nil {
		return // nobody is there, or it is something else
	}
	d.keep(host, names)
}

// hostAt finds the host with the base URL: an administrator may have named it
// otherwise.
func hostAt(c *store.Catalog, base string) *store.Host {
	for h := range c.Hosts.All() {
		if h.Spec.BaseURL == base {
			return h
		}
	}
	return nil
}

// takesModels reports whether a host's models are bound and unbound unasked: not
// those of a host that a person has made, or switched off.
func takesModels(h *store.Host) bool {
	o := h.Metadata.Origin
	return store.Enabled(h.Spec.Enabled) && (discovered(o) || o != nil && o.Kind == "catalog")
}

func discovered(o *store.Origin) bool { return o != nil && o.Kind == store.OriginDiscovery }

// keep writes what a server offers now.
func (d *Discoverer) keep(found *store.Host, names []string) {
	made := found.Metadata.ID == ""
	_, err := d.DB.Write(func(e *store.Edit) error {
		host, err := copyOf(found)
		if err != nil {
			return err
		}
		if made {
			if err := e.Put(host); err != nil {
				return err
			}
		}
		b := binder{e, host}
		if _, _, err := b.bindAll(b.welcomeNames(names)); err != nil {
			return err
		}
		return switchBindings(e, host, names)
	})
	d.report(err, made, found.Metadata.Name, "model server found on this machine")
}

// switchBindings switches the host's discovered bindings on or off as their
// models are there or gone. Those that a person has edited stay as they are.
func switchBindings(e *store.Edit, host *store.Host, names []string) error {
	for b := range e.Catalog().HostBindings.All() {
		if b.Spec.HostID != host.Metadata.ID || !discovered(b.Metadata.Origin) {
			continue
		}
		there := slices.Contains(names, upstreamName(e.Catalog(), b))
		if there == store.Enabled(b.Spec.Enabled) || !untouched(e.Catalog(), b) {
			continue
		}
		changed, err := copyOf(b)
		if err != nil {
			return err
		}
		changed.Spec.Enabled = &there
		if err := e.Put(signed(e.Catalog(), changed)); err != nil {
			return err
		}
	}
	return nil
}

func upstreamName(c *store.Catalog, b *store.HostBinding) string {
	if b.Spec.UpstreamName != "" {
		return b.Spec.UpstreamName
	}
	if m := c.Models.Get(b.Spec.ModelID); m != nil {
		return m.Metadata.Name
	}
	return ""
}
