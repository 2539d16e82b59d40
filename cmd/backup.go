package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"relay/store"
)

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a copy of the database, also while Relay runs",
		Long: "Writes a consistent copy of the database: catalog, sealed provider keys, usage and\n" +
			"counters. Relay may run meanwhile. The master key is not in the copy, and without it\n" +
			"the provider keys in there do not open: keep both, apart from each other.",
		Example: "  relay backup relay-2027-01-31.db\n  relay backup - | ssh vault 'cat > relay.db'",
		Args:    exactly("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.backup(c.Context(), args[0])
		},
	}
}

// backupBody is what programs get of a backup.
type backupBody struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

func (a *app) backup(ctx context.Context, path string) error {
	if path == "-" {
		if isTerminal(a.Stdout) {
			return usagef("relay backup -: a terminal is no place for a database; name a file, or redirect standard output")
		}
		_, err := a.copyDatabase(ctx, a.Stdout)
		return err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("find the folder of the backup: %w", err)
	}
	var size int64
	err = store.SaveBackup(path, func(w io.Writer) (err error) {
		size, err = a.copyDatabase(ctx, w)
		return err
	})
	if err != nil {
		return err
	}
	if !a.human() {
		t := table{columns: []column{left("path"), right("bytes")}, rows: [][]string{{path, fmt.Sprint(size)}}}
		return a.show(view{body: backupBody{path, size}, names: []string{path}, table: t})
	}
	a.note("Wrote a backup of %s to %s; the master key is not in it.", inBytes(size), path)
	return nil
}

// copyDatabase writes the database that a running server has, or else the one
// of the data directory.
func (a *app) copyDatabase(ctx context.Context, w io.Writer) (int64, error) {
	defer a.whenSlow("Copying the database ...")()
	cfg, err := a.config()
	if err != nil {
		return 0, err
	}
	s, err := a.dialServer(cfg)
	if err != nil {
		return 0, err
	}
	if s == nil {
		return a.copyLocal(cfg, w)
	}
	defer s.Close()
	n, err := s.Backup(ctx, w)
	if err != nil {
		return n, fmt.Errorf("%s: %w", s.where(), err)
	}
	return n, nil
}

// dialServer finds a running server; nil when there is none.
func (a *app) dialServer(cfg Config) (*session, error) {
	if server := a.serverURL(); server != "" {
		return a.dialRemote(cfg, server)
	}
	return dialSocket(cfg)
}

func (a *app) copyLocal(cfg Config, w io.Writer) (int64, error) {
	if !hasDatabase(cfg.DataDir) {
		return 0, noDatabase(cfg)
	}
	a.note("Relay is not running here; reading the database in %s directly.", cfg.DataDir)
	db, err := store.Open(storeOptions(cfg))
	if err != nil {
		return 0, err
	}
	counted := &counter{w: w}
	err = db.Backup(counted)
	return counted.n, errors.Join(err, db.Close())
}

func noDatabase(cfg Config) error {
	return &store.Error{Code: store.CodeNotFound, Message: fmt.Sprintf("there is no database in %s; --data-dir names another data directory", cfg.DataDir)}
}

// counter counts what passes.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// inBytes writes a size for people.
func inBytes(n int64) string {
	for _, unit := range []sizeUnit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= unit.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(unit.bytes), unit.suffix)
		}
	}
	return fmt.Sprintf("%d B", n)
}
