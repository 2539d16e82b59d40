package catalogdata

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"relay/store"
)

// EnvKey is an environment variable that usually holds a key of a host.
type EnvKey struct {
	Env  string
	Host string
}

// EnvKeys lists where discovery looks for provider keys, in the order of the
// hosts. Of a host with several variables the first that is set counts. A
// variable belongs to one host; variables that platforms set by themselves are
// not listed.
func (d *Data) EnvKeys() []EnvKey {
	var keys []EnvKey
	for _, h := range d.Hosts {
		for _, env := range h.Keys {
			keys = append(keys, EnvKey{Env: env, Host: h.Name})
		}
	}
	return keys
}

// Placeholders returns the names in braces that a shipped base URL holds, each
// once.
func Placeholders(baseURL string) []string {
	var names []string
	for _, name := range store.BaseURLPlaceholders(baseURL) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// A value goes into the host or a segment of the path, and must not lead out of
// there: the key would go elsewhere.
var fitting = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// Fill puts values in the place of the placeholders of a shipped base URL. It
// fails for one that has no value, and for values that fit no placeholder.
func Fill(baseURL string, values map[string]string) (string, error) {
	open := Placeholders(baseURL)
	for _, name := range open {
		if !fitting.MatchString(values[name]) {
			return "", fmt.Errorf("%s must be given, as letters, digits and dashes: it goes into %s", name, baseURL)
		}
	}
	for name := range values {
		if !slices.Contains(open, name) {
			return "", fmt.Errorf("%s has no place in %s", name, baseURL)
		}
	}
	return fill(baseURL, func(name string) string { return values[name] }), nil
}

func fill(baseURL string, value func(name string) string) string {
	for _, name := range Placeholders(baseURL) {
		baseURL = strings.ReplaceAll(baseURL, "{"+name+"}", value(name))
	}
	return baseURL
}
