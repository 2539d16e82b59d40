package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// exactly takes one argument for each name.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usagef("%s: %s is missing; %q explains", c.CommandPath(), names[len(args)], c.CommandPath()+" --help")
		case len(args) > len(names):
			return usagef("%s: %q is too much; it takes %s", c.CommandPath(), args[len(names)], plainly(names))
		}
		return nil
	}
}

// noArgs takes nothing but flags.
func noArgs(c *cobra.Command, args []string) error { return exactly()(c, args) }

func plainly(names []string) string {
	if len(names) == 0 {
		return "no arguments"
	}
	return fmt.Sprintf("only %s", strings.Join(names, " "))
}
