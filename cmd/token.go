package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"relay/store"
)

func tokenNoun() noun {
	return noun{kind: store.KindAdminToken, word: "admin token", command: "token", list: tokenTable, show: tokenDetails}
}

func (a *app) tokenCommand() *cobra.Command {
	return group("token", "Hand out tokens for the control API",
		a.tokenAddCommand(), a.listCommand(tokenNoun()), a.showCommand(tokenNoun()), a.tokenEditCommand(),
		a.tokenRotateCommand(), a.tokenRevokeCommand(), a.removeCommand(tokenNoun()))
}

func (a *app) tokenAddCommand() *cobra.Command {
	var roles []string
	var scope, expires string
	c := &cobra.Command{
		Use: "add NAME", Aliases: []string{"create"}, Short: "Make an admin token and print it, this once", Args: exactly("NAME"),
		Example: "  relay token add ci --role catalog-editor --expires 90d\n  relay token add research-bot --role team-admin --scope team:research",
	}
	c.Flags().StringSliceVar(&roles, "role", nil, "`ROLE` that it has; repeatable")
	scopeFlag(c.Flags(), &scope, "roles hold")
	c.Flags().StringVar(&expires, "expires", "", "how `LONG` it works (90d), until when (2027-01-31), or none")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		if err := a.canShowPlaintext(); err != nil {
			return err
		}
		if len(roles) == 0 {
			return usagef("relay token add: what may it do? --role viewer, --role admin; relay role ls lists the roles")
		}
		place, err := parseScope(scope)
		if err != nil {
			return err
		}
		spec := map[string]any{"roleIds": roles, "scope": place}
		if c.Flags().Changed("expires") {
			if spec["expiresAt"], err = parseExpiry(expires, time.Now()); err != nil {
				return err
			}
		}
		body := map[string]any{"metadata": map[string]any{"name": args[0]}, "spec": withoutNulls(spec)}
		return a.newTokenPlaintext(ctx, s, "/api/admin-tokens", body)
	})
	return c
}

// shownAdminToken is an admin token and, once, its plaintext.
type shownAdminToken struct {
	Token     json.RawMessage `json:"token"`
	Plaintext string          `json:"plaintext,omitempty"`
}

// newTokenPlaintext makes a call that answers with a plaintext, and prints it.
func (a *app) newTokenPlaintext(ctx context.Context, s *session, path string, body any) error {
	answer, err := s.Do(ctx, http.MethodPost, path, nil, body)
	if err != nil {
		return err
	}
	shown, err := decodeRow[shownAdminToken](answer.Body)
	if err != nil {
		return err
	}
	row, err := decodeRow[tokenRow](shown.Token)
	if err != nil {
		return err
	}
	if !a.human() {
		t := table{columns: []column{left("name"), left("plaintext")}, rows: [][]string{{row.Metadata.Name, shown.Plaintext}}}
		return a.show(view{body: shown, table: t})
	}
	if _, err := fmt.Fprintln(a.Stdout, shown.Plaintext); err != nil {
		return err
	}
	a.note("%s", row.sentence())
	return nil
}

func (a *app) tokenEditCommand() *cobra.Command {
	var roles []string
	var expires string
	var enabled bool
	c := &cobra.Command{
		Use: "edit NAME", Short: "Change an admin token", Args: exactly("NAME"),
		Example: "  relay token edit ci --expires 30d\n  relay token edit ci --enabled=false",
	}
	c.Flags().StringSliceVar(&roles, "role", nil, "the `ROLES` that it has instead of those it had")
	c.Flags().StringVar(&expires, "expires", "", "how `LONG` it works (90d), until when (2027-01-31), or none")
	c.Flags().BoolVar(&enabled, "enabled", true, "false switches the token off, true on again")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec := map[string]any{}
		var err error
		if c.Flags().Changed("expires") {
			if spec["expiresAt"], err = parseExpiry(expires, time.Now()); err != nil {
				return err
			}
		}
		if c.Flags().Changed("role") {
			spec["roleIds"] = roles
		}
		if c.Flags().Changed("enabled") {
			spec["enabled"] = enabled
		}
		row, err := a.change(ctx, s, tokenNoun(), args[0], spec)
		if err != nil {
			return err
		}
		return a.tell(ctx, s, tokenNoun(), row, func() (string, error) {
			t, err := decodeRow[tokenRow](row)
			return t.sentence(), err
		})
	})
	return c
}

