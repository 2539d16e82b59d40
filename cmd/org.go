package cmd

import "github.com/spf13/cobra"

func (a *app) orgCommand() *cobra.Command { return a.levelCommand(organizationLevel()) }
