package manifest

import (
	"context"
	"encoding/json"
	"strings"

	"relay/store"
)

// Passwords are hashes of first passwords by username.
type Passwords map[string]store.PasswordHash

// HashPasswords hashes the passwords of the users that the documents would make:
// those that c does not have. It takes long, so it comes before the write that
// applies the documents. What is wrong with a password Apply tells.
func HashPasswords(ctx context.Context, c *store.Catalog, docs []Document, p *store.Passwords) (Passwords, error) {
	hashes := Passwords{}
	for i := range docs {
		password, given := passwordOf(&docs[i])
		if !given || c.Users.ByName(docs[i].Metadata.Name) != nil {
			continue
		}
		hash, err := p.Hash(ctx, password)
		if err != nil {
			return nil, err
		}
		hashes[passwordKey(&docs[i])] = hash
	}
	return hashes, nil
}

func passwordKey(d *Document) string { return strings.ToLower(d.Metadata.Name) }

// passwordOf returns the password of a document that would be taken.
func passwordOf(d *Document) (password store.Secret, given bool) {
	if d.Kind != store.KindUser {
		return store.Secret{}, false
	}
	var spec store.UserSpec
	if json.Unmarshal(d.Spec, &spec) != nil {
		return store.Secret{}, false
	}
	return spec.Password, store.CheckPassword(d.Metadata.Name, spec.Password) == ""
}

// dropPassword takes the password out of a record: its hash is kept elsewhere,
// and an existing user keeps its own.
func dropPassword(rec store.AnyRecord) {
	if user, ok := rec.(*store.User); ok {
		user.Spec.Password = store.Secret{}
	}
}

// withoutPassword is the spec without what nobody may find out by guessing
// against a hash of the document.
func (d *Document) withoutPassword() json.RawMessage {
	var members map[string]json.RawMessage
	if d.Kind != store.KindUser || json.Unmarshal(d.Spec, &members) != nil {
		return d.Spec
	}
	delete(members, "password")
	text, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return text
}
