package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

// session is an open way to the control API. There are three: a server at a
// URL, the socket of a server that runs here, and, where none does, the same
// API in this process on the database itself.
type session struct {
	*admin.Client
	cfg    Config
	server string // the URL; "" here
	local  io.Closer
	first  uint64 // generation of the catalog when a local session began
	reset  bool   // counters were set to zero
}

// dial finds the way to the control API.
func (a *app) dial(ctx context.Context) (*session, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	if server := a.serverURL(); server != "" {
		return a.dialRemote(cfg, server)
	}
	if s, err := dialSocket(cfg); s != nil || err != nil {
		return s, err
	}
	return a.openLocal(ctx, cfg)
}

func (a *app) serverURL() string {
	if a.global.server != "" {
		return a.global.server
	}
	return a.Env.get("RELAY_SERVER")
}

func (a *app) dialRemote(cfg Config, server string) (*session, error) {
	client, err := admin.NewRemoteClient(server, cfg.AdminToken)
	if err != nil {
		return nil, usagef("--server %s: %v", server, err)
	}
	if u, err := url.Parse(server); err == nil && u.Scheme == "http" && !isLoopback(u.Hostname()) && !cfg.AdminToken.IsZero() {
		a.note("The admin token goes to %s unencrypted; use https or an ssh tunnel.", u.Host)
	}
	return &session{Client: client, cfg: cfg, server: server}, nil
}

// dialSocket returns nil when no server answers on the socket.
func dialSocket(cfg Config) (*session, error) {
	conn, err := net.DialTimeout("unix", cfg.Socket, time.Second)
	switch {
	case err == nil:
		return &session{Client: admin.NewSocketClient(cfg.Socket), cfg: cfg}, conn.Close()
	case errors.Is(err, syscall.EACCES):
		return nil, &store.Error{
			Code:    store.CodeForbidden,
			Message: fmt.Sprintf("the socket %s is another user's: run this as the user that runs Relay, or use --server with an admin token", cfg.Socket),
		}
	}
	return nil, nil
}

// openLocal serves the control API in this process.
func (a *app) openLocal(ctx context.Context, cfg Config) (*session, error) {
	fresh := !hasDatabase(cfg.DataDir)
	handler, closer, err := localHandler(cfg, a.Env)
	if err != nil {
		return nil, err
	}
	s := &session{Client: admin.NewLocalClient(handler), cfg: cfg, local: closer}
	if fresh {
		a.note("Made a new database in %s.", cfg.DataDir)
		if cfg.MasterKey.IsZero() {
			a.note("Keep a copy of its master key %s apart from it.", cfg.MasterKeyFile)
		}
	}
	status, err := s.Status(ctx)
	if err != nil {
		return nil, errors.Join(err, closer.Close())
	}
	s.first = status.Generation
	return s, nil
}

func hasDatabase(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "relay.db"))
	return !errors.Is(err, fs.ErrNotExist)
}

// end closes the session. A local one says what it did, since nothing else
// tells that no server saw it.
func (a *app) end(ctx context.Context, s *session) error {
	s.Close()
	if s.local == nil {
		return nil
	}
	did := "read"
	if status, err := s.Status(context.WithoutCancel(ctx)); s.reset || err == nil && status.Generation != s.first {
		did = "changed"
	}
	a.note("Relay is not running here; %s the database in %s directly.", did, s.cfg.DataDir)
	return s.local.Close()
}

// online makes the body of a command that speaks to the control API.
func (a *app) online(run func(ctx context.Context, s *session, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		s, err := a.dial(c.Context())
		if err != nil {
			return err
		}
		err = run(c.Context(), s, args)
		if errors.Is(err, admin.ErrUnreachable) {
			err = fmt.Errorf("%s: %w", s.where(), err)
		}
		return errors.Join(err, a.end(c.Context(), s))
	}
}

func (s *session) where() string {
	if s.server != "" {
		return "call " + s.server
	}
	return "call the server through " + s.cfg.Socket
}
