package store

import (
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
)

// Options say where the database is and how it is used. Only Dir is required.
type Options struct {
	// Dir is the data dir. It is made with mode 0700 when it does not exist.
	Dir string

	// MasterKey is 32 bytes as base64 text. Empty: MasterKeyFile is read, which
	// is Dir/master.key by default and made together with a new database.
	MasterKey     Secret
	MasterKeyFile string

	// BackupDir is where the backups lie that are named when the database turns
	// out to be damaged. Default: Dir/backups.
	BackupDir string

	Now    func() time.Time         // default: time.Now
	Getenv func(name string) string // reads host keys of source env; default: nothing is set
	Log    zerolog.Logger           // the zero value is silent

	// OnAudit is called with every entry of the audit log once that is on disk.
	// It must neither wait for long nor write to the database. Default: nothing
	// happens.
	OnAudit func(AuditEntry)

	// RefuseLimits says why no limit may be in force under a catalog, and what to
	// do about it, where counters are no other process's; "" lets limits be.
	// Writes that would put one in force then fail with CodeSharedState. Default:
	// limits may be.
	RefuseLimits func(*Catalog) (why string)

	// OpenFile opens the database file. Default: os.OpenFile.
	OpenFile func(path string, flag int, mode os.FileMode) (*os.File, error)

	FlushInterval    time.Duration // how long a usage event waits for others; default 100ms
	SnapshotInterval time.Duration // how often changed counters are written without events; default 1s
	QueueBytes       int64         // the places that admitted requests may hold; default 32 MiB
	MaxSize          int64         // bytes that the database file may grow to; 0: no bound
}

const (
	databaseName  = "relay.db"
	markerName    = "relay.id"
	masterKeyName = "master.key"
	backupsName   = "backups"
)

func (o Options) withDefaults() Options {
	if o.MasterKeyFile == "" {
		o.MasterKeyFile = filepath.Join(o.Dir, masterKeyName)
	}
	if o.BackupDir == "" {
		o.BackupDir = filepath.Join(o.Dir, backupsName)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.OnAudit == nil {
		o.OnAudit = func(AuditEntry) {}
	}
	if o.RefuseLimits == nil {
		o.RefuseLimits = func(*Catalog) string { return "" }
	}
	if o.OpenFile == nil {
		o.OpenFile = os.OpenFile
	}
	o.FlushInterval = or(o.FlushInterval, 100*time.Millisecond)
	o.SnapshotInterval = or(o.SnapshotInterval, time.Second)
	o.QueueBytes = or(o.QueueBytes, 32<<20)
	return o
}

func or[T ~int64](value, standard T) T {
	if value > 0 {
		return value
	}
	return standard
}
