package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"relay/store"
)

func userGroupNoun() noun {
	return noun{kind: store.KindGroup, word: "group", list: userGroupTable, show: userGroupDetails}
}

func (a *app) userGroupCommand() *cobra.Command {
	return group("group", "Put users together, to give them roles at once",
		a.userGroupAddCommand(), a.listCommand(userGroupNoun()), a.showCommand(userGroupNoun()), a.userGroupEditCommand(), a.removeCommand(userGroupNoun()))
}

func (a *app) userGroupAddCommand() *cobra.Command {
	var users []string
	c := &cobra.Command{
		Use: "add NAME", Aliases: []string{"create"}, Short: "Make a group", Args: exactly("NAME"),
		Long: "Makes a group. One of the name that an identity provider claims for a user\n" +
			"(auth.oidc.groups_claim) holds that user as well.",
		Example: "  relay group add researchers --user maria,noor\n  relay role bind developer --group researchers --scope project:chatbot",
	}
	c.Flags().StringSliceVar(&users, "user", nil, "a `USER` in it; repeatable")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec := map[string]any{}
		if len(users) > 0 {
			spec["members"] = users
		}
		made, err := (&creation{session: s}).create(ctx, store.KindGroup, map[string]any{"name": args[0]}, spec)
		if err != nil {
			return err
		}
		return a.tellUserGroup(ctx, s, made.Body)
	})
	return c
}

func (a *app) userGroupEditCommand() *cobra.Command {
	var add, remove []string
	c := &cobra.Command{
		Use: "edit NAME", Short: "Put users into a group, or take them out", Args: exactly("NAME"),
		Example: "  relay group edit researchers --add noor --remove maria",
	}
	c.Flags().StringSliceVar(&add, "add", nil, "a `USER` to put in; repeatable")
	c.Flags().StringSliceVar(&remove, "remove", nil, "a `USER` to take out; repeatable")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		if len(add)+len(remove) == 0 {
			return nothingToChange(userGroupNoun())
		}
		found, err := find(ctx, s, userGroupNoun(), args[0])
		if err != nil {
			return err
		}
		members, err := membersAfter(found.row, add, remove)
		if err != nil {
			return err
		}
		row, err := s.patchFound(ctx, userGroupNoun(), found, map[string]any{"members": members})
		if err != nil {
			return err
		}
		return a.tellUserGroup(ctx, s, row)
	})
	return c
}

// userGroupRow is a group as the API shows it.
type userGroupRow struct {
	envelope
	Spec struct {
		Members     []string `json:"members"`
		MemberNames []string `json:"memberNames"`
	} `json:"spec"`
}

// membersAfter are the members, by id or name, once some are put in and others
// taken out. Who is to be taken out must be in.
func membersAfter(row json.RawMessage, add, remove []string) ([]string, error) {
	g, err := decodeRow[userGroupRow](row)
	if err != nil {
		return nil, err
	}
	members := g.Spec.Members
	for _, user := range remove {
		at := g.place(user)
		if at < 0 {
			return nil, &store.Error{Code: store.CodeNotFound, Message: fmt.Sprintf("user %s is not in group %s; relay group show %[2]s lists who is", user, g.Metadata.Name)}
		}
		members = slices.DeleteFunc(slices.Clone(members), func(id string) bool { return id == g.Spec.Members[at] })
	}
	for _, user := range add {
		if g.place(user) < 0 {
			members = append(members, user)
		}
	}
	return members, nil
}

// place returns where the user, by name or id, is in the list, or -1.
func (g userGroupRow) place(user string) int {
	if at := slices.Index(g.Spec.Members, user); at >= 0 {
		return at
	}
	return slices.IndexFunc(g.Spec.MemberNames, func(name string) bool { return strings.EqualFold(name, user) })
}

func (a *app) tellUserGroup(ctx context.Context, s *session, row json.RawMessage) error {
	return a.tell(ctx, s, userGroupNoun(), row, func() (string, error) {
		g, err := decodeRow[userGroupRow](row)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("Group %s: %s.", g.Metadata.Name, cmp.Or(strings.Join(g.Spec.MemberNames, ", "), "nobody yet")), nil
	})
}

func userGroupTable(ctx context.Context, s *session, rows []json.RawMessage) (table, error) {
	groups, err := decodeRows[userGroupRow](rows)
	if err != nil {
		return table{}, err
	}
	roles, err := rolesBySubject(ctx, s)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("members"), left("roles")}}
	for _, g := range groups {
		t.rows = append(t.rows, []string{g.Metadata.Name, cmp.Or(strings.Join(g.Spec.MemberNames, ", "), "-"), cmp.Or(roles.of(store.KindGroup, g.Metadata.ID), "-")})
	}
	return t, nil
}

func userGroupDetails(ctx context.Context, s *session, row json.RawMessage) (table, error) {
	g, err := decodeRow[userGroupRow](row)
	if err != nil {
		return table{}, err
	}
	roles, err := rolesBySubject(ctx, s)
	if err != nil {
		return table{}, err
	}
	return details(
		[]string{"name", g.Metadata.Name},
		[]string{"id", g.Metadata.ID},
		[]string{"members", strings.Join(g.Spec.MemberNames, ", ")},
		[]string{"roles", cmp.Or(roles.of(store.KindGroup, g.Metadata.ID), "none")},
		[]string{"created", localTime(g.Metadata.CreatedAt)},
	), nil
}
