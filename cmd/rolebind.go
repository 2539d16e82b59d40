package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/admin"
	"relay/store"
)

func roleBindingNoun() noun {
	return noun{kind: store.KindRoleBinding, word: "role binding", command: "role bindings", list: roleBindingTable}
}

// subjectFlags name who has a role, and where.
type subjectFlags struct {
	users, groups, accounts []string
	scope                   string
}

func (f *subjectFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.users, "user", nil, "a `USER`; repeatable")
	flags.StringSliceVar(&f.groups, "group", nil, "a `GROUP`, or system:authenticated; repeatable")
	flags.StringSliceVar(&f.accounts, "service-account", nil, "a `SERVICE-ACCOUNT`; repeatable")
	scopeFlag(flags, &f.scope, "role holds")
}

func scopeFlag(flags *pflag.FlagSet, scope *string, hold string) {
	flags.StringVar(scope, "scope", "system", "`SCOPE` that the "+hold+" for: system, organization:NAME, team:NAME or project:NAME")
}

// named are the names and ids that the flags give of a kind.
func (f *subjectFlags) named(kind store.Kind) []string {
	switch kind {
	case store.KindUser:
		return f.users
	case store.KindGroup:
		return f.groups
	case store.KindServiceAccount:
		return f.accounts
	}
	return nil
}

func (f *subjectFlags) subjects() ([]any, error) {
	var all []any
	for _, kind := range []store.Kind{store.KindUser, store.KindGroup, store.KindServiceAccount} {
		for _, name := range f.named(kind) {
			all = append(all, map[string]any{"kind": kind, "id": name})
		}
	}
	if len(all) == 0 {
		return nil, usagef("who? give --user, --group or --service-account")
	}
	return all, nil
}

// parseScope reads system, or KIND:NAME.
func parseScope(text string) (map[string]any, error) {
	kind, name, named := strings.Cut(text, ":")
	switch {
	case text == string(store.KindSystem):
		return map[string]any{"kind": kind}, nil
	case named && name != "" && slices.Contains([]string{"organization", "team", "project"}, kind):
		return map[string]any{"kind": kind, "id": name}, nil
	}
	return nil, usagef("--scope %s: write system, organization:NAME, team:NAME or project:NAME", text)
}

func scopeInWords(scope map[string]any) string {
	if scope["id"] == nil {
		return "the whole system"
	}
	return fmt.Sprintf("%s %s", scope["kind"], scope["id"])
}

func (a *app) roleBindCommand() *cobra.Command {
	var flags subjectFlags
	c := &cobra.Command{
		Use: "bind ROLE", Short: "Give a role to users, groups or service accounts", Args: exactly("ROLE"),
		Example: "  relay role bind developer --group researchers --scope project:chatbot\n  relay role bind admin --user maria",
	}
	flags.register(c.Flags())
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		subjects, err := flags.subjects()
		if err != nil {
			return err
		}
		scope, err := parseScope(flags.scope)
		if err != nil {
			return err
		}
		spec := map[string]any{"roleId": args[0], "scope": scope, "subjects": subjects}
		made, err := (&creation{session: s}).create(ctx, store.KindRoleBinding, map[string]any{}, spec)
		if err != nil {
			return err
		}
		return a.tellRoleBinding(ctx, s, made.Body)
	})
	return c
}

func (a *app) roleUnbindCommand() *cobra.Command {
	var flags subjectFlags
	c := &cobra.Command{
		Use: "unbind ROLE", Short: "Take a role from users, groups or service accounts", Args: exactly("ROLE"),
		Example: "  relay role unbind developer --group researchers --scope project:chatbot",
	}
	flags.register(c.Flags())
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		if _, err := flags.subjects(); err != nil {
			return err
		}
		if _, err := parseScope(flags.scope); err != nil {
			return err
		}
		taken, err := flags.takeFrom(ctx, s, args[0])
		if err != nil {
			return err
		}
		if taken == 0 {
			return &store.Error{Code: store.CodeNotFound, Message: "none of them has role " + args[0] + " there; relay role bindings lists who has which role"}
		}
		a.note("Role %s is taken from %s.", args[0], counted(taken, "subject"))
		return nil
	})
	return c
}

