package cmd

import "github.com/spf13/cobra"

func (a *app) serviceAccountCommand() *cobra.Command { return a.levelCommand(serviceAccountLevel()) }
