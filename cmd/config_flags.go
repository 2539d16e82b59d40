package cmd

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/store"
)

// addConfigFlags gives a command a flag for every key of the configuration.
func addConfigFlags(c *cobra.Command) {
	for _, leaf := range configLeaves() {
		if _, secret := leaf.value.(store.Secret); !secret && leaf.key != "data_dir" { // others can read arguments
			c.Flags().String(leaf.flag(), "", strings.TrimSuffix(leaf.doc, "."))
		}
	}
}

// configFlagTexts returns the texts of the flags that were given, by key.
func configFlagTexts(flags *pflag.FlagSet) map[string]string {
	texts := map[string]string{}
	for _, leaf := range configLeaves() {
		if f := flags.Lookup(leaf.flag()); f != nil && f.Changed {
			texts[leaf.key] = f.Value.String()
		}
	}
	return texts
}
