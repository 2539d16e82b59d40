package store

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// PasswordCost is what one hash takes. The zero value stands for the usual: 64
// MiB and three passes.
type PasswordCost struct {
	MemoryKiB uint32
	Passes    uint32
}

const (
	usualMemoryKiB  = 64 << 10
	usualPasses     = 3
	passwordThreads = 1
	passwordKey     = 32 // bytes
	passwordSalt    = 16 // bytes
	hashesAtOnce    = 2
)

// Passwords hashes passwords with argon2id (RFC 9106), at most two at a time:
// each takes memory, and a flood of sign-ins must not take all. It is safe for
// concurrent use.
type Passwords struct {
	cost  PasswordCost
	slots chan struct{}
	decoy PasswordHash
}

// PasswordHash is what is kept of a password. Only Passwords makes it, so that
// nothing else is ever kept. The zero value matches no password.
type PasswordHash struct{ text string }

// IsZero reports whether there is no hash.
func (h PasswordHash) IsZero() bool { return h.text == "" }

// String hides the hash.
func (h PasswordHash) String() string { return redacted }

// NewPasswords makes a hasher of the cost.
func NewPasswords(cost PasswordCost) *Passwords {
	if cost.MemoryKiB == 0 {
		cost.MemoryKiB = usualMemoryKiB
	}
	if cost.Passes == 0 {
		cost.Passes = usualPasses
	}
	p := &Passwords{cost: cost, slots: make(chan struct{}, hashesAtOnce)}
	p.decoy = p.encode(make([]byte, passwordSalt), make([]byte, passwordKey))
	return p
}

// Hash hashes a password with a salt of its own. It waits for its turn until
// ctx is done.
func (p *Passwords) Hash(ctx context.Context, password Secret) (PasswordHash, error) {
	if err := p.enter(ctx); err != nil {
		return PasswordHash{}, err
	}
	defer p.leave()
	salt := make([]byte, passwordSalt)
	_, _ = rand.Read(salt) // never fails
	key := argon2.IDKey([]byte(password.Reveal()), salt, p.cost.Passes, p.cost.MemoryKiB, passwordThreads, passwordKey)
	return p.encode(salt, key), nil
}

// Matches reports whether the hash is that of the password. Against the zero
// hash it takes as long and answers no, so that the time does not tell whether
// somebody has a password.
func (p *Passwords) Matches(ctx context.Context, hash PasswordHash, password Secret) (bool, error) {
	parsed, ok := parsePasswordHash(hash)
	if !ok {
		parsed, _ = parsePasswordHash(p.decoy)
	}
	if err := p.enter(ctx); err != nil {
		return false, err
	}
	defer p.leave()
	key := argon2.IDKey([]byte(password.Reveal()), parsed.salt, parsed.cost.Passes, parsed.cost.MemoryKiB, passwordThreads, passwordKey)
	return subtle.ConstantTimeCompare(key, parsed.key) == 1 && ok, nil
}

func (p *Passwords) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Passwords) leave() { <-p.slots }

// encode writes a hash as other argon2 programs do.
func (p *Passwords) encode(salt, key []byte) PasswordHash {
	base64 := base64.RawStdEncoding
	return PasswordHash{fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		p.cost.MemoryKiB, p.cost.Passes, passwordThreads, base64.EncodeToString(salt), base64.EncodeToString(key))}
}

type parsedHash struct {
	cost      PasswordCost
	salt, key []byte
}

// parsePasswordHash reads what encode has written.
func parsePasswordHash(hash PasswordHash) (h parsedHash, ok bool) {
	parts := strings.Split(hash.text, "$")
	if len(parts) != 6 {
		return h, false
	}
	_, err := fmt.Sscanf(parts[3], "m=%d,t=%d,", &h.cost.MemoryKiB, &h.cost.Passes)
	if err != nil {
		return h, false
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	h.salt, h.key = salt, key
	return h, saltErr == nil && keyErr == nil && len(key) == passwordKey
}
