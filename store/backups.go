package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Backup is a file that BackupTo has made.
type Backup struct {
	Path string
	At   time.Time // in whole seconds of UTC
}

const (
	backupPrefix = "relay-"
	backupSuffix = ".db"
	stampLayout  = "20060102T150405Z"
)

// stamp writes a time as names of files hold it.
func stamp(at time.Time) string { return at.UTC().Format(stampLayout) }

// Backups lists the backups in dir, the newest first. A dir that does not exist
// has none, and files of other names are not looked at.
func Backups(dir string) ([]Backup, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list backups: %w", err)
	}
	var found []Backup
	for _, entry := range entries {
		name, ours := strings.CutPrefix(entry.Name(), backupPrefix)
		name, whole := strings.CutSuffix(name, backupSuffix)
		if at, err := time.Parse(stampLayout, name); ours && whole && err == nil {
			found = append(found, Backup{filepath.Join(dir, entry.Name()), at})
		}
	}
	slices.SortFunc(found, func(a, b Backup) int { return b.At.Compare(a.At) })
	return found, nil
}

// BackupTo writes a backup into dir, which it makes with mode 0700, and reads it
// to its last byte. Then it removes all but the newest keep, which is at least
// 1. It fails with CodeDamaged when the copy is not whole, as that of a damaged
// database is not, and with the error of ctx once that is done; then it removes
// nothing.
func (db *DB) BackupTo(ctx context.Context, dir string, keep int) (Backup, error) {
	var b Backup
	b.Path, b.At = freeName(filepath.Join(dir, backupPrefix), backupSuffix, db.now().Truncate(time.Second))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Backup{}, db.diskError("make folder for backups", err)
	}
	err := buildNew(b.Path, func(draft *os.File) error {
		if err := db.copyTo(whileWanted{ctx, draft}); err != nil {
			return err
		}
		_, err := examineWhole(ctx, db.options, backupFile{b.Path, draft.Name()})
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return Backup{}, ctx.Err()
	case err != nil:
		return Backup{}, db.diskError("write backup "+b.Path, err)
	}
	return b, db.prune(dir, keep)
}

// freeName names a file after a time, or after the first second that follows it
// of which there is none.
func freeName(prefix, suffix string, at time.Time) (path string, named time.Time) {
	for {
		path = prefix + stamp(at) + suffix
		if _, err := os.Lstat(path); err != nil {
			return path, at
		}
		at = at.Add(time.Second)
	}
}

// whileWanted writes on until ctx is done.
type whileWanted struct {
	ctx context.Context
	io.Writer
}

func (w whileWanted) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(b)
}

// SaveBackup lets fill write a backup into a file at path, wholly or not at all,
// durably and with mode 0600. It fails with CodeConflict when there is such a
// file already, and with the error of fill as it is.
func SaveBackup(path string, fill func(w io.Writer) error) error {
	taken := &Error{Code: CodeConflict, Message: "there is a file " + path + " already: choose another name"}
	if _, err := os.Lstat(path); err == nil {
		return taken
	}
	var unfilled error
	err := buildNew(path, func(draft *os.File) error {
		unfilled = fill(draft)
		return unfilled
	})
	switch {
	case unfilled != nil:
		return unfilled
	case errors.Is(err, fs.ErrExist):
		return taken
	case err != nil:
		return fmt.Errorf("write backup %s: %w", path, err)
	}
	return nil
}

func (db *DB) prune(dir string, keep int) error {
	cutOff, _ := filepath.Glob(filepath.Join(dir, backupPrefix+"*"+backupSuffix+".new-*")) // the pattern is well formed
	for _, path := range cutOff {
		_ = os.Remove(path)
	}
	all, err := Backups(dir)
	for i := max(keep, 1); i < len(all); i++ {
		err = errors.Join(err, os.Remove(all[i].Path))
	}
	if err != nil {
		return db.diskError("remove old backups", err)
	}
	return nil
}

// restoreAdvice is what a person does about a damaged database.
const restoreAdvice = "restore a backup with relay restore FILE"

// adviseBackup puts the newest backup that is whole into the advice of an
// error, with the whole command.
func adviseBackup(o Options, err error) error {
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != CodeDamaged || !strings.Contains(refused.Message, restoreAdvice) {
		return err
	}
	path := newestWhole(o)
	if path == "" {
		return err
	}
	advised := *refused
	advised.Message = strings.Replace(refused.Message, restoreAdvice,
		fmt.Sprintf("restore the newest whole backup with relay restore --data-dir %s %s", shellWord(o.Dir), shellWord(path)), 1)
	return &advised
}

func newestWhole(o Options) string {
	all, _ := Backups(o.BackupDir) // a folder that cannot be read has nothing to advise
	for _, b := range all {
		if _, err := examineWhole(context.Background(), o, backupFile{b.Path, b.Path}); err == nil {
			return b.Path
		}
	}
	return ""
}

// shellWord quotes a path where a shell would take it apart.
func shellWord(path string) string {
	if strings.ContainsAny(path, " \t\n'\"\\$`&;|<>()*?[]#~!") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
