package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/store"
)

// group makes a command that only holds others: alone it prints its help, and
// a word that it does not know is an error with a near name.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  knownSubcommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(subcommands...)
	return c
}

func knownSubcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := []string{}
	for _, sub := range c.Commands() {
		names = append(append(names, sub.Name()), sub.Aliases...)
	}
	if near := store.Nearest(args[0], names); near != "" {
		return usagef("there is no command %q; did you mean %q?", c.CommandPath()+" "+args[0], c.CommandPath()+" "+near)
	}
	return usagef("there is no command %q; %q lists what there is", c.CommandPath()+" "+args[0], helpOf(c))
}

func helpOf(c *cobra.Command) string {
	if !c.HasParent() {
		return "relay help all"
	}
	return c.CommandPath() + " --help"
}

// flagError names the flag that was meant, or the command when that is what
// is unknown.
func flagError(c *cobra.Command, err error) error {
	if c.HasSubCommands() && c.Flags().NArg() > 0 {
		return knownSubcommand(c, c.Flags().Args())
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return usagef("%v", err)
	}
	names := []string{}
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := store.Nearest(missing.GetSpecifiedName(), names); near != "" {
		return usagef("%v; did you mean --%s?", err, near)
	}
	return usagef("%v; %q lists the flags", err, c.CommandPath()+" --help")
}

// usageError is a command line that cannot be run.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}
