package cmd

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"relay/store"
)

const (
	scheduleInterval = time.Minute // how often it is looked whether a backup is due: timers stand still while a laptop sleeps
	backupRetry      = time.Hour   // after one that failed
)

// backupSchedule makes a backup whenever the newest is old enough.
type backupSchedule struct {
	BackupConfig
	db      *store.DB
	log     zerolog.Logger
	outcome func(err error) // told of each backup; nil error: it was made
}

// scheduleBackups backs the database up until the process stops.
func (p *process) scheduleBackups() {
	s := backupSchedule{BackupConfig: p.cfg.Backup, db: p.db, log: p.log, outcome: p.keepBackupFault}
	s.Dir = cmp.Or(s.Dir, filepath.Join(p.cfg.DataDir, "backups"))
	s.run(p.life)
}

// keepBackupFault keeps why the last backup failed, to warn of it.
func (p *process) keepBackupFault(err error) {
	p.backupFault.Store(nil)
	if err != nil {
		p.backupFault.Store(&store.Problem{Message: "the last backup failed: " + err.Error()})
	}
}

// Warnings returns what the plan warns of, and that backups fail.
func (p *process) Warnings() []store.Problem {
	warnings := p.engine.Warnings()
	if fault := p.backupFault.Load(); fault != nil {
		warnings = append(warnings[:len(warnings):len(warnings)], *fault)
	}
	return warnings
}

// run makes backups until ctx ends.
func (s backupSchedule) run(ctx context.Context) {
	if s.Every == 0 {
		return
	}
	tick := time.NewTicker(scheduleInterval)
	defer tick.Stop()
	for due := s.first(time.Now()); ; {
		if now := time.Now(); !now.Before(due) {
			due = s.next(ctx, now)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// first is when the first backup is due: counted from the newest that there is.
// A database that has just been made has nothing to lose yet.
func (s backupSchedule) first(now time.Time) time.Time {
	all, err := store.Backups(s.Dir)
	switch {
	case err != nil:
		return now // the attempt tells what is wrong
	case len(all) > 0 && all[0].At.Before(now):
		return all[0].At.Add(s.Every)
	case len(all) > 0 || s.db.FirstBoot():
		return now.Add(s.Every)
	}
	return now
}

// next makes a backup and returns when the one after it is due.
func (s backupSchedule) next(ctx context.Context, now time.Time) time.Time {
	made, err := s.db.BackupTo(ctx, s.Dir, s.Keep)
	if errors.Is(err, context.Canceled) {
		return now
	}
	s.outcome(err)
	if err != nil {
		s.log.Error().Err(err).Msg("the database cannot be backed up")
		return now.Add(min(s.Every, backupRetry))
	}
	s.log.Info().Str("path", made.Path).Msg("the database is backed up")
	return now.Add(s.Every)
}
