package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	keyFileCheck = 10 * time.Second // how often a file is looked at
	maxKeyFile   = 64 << 10         // bytes
)

// keyFile is a file that holds the value of a host key, as last read.
type keyFile struct {
	mu      sync.Mutex
	value   Secret
	err     error
	checked time.Time // when it was last looked at
	changed time.Time // its modification time then
	size    int64
}

func (db *DB) fileValue(path string) (Secret, error) {
	if db.own(path) {
		return Secret{}, errOwnFile(path)
	}
	file := db.values.file(path)
	file.mu.Lock()
	defer file.mu.Unlock()
	if age := db.now().Sub(file.checked); age >= 0 && age < keyFileCheck {
		return file.value, file.err
	}
	if !file.unchanged(path) {
		file.read(path)
	}
	file.checked = db.now()
	return file.value, file.err
}

func (db *DB) reloadFileValue(path string) (Secret, error) {
	if db.own(path) {
		return Secret{}, errOwnFile(path)
	}
	file := db.values.file(path)
	file.mu.Lock()
	defer file.mu.Unlock()
	file.read(path)
	file.checked = db.now()
	return file.value, file.err
}

// own reports whether the path leads to something of this Relay's own, which
// must not be sent to anybody: its master key, or any file of the data dir but
// those that a person has put into a directory below it.
func (db *DB) own(path string) bool {
	path = resolved(path)
	key := resolved(db.options.MasterKeyFile)
	return path == key || strings.HasPrefix(path, key+".") || filepath.Dir(path) == resolved(db.options.Dir)
}

// resolved is the path without links, as far as it leads to something.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

func errOwnFile(path string) error {
	return fmt.Errorf("file %s is one of Relay's own: put the provider's key into a file outside the data dir", path)
}

func (v *hostKeyValues) file(path string) *keyFile {
	v.mu.Lock()
	defer v.mu.Unlock()
	file := v.files[path]
	if file == nil {
		file = &keyFile{}
		v.files[path] = file
	}
	return file
}

func (f *keyFile) unchanged(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && f.err == nil && stat.ModTime().Equal(f.changed) && stat.Size() == f.size
}

func (f *keyFile) read(path string) {
	f.value, f.err = Secret{}, nil
	text, stat, err := readKeyFile(path)
	switch {
	case err != nil:
		f.err = fmt.Errorf("read its value: %w", err)
	case text == "":
		f.err = fmt.Errorf("file %s is empty", path)
	case len(text) > maxKeyFile:
		f.err = fmt.Errorf("file %s is too large for a key", path)
	default:
		f.value, f.changed, f.size = NewSecret(text), stat.ModTime(), stat.Size()
	}
}

// readKeyFile returns the text of the file without one newline at its end.
func readKeyFile(path string) (string, os.FileInfo, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return "", nil, err
	}
	if !stat.Mode().IsRegular() {
		return "", nil, fmt.Errorf("%s is not a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxKeyFile+2))
	line := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	return line, stat, err
}
