package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"

	"relay/store"
)

// minSecret is the least length of the plaintext of a relay key or an admin
// token, in bytes.
const minSecret = 16

// hashMember names the member that keeps the hash of a secret, or "".
func hashMember(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[store.RelayKeySpec]():
		return "keyHash"
	case reflect.TypeFor[store.AdminTokenSpec]():
		return "tokenHash"
	}
	return ""
}

// secret turns the plaintext of a relay key or an admin token, which a variable
// holds, into its hash.
func (b *builder) secret(p pair, path, member string, out map[string]any) {
	at := path + ".source"
	if out[member] != nil {
		b.fault(p.key, at, "must not stand beside %s: keep one of the two", member)
		return
	}
	source := b.object(p.value, reflect.TypeFor[struct {
		Kind string `json:"kind"`
		Env  string `json:"env"`
	}](), at)
	name, _ := source["env"].(string)
	if source["kind"] != "env" || name == "" {
		b.fault(p.key, at, "must be {kind: env, env: NAME}; or give %s", member)
		return
	}
	value, err := variable(name, b.options.LookupEnv)
	switch {
	case err != nil:
		b.fault(p.key, at, "%s", err)
	case len(value) < minSecret:
		b.fault(p.key, at, "needs at least %d characters in the environment variable %s", minSecret, name)
	default:
		sum := sha256.Sum256([]byte(value))
		out[member] = hex.EncodeToString(sum[:])
		b.doc.Lines[path+"."+member] = p.key.Line
	}
}

// password takes the first password of a user from a variable.
func (b *builder) password(p pair, path string, out map[string]any) {
	at := path + ".passwordFrom"
	b.doc.Lines[path+".password"] = p.key.Line
	source := b.object(p.value, reflect.TypeFor[struct {
		Env string `json:"env"`
	}](), at)
	name, _ := source["env"].(string)
	if name == "" {
		b.fault(p.key, at, "must be {env: NAME}")
		return
	}
	value, err := variable(name, b.options.LookupEnv)
	if err != nil {
		b.fault(p.key, at, "%s", err)
		return
	}
	out["password"] = value
}
