package store

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
)

// valueField is where the value of a host key is sealed.
const valueField = "value"

// secretEdits are the changes of sealed values that an Edit makes.
type secretEdits struct {
	sealed  map[string][]byte // by key of the secrets bucket; nil: the value goes
	dropped []string          // prefixes of keys that go
	opened  []valueRef        // plaintexts remembered for the compiler
}

func (s *secretEdits) drop(ref rowRef) {
	prefix := secretPrefix(ref)
	for key := range s.sealed {
		if strings.HasPrefix(key, prefix) {
			delete(s.sealed, key)
		}
	}
	s.dropped = append(s.dropped, prefix)
}

// secretPrefix begins the keys of all sealed values of a record.
func secretPrefix(ref rowRef) string {
	return string(ref.kind) + "\x00" + ref.id + "\x00"
}

// Seal keeps a secret of a record, sealed, under a field name. An empty secret
// removes it. DB.Unseal reads it back.
func (e *Edit) Seal(kind Kind, id, field string, s Secret) {
	key := secretPrefix(rowRef{kind, id}) + field
	if s.IsZero() {
		e.secrets.sealed[key] = nil
		return
	}
	at := place{e.db.installation, kind, id, field}
	e.secrets.sealed[key] = e.db.masterKey().seal(at, []byte(s.Reveal()))
}

// sealSecrets moves what is secret out of a record that has been validated.
func (e *Edit) sealSecrets(rec, former AnyRecord) error {
	switch rec := rec.(type) {
	case *HostKey:
		e.sealValue(rec, former)
	case *Setting:
		e.sealWebhook(rec, former)
	case *User:
		if !rec.Spec.Password.IsZero() {
			return errPlainPassword
		}
	}
	return nil
}

// webhookField is where the secret of a webhook is sealed.
const webhookField = "secret"

// sealWebhook keeps the former secret when none is given.
func (e *Edit) sealWebhook(rec *Setting, former AnyRecord) {
	secret, ref := rec.Spec.Secret, rowRef{KindSetting, rec.Metadata.ID}
	rec.Spec.Secret = Secret{}
	earlier, _ := former.(*Setting)
	rec.Spec.HasSecret = earlier != nil && earlier.Spec.HasSecret
	if !secret.IsZero() && len(e.faults[ref]) == 0 {
		e.Seal(KindSetting, ref.id, webhookField, secret)
		rec.Spec.HasSecret = true
	}
}

// WebhookSecret returns what signs the calls of the webhook. It fails with
// CodeNotFound when there is none.
func (db *DB) WebhookSecret() (Secret, error) {
	rec := db.Catalog().Settings.ByName(SettingWebhook)
	if rec == nil {
		return Secret{}, &Error{Code: CodeNotFound, Message: "no webhook is set"}
	}
	return db.Unseal(KindSetting, rec.Metadata.ID, webhookField)
}

// keepValue gives a stored host key the hint and hash of the former value; what
// the caller has sent in their place does not count.
func (e *Edit) keepValue(key *HostKey, former AnyRecord) {
	key.Spec.ValueHint, key.Spec.ValueHash = "", ""
	if former, ok := former.(*HostKey); ok && isStored(key) {
		key.Spec.ValueHint, key.Spec.ValueHash = former.Spec.ValueHint, former.Spec.ValueHash
	}
}

// sealValue moves the value of a host key, if there is one, out of the record.
// The value that is there already is not sealed again, so that an unchanged
// record stays unchanged.
func (e *Edit) sealValue(key *HostKey, former AnyRecord) {
	value, ref := key.Spec.Value, rowRef{KindHostKey, key.Metadata.ID}
	key.Spec.Value = Secret{}
	switch {
	case len(e.faults[ref]) > 0:
	case !isStored(key):
		if former, ok := former.(*HostKey); ok && isStored(former) {
			e.Seal(KindHostKey, ref.id, valueField, Secret{})
		}
	case !value.IsZero() && !e.hasValue(former, value):
		e.Seal(KindHostKey, ref.id, valueField, value)
		key.Spec.ValueHint, key.Spec.ValueHash = valueHint(value), valueHash(value)
		opened := valueRef{ref.id, key.Spec.ValueHash}
		e.db.values.remember(opened, value)
		e.secrets.opened = append(e.secrets.opened, opened)
	}
}

func (e *Edit) hasValue(former AnyRecord, value Secret) bool {
	key, ok := former.(*HostKey)
	if !ok || !isStored(key) || key.Spec.ValueHash != valueHash(value) {
		return false
	}
	present, err := e.db.HostKeyValue(key)
	return err == nil && subtle.ConstantTimeCompare([]byte(present.Reveal()), []byte(value.Reveal())) == 1
}

func isStored(key *HostKey) bool { return key.Spec.Source.Kind == "stored" }

// valueHash recognises a value: the first 12 hex digits of its SHA-256.
func valueHash(value Secret) string {
	sum := sha256.Sum256([]byte(value.Reveal()))
	return hex.EncodeToString(sum[:6])
}

// valueHint shows people which value it is, unless it is so short that the
// hint would give much of it away.
func valueHint(value Secret) string {
	text := []rune(value.Reveal())
	if len(text) < 20 {
		return ""
	}
	return string(text[:3]) + "…" + string(text[len(text)-4:])
}
