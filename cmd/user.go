package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"relay/store"
)

func userNoun() noun {
	return noun{kind: store.KindUser, word: "user", list: userTable, show: userDetails}
}

func (a *app) userCommand() *cobra.Command {
	return group("user", "Keep the people who sign in",
		a.userAddCommand(), a.listCommand(userNoun()), a.showCommand(userNoun()), a.userEditCommand(),
		a.userPasswordCommand(), a.userRevokeCommand(), a.removeCommand(userNoun()))
}

func (a *app) userAddCommand() *cobra.Command {
	var secret secretFlags
	var email, scope string
	var roles []string
	var without bool
	c := &cobra.Command{
		Use:     "add NAME",
		Aliases: []string{"create"},
		Short:   "Make a user, with the roles that it is to have",
		Long: "Makes a user. The password is asked for, or read with one of the value flags; without one\n" +
			"the user can sign in through an identity provider only. With authz: single a user needs the\n" +
			"role admin to be allowed anything.",
		Example: "  relay user add maria --role admin\n  relay user add noor --role developer --scope project:chatbot --value-file noor.password",
		Args:    exactly("NAME"),
	}
	secret.registerValue(c.Flags())
	c.Flags().BoolVar(&without, "no-password", false, "make it without a password")
	c.Flags().StringVar(&email, "email", "", "`ADDRESS` of the user")
	c.Flags().StringSliceVar(&roles, "role", nil, "`ROLE` that it gets; repeatable")
	scopeFlag(c.Flags(), &scope, "roles hold")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec := map[string]any{}
		if email != "" {
			spec["email"] = email
		}
		place, err := parseScope(scope)
		if err != nil {
			return err
		}
		if !without {
			password, err := a.password(ctx, &secret)
			if err != nil {
				return err
			}
			spec["password"] = password.Reveal()
		}
		return a.addUser(ctx, s, args[0], spec, roles, place)
	})
	return c
}

// addUser makes the user and binds its roles, or neither.
func (a *app) addUser(ctx context.Context, s *session, name string, spec map[string]any, roles []string, scope map[string]any) error {
	made := &creation{session: s}
	user, err := made.create(ctx, store.KindUser, map[string]any{"name": name}, spec)
	if err != nil {
		return err
	}
	for _, role := range roles {
		binding := map[string]any{"roleId": role, "scope": scope, "subjects": []any{map[string]any{"kind": store.KindUser, "id": made.made[0].id}}}
		if _, err := made.create(ctx, store.KindRoleBinding, map[string]any{}, binding); err != nil {
			return errors.Join(err, made.takeBack(ctx))
		}
	}
	return a.tell(ctx, s, userNoun(), user.Body, func() (string, error) {
		if len(roles) == 0 {
			return fmt.Sprintf("User %s has no role yet: relay role bind ROLE --user %[1]s gives it one.", name), nil
		}
		return fmt.Sprintf("User %s has the role %s in %s.", name, listed(roles), scopeInWords(scope)), nil
	})
}

// password reads a password: once from where the flags say, twice from a
// terminal.
func (a *app) password(ctx context.Context, s *secretFlags) (store.Secret, error) {
	if err := s.check(); err != nil {
		return store.Secret{}, err
	}
	if _, typed := a.terminal(); s.count() == 0 && !typed {
		return store.Secret{}, usagef("no password: give --value -, --value-file or --value-env, or --no-password")
	}
	text, err := a.secretText(ctx, s, "password")
	if err != nil {
		return store.Secret{}, err
	}
	if s.count() > 0 {
		return store.NewSecret(strings.TrimRight(text, "\r\n")), nil
	}
	again, err := a.askSecret(ctx, "password again")
	if err != nil {
		return store.Secret{}, err
	}
	if again != text {
		return store.Secret{}, usagef("the two passwords are not the same")
	}
	return store.NewSecret(text), nil
}

