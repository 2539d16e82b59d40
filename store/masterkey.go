package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

const masterKeySize = 32 // bytes

// keyID tells master keys apart without telling anything else about them: the
// first bytes of their SHA-256.
type keyID [4]byte

func (id keyID) String() string { return hex.EncodeToString(id[:]) }

// masterKey seals the secrets of one database.
type masterKey struct {
	id   keyID
	aead cipher.AEAD
	also *masterKey // opens what was sealed before or after a rotation; nil: none
}

// with is the key that opens what the other one has sealed as well.
func (k *masterKey) with(other *masterKey) *masterKey {
	return &masterKey{id: k.id, aead: k.aead, also: &masterKey{id: other.id, aead: other.aead}}
}

func newMasterKey(raw []byte) (*masterKey, error) {
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	return &masterKey{id: keyID(sum[:4]), aead: aead}, nil
}

// parseMasterKey reads base64 text in either alphabet, padded or not, with or
// without a newline behind it.
func parseMasterKey(text string) (*masterKey, error) {
	text = strings.TrimRight(strings.TrimRight(text, "\r\n"), "=")
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(raw) != masterKeySize {
		return nil, errors.New("must be 32 bytes as base64 text")
	}
	return newMasterKey(raw)
}

// readMasterKey takes the key that Options give, or reads the file. It returns
// an error of fs.ErrNotExist when there is no file.
func readMasterKey(o Options) (*masterKey, error) {
	if !o.MasterKey.IsZero() {
		key, err := parseMasterKey(o.MasterKey.Reveal())
		if err != nil {
			return nil, fmt.Errorf("the given master key %w", err)
		}
		return key, nil
	}
	if err := checkKeyFileMode(o.MasterKeyFile); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(o.MasterKeyFile)
	if err != nil {
		return nil, fmt.Errorf("read master key: %w", err)
	}
	key, err := parseMasterKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("the master key in %s %w", o.MasterKeyFile, err)
	}
	return key, nil
}

func checkKeyFileMode(path string) error {
	stat, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("read master key: %w", err)
	}
	if isOpenToOthers(stat.Mode()) {
		return fmt.Errorf("master key file %s can be used by others (mode %04o): chmod 600 it", path, stat.Mode().Perm())
	}
	return nil
}

// firstMasterKey reads the key for a new database and makes its file when
// there is none.
func firstMasterKey(o Options) (*masterKey, error) {
	key, err := readMasterKey(o)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, asKeyError(err)
	}
	raw := make([]byte, masterKeySize)
	_, _ = rand.Read(raw) // never fails
	err = makeNew(o.MasterKeyFile, []byte(base64.StdEncoding.EncodeToString(raw)+"\n"))
	if errors.Is(err, fs.ErrExist) { // another process was faster
		key, err = readMasterKey(o)
		return key, asKeyError(err)
	}
	if err != nil {
		return nil, &Error{Code: CodeUnavailable, Message: "make master key file " + o.MasterKeyFile, Err: err}
	}
	o.Log.Warn().Str("file", o.MasterKeyFile).Msg("master key made: keep a copy of it apart from the database")
	return newMasterKey(raw)
}

// masterKeyFor reads the key that opens a database whose key check is known.
func masterKeyFor(o Options, check []byte) (*masterKey, error) {
	needed, err := sealedBy(check)
	if err != nil {
		return nil, err
	}
	key, err := readMasterKey(o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, keyError("no master key at %s, and this database needs the one with id %s: put the file back, or give the key as RELAY_MASTER_KEY", o.MasterKeyFile, needed)
	}
	if err != nil {
		return nil, keyError("%s (this database needs the key with id %s)", err, needed)
	}
	if key.id != needed {
		return nil, keyError("master key id %s does not open this database (needs %s)%s", key.id, needed, o.formerAdvice(needed))
	}
	return key, nil
}

// formerAdvice names the file of the key that is needed, where a rotation has
// left it.
func (o Options) formerAdvice(needed keyID) string {
	path := o.formerKeyFile(needed)
	if size, err := fileSize(path); err != nil || size < 0 || !o.MasterKey.IsZero() {
		return ""
	}
	return fmt.Sprintf(": it is of before a rotation, and %s holds the key; give that as --master-key-file", path)
}

func asKeyError(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: CodeWrongKey, Message: err.Error()}
}

func keyError(format string, args ...any) error {
	return &Error{Code: CodeWrongKey, Message: fmt.Sprintf(format, args...)}
}
