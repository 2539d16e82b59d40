package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"relay/store"
)

func roleNoun() noun {
	return noun{kind: store.KindRole, word: "role", list: roleTable, show: roleDetails}
}

func (a *app) roleCommand() *cobra.Command {
	return group("role", "Say who may do what (authz: rbac)",
		a.roleAddCommand(), a.listCommand(roleNoun()), a.showCommand(roleNoun()), a.roleEditCommand(),
		a.roleBindCommand(), a.roleUnbindCommand(), a.roleBindingsCommand(), a.removeCommand(roleNoun()))
}

const ruleFlag = "`KINDS:VERBS`, such as rate-limits,policies:get,list,update, or *:get,list; repeatable"

func (a *app) roleAddCommand() *cobra.Command {
	var rules []string
	c := &cobra.Command{
		Use: "add NAME", Aliases: []string{"create"}, Short: "Make a role", Args: exactly("NAME"),
		Example: "  relay role add limit-editor --rule rate-limits,policies:get,list,update --rule usage:read",
	}
	c.Flags().StringArrayVar(&rules, "rule", nil, ruleFlag)
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		parsed, err := parseRules(rules)
		if err != nil {
			return err
		}
		made, err := (&creation{session: s}).create(ctx, store.KindRole, map[string]any{"name": args[0]}, map[string]any{"rules": parsed})
		if err != nil {
			return err
		}
		return a.tellRole(ctx, s, made.Body)
	})
	return c
}

func (a *app) roleEditCommand() *cobra.Command {
	var rules []string
	c := &cobra.Command{
		Use: "edit NAME", Short: "Give a role other rules", Args: exactly("NAME"),
		Example: "  relay role edit limit-editor --rule rate-limits:get,list,update",
	}
	c.Flags().StringArrayVar(&rules, "rule", nil, ruleFlag)
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		if len(rules) == 0 {
			return nothingToChange(roleNoun())
		}
		parsed, err := parseRules(rules)
		if err != nil {
			return err
		}
		row, err := a.change(ctx, s, roleNoun(), args[0], map[string]any{"rules": parsed})
		if err != nil {
			return err
		}
		return a.tellRole(ctx, s, row)
	})
	return c
}

// parseRules reads KINDS:VERBS.
func parseRules(texts []string) ([]store.RoleRule, error) {
	if len(texts) == 0 {
		return nil, usagef("--rule is missing: write %s", "KINDS:VERBS, such as rate-limits,policies:get,list")
	}
	rules := make([]store.RoleRule, len(texts))
	for i, text := range texts {
		kinds, verbs, found := strings.Cut(text, ":")
		if !found || kinds == "" || verbs == "" {
			return nil, usagef("--rule %s: write KINDS:VERBS, such as rate-limits,policies:get,list", text)
		}
		rules[i].Kinds = splitList(kinds)
		for _, verb := range splitList(verbs) {
			rules[i].Verbs = append(rules[i].Verbs, store.Verb(verb))
		}
	}
	return rules, nil
}

func (a *app) tellRole(ctx context.Context, s *session, row json.RawMessage) error {
	return a.tell(ctx, s, roleNoun(), row, func() (string, error) {
		role, err := decodeRow[*store.Role](row)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("Role %s may %s.", role.Metadata.Name, rightsInWords(role.Spec.Rules)), nil
	})
}

// rightsInWords says what rules allow: "get, list rate-limits, policies; read usage".
func rightsInWords(rules []store.RoleRule) string {
	parts := make([]string, len(rules))
	for i, rule := range rules {
		verbs := make([]string, len(rule.Verbs))
		for j, verb := range rule.Verbs {
			verbs[j] = string(verb)
		}
		parts[i] = anything(verbs, "do anything with") + " " + anything(rule.Kinds, "everything")
	}
	return strings.Join(parts, "; ")
}

func anything(list []string, all string) string {
	if len(list) == 1 && list[0] == store.AnyRule {
		return all
	}
	return strings.Join(list, ", ")
}

func roleTable(_ context.Context, _ *session, rows []json.RawMessage) (table, error) {
	roles, err := decodeRows[*store.Role](rows)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("built in"), left("may")}}
	for _, r := range roles {
		builtin := "no"
		if store.IsBuiltinRole(r.Metadata.Name) {
			builtin = "yes"
		}
		t.rows = append(t.rows, []string{r.Metadata.Name, builtin, rightsInWords(r.Spec.Rules)})
	}
	return t, nil
}

func roleDetails(_ context.Context, _ *session, row json.RawMessage) (table, error) {
	r, err := decodeRow[*store.Role](row)
	if err != nil {
		return table{}, err
	}
	t := details([]string{"name", r.Metadata.Name}, []string{"id", r.Metadata.ID}, []string{"description", r.Metadata.Description})
	for _, rule := range r.Spec.Rules {
		t.rows = append(t.rows, []string{"may", rightsInWords([]store.RoleRule{rule})})
	}
	return t, nil
}
