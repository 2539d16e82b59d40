package cmd

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tell shows a row that was changed to programs, and to people the sentence
// that says what now holds.
func (a *app) tell(ctx context.Context, s *session, n noun, row json.RawMessage, sentence func() (string, error)) error {
	if !a.human() {
		t, err := n.list(ctx, s, []json.RawMessage{row})
		if err != nil {
			return err
		}
		return a.showRow(row, t)
	}
	text, err := sentence()
	if err != nil {
		return err
	}
	a.note("%s", text)
	return nil
}

// change alters members of a record's spec and returns its row.
func (a *app) change(ctx context.Context, s *session, n noun, ref string, spec map[string]any) (json.RawMessage, error) {
	if len(spec) == 0 {
		return nil, nothingToChange(n)
	}
	record, err := find(ctx, s, n, ref)
	if err != nil {
		return nil, err
	}
	return s.patchFound(ctx, n, record, spec)
}

func nothingToChange(n noun) error {
	return usagef("nothing to change; relay %s edit --help lists the flags", n.commandName())
}

// patchFound changes a record unless it has changed since it was found.
func (s *session) patchFound(ctx context.Context, n noun, record found, spec map[string]any) (json.RawMessage, error) {
	answer, err := s.Patch(ctx, n.kind, record.Metadata.ID, record.etag, map[string]any{"spec": spec})
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

// upperFirst begins a sentence.
func upperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".")
}
