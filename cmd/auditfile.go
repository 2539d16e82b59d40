package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"relay/store"
)

// auditFile adds every entry of the audit log to a file, a line of JSON each. It
// opens the file for each, so that it can be moved away at any time. It is safe
// for concurrent use.
type auditFile struct {
	path string // "": there is none
	log  zerolog.Logger
	mu   sync.Mutex
}

// check fails when the file cannot be written.
func (f *auditFile) check() error {
	if f.path == "" {
		return nil
	}
	if err := f.add(nil); err != nil {
		return fmt.Errorf("write audit.file: %w", err)
	}
	return nil
}

// put adds an entry. What cannot be written is in the database all the same.
func (f *auditFile) put(entry store.AuditEntry) {
	if f.path == "" {
		return
	}
	line, err := json.Marshal(entry)
	if err == nil {
		err = f.add(append(line, '\n'))
	}
	if err != nil {
		f.log.Error().Err(err).Str("file", f.path).Str("entry", entry.ID).Msg("audit.file cannot be written")
	}
}

func (f *auditFile) add(line []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(line)
	return errors.Join(err, file.Close())
}

// pruneInterval lies between looks for entries that are older than is kept.
const pruneInterval = time.Hour

// pruneAudit deletes what is older than audit.retention, or than setting audit
// says where the configuration says nothing.
func (p *process) pruneAudit() {
	tick := time.NewTicker(pruneInterval)
	defer tick.Stop()
	for {
		if _, err := p.db.PruneAudit(time.Now().Add(-p.cfg.auditRetention(p.db.Catalog()))); err != nil {
			p.log.Error().Err(err).Msg("the audit log cannot be pruned")
		}
		select {
		case <-p.stop:
			return
		case <-tick.C:
		}
	}
}