func (a *app) userEditCommand() *cobra.Command {
	var email string
	var disabled bool
	c := &cobra.Command{
		Use: "edit NAME", Short: "Change a user, which signs it out", Args: exactly("NAME"),
		Example: "  relay user edit maria --email maria@example.com\n  relay user edit maria --disabled",
	}
	c.Flags().StringVar(&email, "email", "", "`ADDRESS`, or none")
	c.Flags().BoolVar(&disabled, "disabled", false, "let it in no more; --disabled=false lets it in again")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec := map[string]any{}
		if c.Flags().Changed("email") {
			spec["email"] = textOrNull(email)
		}
		if c.Flags().Changed("disabled") {
			spec["disabled"] = disabled
		}
		row, err := a.change(ctx, s, userNoun(), args[0], spec)
		if err != nil {
			return err
		}
		return a.tell(ctx, s, userNoun(), row, func() (string, error) {
			u, err := decodeRow[*store.User](row)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("User %s: %s.", u.Metadata.Name, userState(u)), nil
		})
	})
	return c
}

func (a *app) userPasswordCommand() *cobra.Command {
	var secret secretFlags
	c := &cobra.Command{
		Use: "password NAME", Aliases: []string{"passwd"}, Short: "Give a user another password, which signs it out", Args: exactly("NAME"),
		Example: "  relay user password maria",
	}
	secret.registerValue(c.Flags())
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		user, err := find(ctx, s, userNoun(), args[0])
		if err != nil {
			return err
		}
		password, err := a.password(ctx, &secret)
		if err != nil {
			return err
		}
		if _, err := s.patchFound(ctx, userNoun(), user, map[string]any{"password": password.Reveal()}); err != nil {
			return err
		}
		a.note("User %s signs in with the new password only; its sessions and inference tokens have ended.", user.Metadata.Name)
		return nil
	})
	return c
}

func (a *app) userRevokeCommand() *cobra.Command {
	c := &cobra.Command{Use: "revoke NAME", Short: "End the sessions and inference tokens of a user", Args: exactly("NAME")}
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		user, err := find(ctx, s, userNoun(), args[0])
		if err != nil {
			return err
		}
		body := map[string]string{"user": user.Metadata.ID}
		if _, err := s.Do(ctx, http.MethodPost, "/api/auth/token/revoke", nil, body); err != nil {
			return err
		}
		a.note("User %s is signed out, and its inference tokens are refused.", user.Metadata.Name)
		return nil
	})
	return c
}

func userState(u *store.User) string {
	switch {
	case u.Spec.Disabled:
		return "disabled"
	case u.Spec.HasPassword:
		return "signs in with a password"
	case u.Spec.Identity != nil:
		return "signs in at " + u.Spec.Identity.Issuer
	}
	return "has no password"
}

func userTable(ctx context.Context, s *session, rows []json.RawMessage) (table, error) {
	users, err := decodeRows[*store.User](rows)
	if err != nil {
		return table{}, err
	}
	roles, err := rolesBySubject(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("email"), left("state"), left("roles of its own")}}
	for _, u := range users {
		t.rows = append(t.rows, []string{u.Metadata.Name, cmp.Or(u.Spec.Email, "-"), userState(u), cmp.Or(roles.of(store.KindUser, u.Metadata.ID), "-")})
	}
	return t, nil
}

func userDetails(ctx context.Context, s *session, row json.RawMessage) (table, error) {
	u, err := decodeRow[*store.User](row)
	if err != nil {
		return table{}, err
	}
	roles, err := rolesBySubject(ctx, s)
	if err != nil {
		return table{}, err
	}
	return details(
		[]string{"name", u.Metadata.Name},
		[]string{"id", u.Metadata.ID},
		[]string{"email", u.Spec.Email},
		[]string{"state", userState(u)},
		[]string{"roles of its own", cmp.Or(roles.of(store.KindUser, u.Metadata.ID), "none")},
		[]string{"groups by its provider", strings.Join(u.Spec.Groups, ", ")},
		[]string{"created", localTime(u.Metadata.CreatedAt)},
	), nil
}
