package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// makeNew makes the file at path with the content, wholly or not at all, and
// durably. It fails with fs.ErrExist when the file exists.
func makeNew(path string, content []byte) error {
	return buildNew(path, func(draft *os.File) error {
		_, err := draft.Write(content)
		return err
	})
}

// buildNew lets build fill a draft beside path, which then gets its name. The
// draft has mode 0600.
func buildNew(path string, build func(draft *os.File) error) error {
	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	err = build(draft)
	if err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err != nil {
		return err
	}
	return publish(draft.Name(), path)
}

// publish names a finished draft. A link, unlike a rename, never replaces what
// another process has made meanwhile; where there are no links, rename does.
func publish(draft, path string) error {
	err := os.Link(draft, path)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return fs.ErrExist // a draft is gone when another process has published its own
	}
	if err != nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		return err
	}
	removeDrafts(path)
	return syncDir(filepath.Dir(path))
}

// removeDrafts removes what interrupted attempts have left.
func removeDrafts(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+".new-") {
			_ = os.Remove(filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
}

// syncDir makes names in dir durable. Windows has no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// fileSize returns the size of the file at path, or -1 when there is none.
func fileSize(path string) (int64, error) {
	stat, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at %s: %w", path, err)
	}
	return stat.Size(), nil
}

// isOpenToOthers reports whether group or others may use a file of the mode.
func isOpenToOthers(mode fs.FileMode) bool {
	return runtime.GOOS != "windows" && mode.Perm()&0o077 != 0
}
