package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"relay/admin"
	"relay/store"
)

// noun is a kind of record as the command line speaks of it. Rows are the
// API's JSON.
type noun struct {
	kind    store.Kind
	word    string // "key"
	command string // of the command line, where it is not the word
	list    func(ctx context.Context, s *session, rows []json.RawMessage) (table, error)
	show    func(ctx context.Context, s *session, row json.RawMessage) (table, error)
}

// commandName is how the command line calls the kind.
func (n noun) commandName() string { return cmp.Or(n.command, n.word) }

// listBody is the API's answer to a list that is shown whole.
type listBody struct {
	Items []json.RawMessage `json:"items"`
	Total int               `json:"total"`
}

// envelope is what every row holds.
type envelope struct {
	Metadata store.Metadata `json:"metadata"`
}

func (a *app) listCommand(n noun) *cobra.Command {
	var q admin.ListQuery
	var all bool
	c := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   fmt.Sprintf("List every %s", n.word),
		Args:    noArgs,
		RunE: a.online(func(ctx context.Context, s *session, _ []string) error {
			q.Usable = !all
			rows, err := listRows(ctx, s, n.kind, q)
			if err != nil {
				return err
			}
			t, err := n.list(ctx, s, rows)
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				a.note("There is no %s.", n.word)
			}
			return a.showRows(rows, t)
		}),
	}
	c.Flags().BoolVar(&all, "all", false, "also what is shipped and waits for a key")
	c.Flags().StringVar(&q.Q, "search", "", "only those whose name or description holds this `TEXT`")
	c.Flags().StringArrayVar(&q.Labels, "label", nil, "only those with this label: `KEY=VALUE`, or KEY; repeatable")
	c.Flags().StringVar(&q.Sort, "sort", "", "`MEMBER`: name, displayName, createdAt or updatedAt; a minus reverses")
	return c
}

// listRows reads every page.
func listRows(ctx context.Context, s *session, kind store.Kind, q admin.ListQuery) ([]json.RawMessage, error) {
	rows := []json.RawMessage{}
	for q.Limit = 1000; ; {
		page, err := s.ListRaw(ctx, kind, q)
		if err != nil {
			return nil, err
		}
		rows = append(rows, page.Items...)
		if page.Next == "" {
			return rows, nil
		}
		q.Cursor = page.Next
	}
}

func (a *app) showRows(rows []json.RawMessage, t table) error {
	names := make([]string, len(rows))
	for i, row := range rows {
		head, err := decodeRow[envelope](row)
		if err != nil {
			return err
		}
		names[i] = head.Metadata.Name
	}
	return a.show(view{body: listBody{rows, len(rows)}, names: names, table: t})
}

func (a *app) showCommand(n noun) *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Aliases: []string{"get"},
		Short:   fmt.Sprintf("Show one %s", n.word),
		Args:    exactly("NAME"),
		RunE: a.online(func(ctx context.Context, s *session, args []string) error {
			answer, err := s.GetRaw(ctx, n.kind, args[0])
			if err != nil {
				return named(err, n, args[0])
			}
			t, err := n.show(ctx, s, answer.Body)
			if err != nil {
				return err
			}
			return a.showRow(answer.Body, t)
		}),
	}
}

func (a *app) showRow(row json.RawMessage, t table) error {
	head, err := decodeRow[envelope](row)
	if err != nil {
		return err
	}
	return a.show(view{body: row, names: []string{head.Metadata.Name}, table: t})
}

func (a *app) removeCommand(n noun) *cobra.Command {
	var cascade bool
	c := &cobra.Command{
		Use:     "rm NAME",
		Aliases: []string{"delete"},
		Short:   fmt.Sprintf("Delete a %s", n.word),
		Args:    exactly("NAME"),
	}
	yes := addYes(c)
	c.Flags().BoolVar(&cascade, "cascade", false, "also delete what is part of it; refused while that would widen what somebody may do")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		found, err := find(ctx, s, n, args[0])
		if err != nil {
			return err
		}
		if err := a.confirm(ctx, *yes, "delete %s %s", n.word, found.Metadata.Name); err != nil {
			return err
		}
		if err := s.Delete(ctx, n.kind, found.Metadata.ID, cascade); err != nil {
			return err
		}
		a.note("Deleted %s %s.", n.word, found.Metadata.Name)
		return nil
	})
	return c
}

// found is a record that a command is about to change.
type found struct {
	envelope
	etag string
	row  json.RawMessage
}

// find looks a record up by name or id.
func find(ctx context.Context, s *session, n noun, ref string) (found, error) {
	answer, err := s.GetRaw(ctx, n.kind, ref)
	if err != nil {
		return found{}, named(err, n, ref)
	}
	head, err := decodeRow[envelope](answer.Body)
	return found{head, answer.ETag, answer.Body}, err
}

// named says which record is missing and how to list those that are there.
func named(err error, n noun, ref string) error {
	if !refusedAs(err, store.CodeNotFound) {
		return err
	}
	return &store.Error{
		Code:    store.CodeNotFound,
		Message: fmt.Sprintf("there is no %s %q; relay %s ls lists them", n.word, ref, n.commandName()),
	}
}

// patch changes members of a record's spec and shows what came of it.
func (a *app) patch(ctx context.Context, s *session, n noun, ref string, spec map[string]any) (json.RawMessage, error) {
	if len(spec) == 0 {
		return nil, usagef("nothing to change; relay %s edit --help lists the flags", n.word)
	}
	record, err := find(ctx, s, n, ref)
	if err != nil {
		return nil, err
	}
	answer, err := s.Patch(ctx, n.kind, record.Metadata.ID, record.etag, map[string]any{"spec": spec})
	if err != nil {
		return nil, err
	}
	if a.human() {
		return answer.Body, nil
	}
	return answer.Body, a.showRow(answer.Body, table{})
}

func decodeRow[T any](row json.RawMessage) (T, error) {
	var out T
	if err := json.Unmarshal(row, &out); err != nil {
		return out, fmt.Errorf("read the answer of the server: %w", err)
	}
	return out, nil
}

func decodeRows[T any](rows []json.RawMessage) ([]T, error) {
	out := make([]T, len(rows))
	for i, row := range rows {
		one, err := decodeRow[T](row)
		if err != nil {
			return nil, err
		}
		out[i] = one
	}
	return out, nil
}
