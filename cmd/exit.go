package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"relay/admin"
	"relay/store"
)

// Exit codes that scripts rely on.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2 // a command line or configuration that cannot be run
	exitNotFound    = 3
	exitRefused     = 4 // validation or permission
	exitConflict    = 5
	exitUnreachable = 6 // no server answers
	exitLimited     = 7 // a limit or budget refused
	exitDamaged     = 65
	exitBusy        = 75
	exitWrongKey    = 78
	exitInterrupted = 130
)

// outcome ends a command with a code and without a message.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

// refusedAs reports whether the control API refused with the code.
func refusedAs(err error, code store.Code) bool {
	var refused *admin.Problem
	return errors.As(err, &refused) && refused.Code == code
}

// exit tells a person why the command failed and returns the exit code.
func (a *app) exit(ctx context.Context, err error) int {
	code := exitCode(err)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		code = exitInterrupted
	}
	var silent outcome
	if err != nil && code != exitInterrupted && !errors.As(err, &silent) {
		fmt.Fprintf(a.Stderr, "relay: %s\n", strings.ReplaceAll(message(err), "\n", "\n  "))
	}
	return code
}

// message puts each of several faults on a line of its own.
func message(err error) string {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		texts := []string{}
		for _, one := range several.Unwrap() {
			texts = append(texts, message(one))
		}
		return strings.Join(texts, "\n")
	}
	text, faults := err.Error(), []store.Problem(nil)
	var refused *admin.Problem
	var fault *store.Error
	switch {
	case errors.As(err, &refused):
		text, faults = refused.Detail, refused.Errors
	case errors.As(err, &fault):
		faults = fault.Problems
	}
	if refusedAs(err, store.CodeConflict) || store.CodeOf(err) == store.CodeConflict {
		return text // it names what is in the way
	}
	lines := make([]string, len(faults))
	for i, one := range faults {
		lines[i] = faultLine(one)
	}
	switch {
	case len(lines) > 1 && (refusedAs(err, store.CodeSharedState) || store.CodeOf(err) == store.CodeSharedState):
		return text + "\n" + strings.Join(lines, "\n") // which tells what to do
	case len(lines) > 1:
		return fmt.Sprintf("%d things are wrong:\n%s", len(lines), strings.Join(lines, "\n"))
	case len(lines) == 1 && !strings.Contains(text, lines[0]):
		return text + "; " + lines[0]
	}
	return text
}

// faultLine writes a fault with the place in a manifest first, which the
// server puts before the message.
func faultLine(p store.Problem) string {
	place := regexp.MustCompile(`^.+?:[0-9]+: `).FindString(p.Message)
	p.Message = strings.TrimPrefix(p.Message, place)
	return place + p.String()
}

// exitCode is the one table from errors to exit codes.
func exitCode(err error) int {
	var (
		silent  outcome
		usage   *usageError
		config  *configError
		refused *admin.Problem
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &silent):
		return int(silent)
	case errors.As(err, &usage), errors.As(err, &config):
		return exitUsage
	case errors.Is(err, admin.ErrUnreachable):
		return exitUnreachable
	case errors.As(err, &refused):
		return exitOfStatus(refused.Status)
	}
	return exitOfStore(store.CodeOf(err))
}

func exitOfStatus(status int) int {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusRequestEntityTooLarge:
		return exitRefused
	case http.StatusNotFound:
		return exitNotFound
	case http.StatusConflict, http.StatusPreconditionFailed:
		return exitConflict
	case http.StatusTooManyRequests:
		return exitLimited
	}
	return exitFailed
}

func exitOfStore(code store.Code) int {
	switch code {
	case store.CodeInvalid, store.CodeUnprocessable, store.CodeSharedState, store.CodeForbidden:
		return exitRefused
	case store.CodeNotFound:
		return exitNotFound
	case store.CodeConflict, store.CodeStale:
		return exitConflict
	case store.CodeBusy:
		return exitBusy
	case store.CodeDamaged:
		return exitDamaged
	case store.CodeWrongKey:
		return exitWrongKey
	}
	return exitFailed
}
