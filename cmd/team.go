package cmd

import "github.com/spf13/cobra"

func (a *app) teamCommand() *cobra.Command { return a.levelCommand(teamLevel()) }
