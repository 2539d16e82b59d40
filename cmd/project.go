package cmd

import "github.com/spf13/cobra"

func (a *app) projectCommand() *cobra.Command { return a.levelCommand(projectLevel()) }
