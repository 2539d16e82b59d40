package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"relay/store"
)

// maxSecret bounds what is read as a secret.
const maxSecret = 64 << 10

// secretFlags say where a provider key comes from. The value itself is never
// an argument: other users of the machine can read those.
type secretFlags struct {
	value     string // "-" for stdin
	valueFile string
	valueEnv  string // the value is stored
	fromEnv   string // only the name is stored
	fromFile  string // only the path is stored
}

func (s *secretFlags) register(flags *pflag.FlagSet) {
	s.registerValue(flags)
	flags.StringVar(&s.fromEnv, "from-env", "", "store only the `VARIABLE`'s name: the server reads its own environment")
	flags.StringVar(&s.fromFile, "from-file", "", "store only the `PATH`: the server reads the file, also when it changes")
}

// registerValue adds the flags that give the value itself.
func (s *secretFlags) registerValue(flags *pflag.FlagSet) {
	flags.StringVar(&s.value, "value", "", "only `-`: read the key from standard input and store it")
	flags.StringVar(&s.valueFile, "value-file", "", "read the key from this `FILE` and store it")
	flags.StringVar(&s.valueEnv, "value-env", "", "read the key from this environment `VARIABLE` and store it")
}

// count returns how many of the flags are given.
func (s *secretFlags) count() int {
	n := 0
	for _, given := range []string{s.value, s.valueFile, s.valueEnv, s.fromEnv, s.fromFile} {
		if given != "" {
			n++
		}
	}
	return n
}

func (s *secretFlags) check() error {
	if s.count() > 1 {
		return usagef("give only one of --value, --value-file, --value-env, --from-env, --from-file")
	}
	if s.value != "" && s.value != "-" {
		return usagef("--value takes only -, for standard input: other users can read arguments; or use --value-env or --value-file")
	}
	return nil
}

// keySource is a provider key as it is handed to the server: a value to seal,
// or where the server finds it.
type keySource struct {
	value store.Secret
	env   string
	file  string
}

// keySource reads the provider key that the flags name; without any flag it is
// asked for on a terminal.
func (a *app) keySource(ctx context.Context, s *secretFlags, what string) (keySource, error) {
	switch {
	case s.fromEnv != "":
		return keySource{env: s.fromEnv}, nil
	case s.fromFile != "":
		return keySource{file: s.fromFile}, nil
	}
	text, err := a.secretText(ctx, s, what)
	if err != nil {
		return keySource{}, err
	}
	if text = strings.TrimSpace(text); text == "" {
		return keySource{}, usagef("the %s is empty", what)
	}
	return keySource{value: store.NewSecret(text)}, nil
}

func (a *app) secretText(ctx context.Context, s *secretFlags, what string) (string, error) {
	switch {
	case s.valueEnv != "":
		text := a.Env.get(s.valueEnv)
		if text == "" {
			return "", usagef("--value-env %s: the variable is not set", s.valueEnv)
		}
		return text, nil
	case s.valueFile != "":
		file, err := os.Open(s.valueFile)
		if err != nil {
			return "", usagef("--value-file: %v", err)
		}
		defer file.Close()
		return readSecret(file)
	case s.value == "-":
		return readSecret(a.Stdin)
	}
	return a.askSecret(ctx, what)
}

func readSecret(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("read key: %w", err)
	}
	if len(text) > maxSecret {
		return "", usagef("what was given as a key is larger than 64 KiB")
	}
	return string(text), nil
}