// takeFrom takes the subjects out of the bindings of the role at the scope, and
// counts them. A binding of nobody else goes.
func (f *subjectFlags) takeFrom(ctx context.Context, s *session, role string) (taken int, err error) {
	rows, err := listRows(ctx, s, store.KindRoleBinding, admin.ListQuery{})
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		b, err := decodeRow[roleBindingRow](row)
		if err != nil {
			return taken, err
		}
		if b.Spec.RoleName != role && b.Spec.RoleID != role || !b.Spec.Scope.is(f.scope) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(b.Spec.Subjects), f.names)
		taken += len(b.Spec.Subjects) - len(left)
		if err := b.keep(ctx, s, left); err != nil {
			return taken, err
		}
	}
	return taken, nil
}

func (b roleBindingRow) keep(ctx context.Context, s *session, left []namedRef) error {
	switch len(left) {
	case len(b.Spec.Subjects):
		return nil
	case 0:
		return s.Delete(ctx, store.KindRoleBinding, b.Metadata.ID, false)
	}
	subjects := make([]any, len(left))
	for i, one := range left {
		subjects[i] = map[string]any{"kind": one.Kind, "id": one.ID}
	}
	_, err := s.Patch(ctx, store.KindRoleBinding, b.Metadata.ID, "", map[string]any{"spec": map[string]any{"subjects": subjects}})
	return err
}

// names reports whether the flags name the subject.
func (f *subjectFlags) names(subject namedRef) bool {
	given := f.named(subject.Kind)
	return slices.Contains(given, subject.Name) || slices.Contains(given, subject.ID)
}

func (a *app) roleBindingsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "bindings", Short: "List who has which role", Args: noArgs,
		RunE: a.online(func(ctx context.Context, s *session, _ []string) error {
			rows, err := listRows(ctx, s, store.KindRoleBinding, admin.ListQuery{})
			if err != nil {
				return err
			}
			t, err := roleBindingTable(ctx, s, rows)
			if err != nil {
				return err
			}
			return a.showRows(rows, t)
		}),
	}
}

// namedRef is a reference as the API shows it.
type namedRef struct {
	Kind store.Kind `json:"kind"`
	ID   string     `json:"id"`
	Name string     `json:"name"`
}

func (r namedRef) String() string {
	if name := cmp.Or(r.Name, r.ID); name != "" {
		return string(r.Kind) + ":" + name
	}
	return string(r.Kind)
}

// is reports whether the reference is the one that was written, with a name or
// an id.
func (r namedRef) is(text string) bool {
	return text == r.String() || text == string(r.Kind)+":"+r.ID
}

// roleBindingRow is a role binding as the API shows it.
type roleBindingRow struct {
	envelope
	Spec struct {
		RoleID   string     `json:"roleId"`
		RoleName string     `json:"roleName"`
		Scope    namedRef   `json:"scope"`
		Subjects []namedRef `json:"subjects"`
	} `json:"spec"`
}

func (b roleBindingRow) subjects() string {
	names := make([]string, len(b.Spec.Subjects))
	for i, subject := range b.Spec.Subjects {
		names[i] = subject.String()
	}
	return strings.Join(names, ", ")
}

func (a *app) tellRoleBinding(ctx context.Context, s *session, row json.RawMessage) error {
	return a.tell(ctx, s, roleBindingNoun(), row, func() (string, error) {
		b, err := decodeRow[roleBindingRow](row)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("Role %s in %s: %s.", b.Spec.RoleName, b.Spec.Scope, b.subjects()), nil
	})
}

func roleBindingTable(_ context.Context, _ *session, rows []json.RawMessage) (table, error) {
	bindings, err := decodeRows[roleBindingRow](rows)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("role"), left("scope"), left("subjects")}}
	for _, b := range bindings {
		t.rows = append(t.rows, []string{b.Metadata.Name, b.Spec.RoleName, b.Spec.Scope.String(), b.subjects()})
	}
	return t, nil
}

// subjectRoles are role bindings by subject.
type subjectRoles map[string][]string

func rolesBySubject(ctx context.Context, s *session) (subjectRoles, error) {
	rows, err := listRows(ctx, s, store.KindRoleBinding, admin.ListQuery{})
	if err != nil {
		return nil, err
	}
	bindings, err := decodeRows[roleBindingRow](rows)
	if err != nil {
		return nil, err
	}
	roles := subjectRoles{}
	for _, b := range bindings {
		text := b.Spec.RoleName
		if b.Spec.Scope.Kind != store.KindSystem {
			text += " in " + b.Spec.Scope.String()
		}
		for _, subject := range b.Spec.Subjects {
			key := string(subject.Kind) + ":" + subject.ID
			roles[key] = append(roles[key], text)
		}
	}
	return roles, nil
}

func (r subjectRoles) of(kind store.Kind, id string) string {
	return strings.Join(r[string(kind)+":"+id], ", ")
}
