// Package cmd is the process: the command line, the configuration, and the
// wiring of the other packages. Only here are flags, environment variables and
// signals read.
package cmd

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Main runs relay with the arguments after the program's name and returns its
// exit code. The first interrupt asks what runs to stop; the second ends the
// process.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	p := Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.LookupEnv}
	return p.Run(ctx, args)
}

// Program is what a run touches of its process.
type Program struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            Environment
}

// Run runs one command line and returns its exit code.
func (p Program) Run(ctx context.Context, args []string) int {
	a := &app{Program: p}
	root := a.rootCommand()
	root.SetArgs(args)
	return a.exit(ctx, root.ExecuteContext(ctx))
}

// app is one command line that is being run.
type app struct {
	Program
	global globalFlags
	flags  *pflag.FlagSet // of the command that runs

	frequent, further []*cobra.Command // in the order of the help
}

// globalFlags are those that every command takes.
type globalFlags struct {
	output         string
	server         string
	adminTokenFile string
	dataDir        string
	config         string
	quiet          bool
}

func (a *app) rootCommand() *cobra.Command {
	root := group("relay", "One address for every LLM provider, with limits and budgets that hold")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentPreRunE = a.prepare
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(flagError)
	a.global.register(root.PersistentFlags())

	a.frequent, a.further = a.frequentCommands(root), a.furtherCommands()
	root.SetHelpFunc(a.help)
	root.SetUsageTemplate(usageTemplate)
	root.AddCommand(a.frequent...)
	root.AddCommand(a.further...)
	return root
}

// frequentCommands are those of relay --help, in its order.
func (a *app) frequentCommands(root *cobra.Command) []*cobra.Command {
	help := a.helpCommand(root)
	root.SetHelpCommand(help)
	return []*cobra.Command{
		a.serveCommand(), a.demoCommand(), a.setupCommand(), a.statusCommand(), a.connectCommand(), a.keyCommand(), a.usageCommand(), a.explainCommand(), help,
	}
}

// furtherCommands are those that relay help all adds.
func (a *app) furtherCommands() []*cobra.Command {
	return []*cobra.Command{
		a.hostCommand(), a.hostKeyCommand(), a.modelCommand(), a.bindingCommand(), a.pricingCommand(), a.limitCommand(), a.policyCommand(),
		a.orgCommand(), a.teamCommand(), a.projectCommand(), a.serviceAccountCommand(), a.userCommand(), a.userGroupCommand(), a.roleCommand(), a.tokenCommand(),
		a.importCommand(), a.applyCommand(), a.exportCommand(), a.diffCommand(), a.validateCommand(), a.catalogCommand(), a.backupCommand(), a.restoreCommand(), a.dbCommand(), a.masterKeyCommand(), a.configCommand(), a.completionCommand(), a.versionCommand(),
	}
}

func (g *globalFlags) register(flags *pflag.FlagSet) {
	flags.StringVarP(&g.output, "output", "o", "table", "`FORMAT` of answers: "+strings.Join(outputFormats(), ", "))
	flags.StringVar(&g.server, "server", "", "`URL` of the control API of a Relay elsewhere (RELAY_SERVER)")
	flags.StringVar(&g.adminTokenFile, "admin-token-file", "", "`FILE` with the admin token for --server (or RELAY_ADMIN_TOKEN)")
	flags.StringVar(&g.dataDir, "data-dir", "", "data `DIR` (RELAY_DATA_DIR)")
	flags.StringVar(&g.config, "config", "", "configuration `FILE`")
	flags.BoolVarP(&g.quiet, "quiet", "q", false, "no notes on stderr")
}

// prepare checks the global flags before any command runs.
func (a *app) prepare(c *cobra.Command, _ []string) error {
	a.flags = c.Flags()
	if !slices.Contains(outputFormats(), a.global.output) {
		return usagef("-o %s: must be one of %s", a.global.output, strings.Join(outputFormats(), ", "))
	}
	return nil
}

// config loads the configuration with the flags of the running command.
func (a *app) config() (Config, error) {
	cfg, _, err := a.configWithOrigins()
	return cfg, err
}

func (a *app) configWithOrigins() (Config, settings, error) {
	env := a.Env
	if file := a.global.adminTokenFile; file != "" {
		env = env.with("RELAY_ADMIN_TOKEN_FILE", file).with("RELAY_ADMIN_TOKEN", "")
	}
	return loadConfig(a.global.config, configFlagTexts(a.flags), env)
}
