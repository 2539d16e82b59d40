package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const usageTemplate = `Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
{{- if .HasExample}}

Examples:
{{.Example}}
{{- end}}
{{- if .HasAvailableSubCommands}}

Commands:
{{- range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}
{{- end}}{{end}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}
`

// helpCommand is relay help: without words the short list, with all every
// command, with a command its help.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [all | COMMAND...]",
		Short: "Explain a command; help all lists every one",
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return root.Help()
			case len(args) == 1 && args[0] == "all":
				_, err := fmt.Fprint(a.Stdout, a.rootHelp(root, a.further...))
				return err
			}
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return knownSubcommand(found, rest)
			}
			return found.Help()
		},
	}
}

// help writes the help of a command; that of relay itself is the short list.
func (a *app) help(c *cobra.Command, _ []string) {
	if !c.HasParent() {
		fmt.Fprint(a.Stdout, a.rootHelp(c))
		fmt.Fprint(a.Stdout, "\nrelay help all lists the other commands, relay COMMAND --help explains one.\n")
		return
	}
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	fmt.Fprintf(a.Stdout, "%s\n\n%s", about, c.UsageString())
}

func (a *app) rootHelp(root *cobra.Command, more ...*cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\nUsage: relay COMMAND [flags]\n\nCommands:\n", root.Short)
	listCommands(&b, a.frequent)
	if len(more) > 0 {
		b.WriteString("\nMore commands:\n")
		listCommands(&b, more)
	}
	fmt.Fprintf(&b, "\nFlags of every command:\n%s", root.PersistentFlags().FlagUsages())
	return b.String()
}

func listCommands(b *strings.Builder, commands []*cobra.Command) {
	for _, c := range commands {
		fmt.Fprintf(b, "  %-12s%s\n", c.Name(), c.Short)
	}
}

// completionCommand writes what a shell needs to complete command lines.
func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     "Write the completion script for a shell",
		Example:   "  source <(relay completion bash)",
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      exactly("SHELL"),
		RunE: func(c *cobra.Command, args []string) error {
			switch root := c.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.Stdout)
			}
			return usagef("no completion for %q; there is one for bash, zsh, fish and powershell", args[0])
		},
	}
}
