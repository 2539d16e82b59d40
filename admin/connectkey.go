package admin

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"relay/store"
)

func (d *connection) chooseAccount(c *store.Catalog, in *ConnectRequest) error {
	if in.Account == "" {
		return nil
	}
	known, err := find(c, store.KindHostAccount, in.Account)
	if err != nil {
		d.account = &store.HostAccount{
			Metadata: store.Metadata{Name: in.Account},
			Spec:     store.HostAccountSpec{HostID: d.host.Metadata.Name},
		}
		return nil
	}
	d.account = known.(*store.HostAccount)
	if d.account.Spec.HostID != d.host.Metadata.ID {
		return unprocessable(store.Problem{Field: "account", Message: "names an account at another host: choose another name"})
	}
	return nil
}

// chooseKey finds the host key that has the very value already, or drafts one.
func (d *connection) chooseKey(c *store.Catalog, in *ConnectRequest) error {
	source, given := in.source()
	if d.host.Spec.Auth == "none" {
		if given {
			return unprocessable(store.Problem{Field: "auth", Message: "is none for this host, so that it takes no key"})
		}
		return nil
	}
	if !given {
		return invalid(store.Problem{Field: "value", Message: "must be given, or env, or file: host " + d.host.Metadata.Name + " takes a key"})
	}
	for key := range c.HostKeys.All() {
		if key.Spec.HostID == d.host.Metadata.ID && holds(key, source, in.Value) {
			return d.reuse(key, in.Value)
		}
	}
	taken := func(name string) bool { return c.HostKeys.ByName(name) != nil }
	d.key = &store.HostKey{
		Metadata: store.Metadata{Name: store.NameFrom(d.host.Metadata.Name, taken)},
		Spec:     store.HostKeySpec{HostID: d.host.Metadata.Name, Source: source, Value: in.Value},
	}
	return nil
}

func (in *ConnectRequest) source() (source store.KeySource, given bool) {
	switch {
	case in.Env != "":
		return store.KeySource{Kind: "env", Env: in.Env}, true
	case in.File != "":
		return store.KeySource{Kind: "file", Path: in.File}, true
	}
	return store.KeySource{Kind: "stored"}, !in.Value.IsZero()
}

// holds reports whether the key has the value, or takes it from the same place.
func holds(key *store.HostKey, source store.KeySource, value store.Secret) bool {
	if key.Spec.Source != source {
		return false
	}
	if source.Kind != "stored" {
		return true
	}
	sum := sha256.Sum256([]byte(value.Reveal()))
	return key.Spec.ValueHash != "" && strings.HasPrefix(hex.EncodeToString(sum[:]), key.Spec.ValueHash)
}

func (d *connection) reuse(key *store.HostKey, value store.Secret) error {
	same, err := copyOf(key)
	if err != nil {
		return err
	}
	same.Spec.Enabled, same.Spec.Value = nil, value
	d.key = same
	d.note("host key " + key.Metadata.Name + " is already there with this value")
	return nil
}