func (a *app) tokenRotateCommand() *cobra.Command {
	c := &cobra.Command{Use: "rotate NAME", Short: "Replace an admin token by a new one, printed this once", Args: exactly("NAME")}
	yes := addYes(c)
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		if err := a.canShowPlaintext(); err != nil {
			return err
		}
		token, err := find(ctx, s, tokenNoun(), args[0])
		if err != nil {
			return err
		}
		if err := a.confirm(ctx, *yes, "rotate admin token %s, and who uses the present one is refused at once", token.Metadata.Name); err != nil {
			return err
		}
		return a.newTokenPlaintext(ctx, s, "/api/admin-tokens/by-id/"+token.Metadata.ID+"/rotate", nil)
	})
	return c
}

func (a *app) tokenRevokeCommand() *cobra.Command {
	c := &cobra.Command{Use: "revoke NAME", Short: "Make an admin token invalid for good", Args: exactly("NAME")}
	yes := addYes(c)
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		token, err := find(ctx, s, tokenNoun(), args[0])
		if err != nil {
			return err
		}
		if err := a.confirm(ctx, *yes, "revoke admin token %s for good", token.Metadata.Name); err != nil {
			return err
		}
		if _, err := s.RevokeAdminToken(ctx, token.Metadata.ID); err != nil {
			return err
		}
		a.note("Admin token %s is revoked: calls with it are refused.", token.Metadata.Name)
		return nil
	})
	return c
}

// tokenRow is an admin token as the API shows it.
type tokenRow struct {
	envelope
	Spec struct {
		store.AdminTokenSpec
		RoleNames []string  `json:"roleNames"`
		Scope     *namedRef `json:"scope"`
	} `json:"spec"`
}

func (t tokenRow) scope() string {
	if t.Spec.Scope == nil {
		return "system"
	}
	return t.Spec.Scope.String()
}

func (t tokenRow) state(now time.Time) string {
	switch {
	case t.Spec.RevokedAt != nil:
		return "revoked"
	case !store.Enabled(t.Spec.Enabled):
		return "off"
	case !t.Spec.Usable(now):
		return "expired"
	}
	return "works"
}

func (t tokenRow) expiry() string {
	if t.Spec.ExpiresAt == nil {
		return ""
	}
	return localTime(*t.Spec.ExpiresAt)
}

func (t tokenRow) sentence() string {
	text := fmt.Sprintf("Admin token %s: %s in %s", t.Metadata.Name, listed(t.Spec.RoleNames), t.scope())
	if state := t.state(time.Now()); state != "works" {
		text += "; " + state
	}
	if t.Spec.ExpiresAt != nil {
		text += "; until " + t.expiry()
	}
	return text + "."
}

func tokenTable(_ context.Context, _ *session, rows []json.RawMessage) (table, error) {
	tokens, err := decodeRows[tokenRow](rows)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("roles"), left("scope"), left("state"), left("expires")}}
	for _, one := range tokens {
		t.rows = append(t.rows, []string{
			one.Metadata.Name, strings.Join(one.Spec.RoleNames, ", "), one.scope(), one.state(time.Now()), cmp.Or(one.expiry(), "-"),
		})
	}
	return t, nil
}

func tokenDetails(_ context.Context, _ *session, row json.RawMessage) (table, error) {
	t, err := decodeRow[tokenRow](row)
	if err != nil {
		return table{}, err
	}
	return details(
		[]string{"name", t.Metadata.Name},
		[]string{"id", t.Metadata.ID},
		[]string{"token", t.Spec.Prefix},
		[]string{"roles", strings.Join(t.Spec.RoleNames, ", ")},
		[]string{"scope", t.scope()},
		[]string{"state", t.state(time.Now())},
		[]string{"expires", t.expiry()},
		[]string{"created", localTime(t.Metadata.CreatedAt)},
	), nil
}
