package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"relay/store"
)

// Environment looks a variable up, as os.LookupEnv does. A variable that is
// set to nothing counts as unset.
type Environment func(name string) (string, bool)

func (env Environment) get(name string) string {
	value, _ := env(name)
	return value
}

// with returns the environment with one variable changed; empty unsets it.
func (env Environment) with(name, value string) Environment {
	return func(asked string) (string, bool) {
		if asked == name {
			return value, value != ""
		}
		return env(asked)
	}
}

// secret reads a secret from a variable.
func (env Environment) secret(name string) store.Secret {
	return store.NewSecret(strings.TrimSpace(env.get(name)))
}

// secretOrFile reads a secret from a variable or from the file that the
// variable with _FILE names.
func (env Environment) secretOrFile(name string) (store.Secret, error) {
	direct, path := env.secret(name), env.get(name+"_FILE")
	if path == "" {
		return direct, nil
	}
	if !direct.IsZero() {
		return store.Secret{}, faultf("%s and %s_FILE are both set: keep one", name, name)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return store.Secret{}, faultf("read %s_FILE: %v", name, err)
	}
	return store.NewSecret(strings.TrimSpace(string(text))), nil
}

// secretAside reads a secret from the file that the variable with _FILE names,
// if there is one; else it is what was given elsewhere.
func (env Environment) secretAside(name string, given store.Secret) (store.Secret, error) {
	if env.get(name+"_FILE") == "" {
		return given, nil
	}
	if !given.IsZero() {
		return store.Secret{}, faultf("%s_FILE is set, and the secret is given elsewhere as well: keep one", name)
	}
	return env.with(name, "").secretOrFile(name)
}

// home returns the user's home directory, or "".
func (env Environment) home() string {
	if home := env.get("HOME"); home != "" {
		return home
	}
	return env.get("USERPROFILE")
}

// dataHome returns the directory under which programs keep their data.
func (env Environment) dataHome() (string, error) {
	if dir := env.get("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if home := env.home(); home != "" {
		return filepath.Join(home, ".local", "share"), nil
	}
	return "", faultf("no data directory: neither XDG_DATA_HOME nor HOME is set; set RELAY_DATA_DIR or use --data-dir")
}

// configHome returns the directory under which programs keep their
// configuration, or "".
func (env Environment) configHome() string {
	if dir := env.get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home := env.home(); home != "" {
		return filepath.Join(home, ".config")
	}
	return ""
}

// expandHome puts the home directory in the place of a leading "~".
func (env Environment) expandHome(path string) string {
	rest, found := strings.CutPrefix(path, "~/")
	if home := env.home(); found && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}

// settings are the values of one source by key.
type settings map[string]setting

// setting is a text, or the texts of a list, and where it was written.
type setting struct {
	value  any
	origin string
}

// written returns the keys that the source gives. An empty text says nothing.
func (s settings) written() map[string]bool {
	keys := make(map[string]bool, len(s))
	for key, one := range s {
		if one.value != "" {
			keys[key] = true
		}
	}
	return keys
}

// nested returns the values as the sections of a file.
func (s settings) nested() map[string]any {
	root := map[string]any{}
	for key, one := range s {
		section := root
		path := strings.Split(key, ".")
		for _, name := range path[:len(path)-1] {
			if section[name] == nil {
				section[name] = map[string]any{}
			}
			section = section[name].(map[string]any)
		}
		section[path[len(path)-1]] = one.value
	}
	return root
}

// add takes a value that parses, or returns what is wrong with it.
func (s settings) add(leaf configLeaf, text, origin string) []string {
	if _, err := leaf.parse(text); err != nil {
		return []string{fmt.Sprintf("%s: %v (%s)", leaf.key, err, origin)}
	}
	s[leaf.key] = setting{text, origin}
	return nil
}

func readConfigEnv(leaves []configLeaf, env Environment) (found settings, faults []string) {
	found = settings{}
	for _, leaf := range leaves {
		if text := env.get(leaf.env()); text != "" {
			faults = append(faults, found.add(leaf, text, leaf.env())...)
		}
	}
	return found, faults
}

func readConfigFlags(leaves []configLeaf, flags map[string]string) (found settings, faults []string) {
	found = settings{}
	for _, leaf := range leaves {
		if text, set := flags[leaf.key]; set {
			faults = append(faults, found.add(leaf, text, "--"+leaf.flag())...)
		}
	}
	return found, faults
}

// configError lists what is wrong with the configuration.
type configError struct{ faults []string }

func (e *configError) Error() string {
	return strings.Join(slices.Compact(e.faults), "\n")
}

func faultf(format string, args ...any) error {
	return &configError{[]string{fmt.Sprintf(format, args...)}}
}
