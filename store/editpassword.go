package store

import "errors"

// passwordField is where the hash of a user's password is sealed.
const passwordField = "password"

// errPlainPassword is a mistake of the program: a password is hashed before a
// write begins, since that takes long, and never reaches the disk.
var errPlainPassword = errors.New("a password must be hashed before it is written")

// SetPassword gives the user with the id another password, and revokes the
// inference tokens that were made under the former one. It fails with
// CodeNotFound.
func (e *Edit) SetPassword(id string, hash PasswordHash) error {
	user := e.next.Users.Get(id)
	if user == nil {
		return notFound(KindUser, id)
	}
	changed := *user
	if changed.Spec.HasPassword {
		changed.Spec.TokenVersion++
	}
	changed.Spec.HasPassword = true
	if err := e.Put(&changed); err != nil {
		return err
	}
	e.Seal(KindUser, id, passwordField, NewSecret(hash.text))
	return nil
}

// PasswordHash returns what is kept of the user's password; the zero hash, which
// matches nothing, when there is none.
func (db *DB) PasswordHash(user *User) (PasswordHash, error) {
	sealed, err := db.Unseal(KindUser, user.Metadata.ID, passwordField)
	if CodeOf(err) == CodeNotFound {
		return PasswordHash{}, nil
	}
	return PasswordHash{sealed.Reveal()}, err
}
