package cmd

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// addYes gives a destructive command the flag that skips its question.
func addYes(c *cobra.Command) *bool {
	return c.Flags().BoolP("yes", "y", false, "do not ask")
}

// confirm asks on the terminal whether to do what the words say, such as
// "delete key x"; without a terminal the command needs --yes.
func (a *app) confirm(ctx context.Context, yes bool, format string, args ...any) error {
	if yes {
		return nil
	}
	deed := fmt.Sprintf(format, args...)
	terminal, ok := a.terminal()
	if !ok {
		return usagef("this would %s; repeat it with --yes", deed)
	}
	fmt.Fprintf(a.Stderr, "This will %s. Go on? [y/N] ", deed)
	answer, err := typed(ctx, terminal, func() (string, error) { return bufio.NewReader(terminal).ReadString('\n') })
	if err != nil && answer == "" {
		fmt.Fprintln(a.Stderr)
		return fmt.Errorf("read answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	a.note("Nothing was changed.")
	return outcome(exitFailed)
}

// askSecret asks on the terminal without showing what is typed.
func (a *app) askSecret(ctx context.Context, what string) (string, error) {
	terminal, ok := a.terminal()
	if !ok {
		return "", usagef("no %s: give --value -, --value-file, --value-env, --from-env or --from-file", what)
	}
	fmt.Fprintf(a.Stderr, "%s: ", strings.ToUpper(what[:1])+what[1:])
	text, err := typed(ctx, terminal, func() (string, error) {
		text, err := term.ReadPassword(int(terminal.Fd()))
		return string(text), err
	})
	fmt.Fprintln(a.Stderr)
	if err != nil {
		return "", fmt.Errorf("read key: %w", err)
	}
	return text, nil
}

// askLine asks on the terminal for a line of text, without blanks around it.
func (a *app) askLine(ctx context.Context, question string) (string, error) {
	terminal, ok := a.terminal()
	if !ok {
		return "", usagef("nobody is there to ask for %s", question)
	}
	fmt.Fprintf(a.Stderr, "%s: ", question)
	text, err := typed(ctx, terminal, func() (string, error) { return bufio.NewReader(terminal).ReadString('\n') })
	if err != nil && text == "" {
		fmt.Fprintln(a.Stderr)
		return "", fmt.Errorf("read answer: %w", err)
	}
	return strings.TrimSpace(text), nil
}

// typed waits for what a person types, or for an interrupt, after which the
// terminal shows again what is typed. The read itself cannot be interrupted
// and ends with the process.
func typed(ctx context.Context, terminal *os.File, read func() (string, error)) (string, error) {
	before, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		return "", err
	}
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		text, err := read()
		lines <- line{text, err}
	}()
	select {
	case got := <-lines:
		return got.text, got.err
	case <-ctx.Done():
		_ = term.Restore(int(terminal.Fd()), before) // the command ends either way
		return "", ctx.Err()
	}
}

// terminal returns standard input when a person types there.
func (a *app) terminal() (*os.File, bool) {
	file, isFile := a.Stdin.(*os.File)
	return file, isFile && term.IsTerminal(int(file.Fd()))
}
