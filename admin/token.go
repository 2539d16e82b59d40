package admin

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"relay/store"
)

const tokenFile = "admin.token"

// EnsureToken returns the admin token in dir/admin.token, which it makes when
// there is none: 256 random bits, readable by the owner only, on disk before
// it is returned. A file that others may read is refused.
func EnsureToken(dir string) (store.Secret, error) {
	path := filepath.Join(dir, tokenFile)
	token, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := writeToken(path, randomText(32)); err != nil && !errors.Is(err, fs.ErrExist) {
		return store.Secret{}, fmt.Errorf("write admin token: %w", err)
	}
	return readToken(path)
}

func readToken(path string) (store.Secret, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return store.Secret{}, fmt.Errorf("read admin token: %w", err)
	}
	if stat.Mode().Perm()&0o077 != 0 {
		return store.Secret{}, fmt.Errorf("admin token %s may be read by others: run chmod 600 on it", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return store.Secret{}, fmt.Errorf("read admin token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return store.Secret{}, fmt.Errorf("admin token %s is empty: remove the file and start again", path)
	}
	return store.NewSecret(token), nil
}

func writeToken(path, token string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(token + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the name of a new file as durable as its content.
func syncDir(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// randomText returns n random bytes as base64url without padding.
func randomText(n int) string {
	bytes := make([]byte, n)
	_, _ = rand.Read(bytes) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// newIncident names an entry of the log in an answer.
func newIncident() string { return randomText(9) }
