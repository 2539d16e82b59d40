package store

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
)

// A sealed value is a header (format version, id of the master key), a nonce
// and the AES-256-GCM ciphertext. Its additional data hold the header and the
// place it belongs to, so that a value moved elsewhere does not open.
const (
	sealVersion = 1
	sealHeader  = 1 + len(keyID{})
)

// place is where a sealed value belongs.
type place struct {
	installation string
	kind         Kind
	id           string // of the record
	field        string
}

// data returns the additional data: every part behind its length.
func (p place) data(header []byte) []byte {
	data := bytes.Clone(header)
	for _, part := range []string{p.installation, string(p.kind), p.id, p.field} {
		data = binary.AppendUvarint(data, uint64(len(part)))
		data = append(data, part...)
	}
	return data
}

func (k *masterKey) seal(at place, plain []byte) []byte {
	sealed := append([]byte{sealVersion}, k.id[:]...)
	data := at.data(sealed)
	nonce := make([]byte, k.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return k.aead.Seal(append(sealed, nonce...), nonce, plain, data)
}

func (k *masterKey) open(at place, sealed []byte) ([]byte, error) {
	id, err := sealedBy(sealed)
	if err != nil {
		return nil, err
	}
	if k.also != nil && id == k.also.id {
		return k.also.open(at, sealed)
	}
	if id != k.id {
		return nil, fmt.Errorf("it is sealed with master key id %s, not %s", id, k.id)
	}
	header, rest := sealed[:sealHeader], sealed[sealHeader:]
	if len(rest) < k.aead.NonceSize() {
		return nil, errors.New("the sealed value is cut short")
	}
	nonce, box := rest[:k.aead.NonceSize()], rest[k.aead.NonceSize():]
	plain, err := k.aead.Open(nil, nonce, box, at.data(header))
	if err != nil {
		return nil, errors.New("the sealed value is damaged or belongs elsewhere")
	}
	return plain, nil
}

// sealedBy returns the id of the key that a value is sealed with.
func sealedBy(sealed []byte) (keyID, error) {
	if len(sealed) < sealHeader {
		return keyID{}, errors.New("the sealed value is cut short")
	}
	if sealed[0] != sealVersion {
		return keyID{}, fmt.Errorf("the sealed value has the unknown format %d", sealed[0])
	}
	return keyID(sealed[1:sealHeader]), nil
}
