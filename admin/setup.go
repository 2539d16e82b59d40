package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"relay/store"
)

// setupLife is how long a setup link opens.
const setupLife = 30 * time.Minute

const setupFile = "setup.link"

// setupLinks is the one setup link that opens at a time. Its hash and end lie
// in the data directory, so that it outlives a restart; the secret itself is
// in the link only. It is safe for concurrent use.
type setupLinks struct {
	mu  sync.Mutex
	dir string
}

// keptSetup is what the file holds.
type keptSetup struct {
	SHA256  string    `json:"sha256"` // of the secret, in hex
	Expires time.Time `json:"expires"`
}

// renew makes the secret of a new link, 256 random bits, in place of the one
// before. It is on disk before it is returned.
func (l *setupLinks) renew(now time.Time) (secret store.Secret, expires time.Time, err error) {
	text := randomText(32)
	kept := keptSetup{SHA256: hashText(text), Expires: now.Add(setupLife).UTC().Truncate(time.Second)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.write(kept); err != nil {
		return store.Secret{}, time.Time{}, fmt.Errorf("write setup link: %w", err)
	}
	return store.NewSecret(text), kept.Expires, nil
}

// opens reports whether the secret is that of the link.
func (l *setupLinks) opens(secret store.Secret, now time.Time) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept, err := l.read()
	if err != nil {
		return false, err
	}
	same := subtle.ConstantTimeCompare([]byte(hashText(secret.Reveal())), []byte(kept.SHA256)) == 1
	return same && now.Before(kept.Expires), nil
}

// useUp makes the link open nothing any more.
func (l *setupLinks) useUp() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := os.Remove(l.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err = errors.Join(err, syncDir(l.dir)); err != nil {
		return fmt.Errorf("use up setup link: %w", err)
	}
	return nil
}

// read returns a link that nothing opens when there is none, or none that can
// be read.
func (l *setupLinks) read() (keptSetup, error) {
	text, err := os.ReadFile(l.path())
	if errors.Is(err, fs.ErrNotExist) {
		return keptSetup{}, nil
	}
	if err != nil {
		return keptSetup{}, fmt.Errorf("read setup link: %w", err)
	}
	var kept keptSetup
	if json.Unmarshal(text, &kept) != nil {
		return keptSetup{}, nil
	}
	return kept, nil
}

func (l *setupLinks) write(kept keptSetup) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(l.dir, setupFile+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), l.path())
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return syncDir(l.dir)
}

func (l *setupLinks) path() string { return filepath.Join(l.dir, setupFile) }

func hashText(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}
