package cmd

import (
	"context"

	"github.com/rs/zerolog"

	"relay/store"
)

// RunBackups runs the schedule of a server until ctx ends. Each backup, or why
// it failed, is told.
func RunBackups(ctx context.Context, db *store.DB, cfg BackupConfig, told func(err error)) {
	backupSchedule{BackupConfig: cfg, db: db, log: zerolog.Nop(), outcome: told}.run(ctx)
}

// WarningsAfterBackup returns what a server warns of after a backup.
func WarningsAfterBackup(db *store.DB, err error) []store.Problem {
	p := &process{engine: &engine{db: db}}
	p.keepBackupFault(err)
	return p.Warnings()
}
