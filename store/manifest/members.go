package manifest

import (
	"reflect"
	"strings"

	"relay/store"
)

// member is one member of a record type, under its two names.
type member struct {
	name     string // in manifests: rateLimit
	json     string // in the API: rateLimitId
	index    int
	field    reflect.StructField
	ref      string
	omitZero bool
	hidden   string // why manifests do not have it, or ""
}

// membersOf lists the members of a struct type in the order of its fields.
func membersOf(t reflect.Type) []member {
	members := make([]member, 0, t.NumField())
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" || name == "" {
			continue
		}
		m := member{
			name: name, json: name, index: i, field: field, ref: field.Tag.Get("ref"),
			omitZero: strings.Contains(options, "omit"), hidden: hidden(t, field),
		}
		if m.ref != "" {
			m.name = manifestName(name)
		}
		members = append(members, m)
	}
	return members
}

// manifestName takes the Id from the name of a member that refers to records.
func manifestName(name string) string {
	if plural, found := strings.CutSuffix(name, "Ids"); found {
		return plural + "s"
	}
	return strings.TrimSuffix(name, "Id")
}

// hidden says why a member has no place in a manifest. What describes the secret
// behind the hash of a relay key or an admin token is read-only to callers of the
// API and still goes with the hash, so that what is revoked stays revoked where
// it is applied.
func hidden(t reflect.Type, field reflect.StructField) string {
	switch {
	case field.Tag.Get("readOnly") != "" && hashMember(t) == "":
		return setByServer
	case field.Tag.Get("writeOnly") != "" && t == reflect.TypeFor[store.UserSpec]():
		return noPasswords
	case field.Tag.Get("writeOnly") != "" && t == reflect.TypeFor[store.SettingSpec]():
		return noSecrets
	case field.Tag.Get("writeOnly") != "":
		return noValues
	}
	return ""
}

const setByServer = "is set by the server: leave it out"

const noPasswords = "has no place in a manifest: set passwordFrom to {env: NAME}"

const noSecrets = "has no place in a manifest: set it through the API"

const noValues = "has no place in a manifest: set source to {kind: env, env: NAME} or {kind: file, path: PATH}"

func namesOf(members []member) []string {
	names := make([]string, 0, len(members))
	for _, m := range members {
		if m.hidden == "" {
			names = append(names, m.name)
		}
	}
	return names
}

func manifestKinds() []string {
	kinds := make([]string, 0, len(store.Kinds()))
	for _, kind := range store.Kinds() {
		kinds = append(kinds, kind.ManifestKind())
	}
	return kinds
}
