package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"relay/store"
)

// keyRow is a relay key as the API shows it: with names beside references.
type keyRow struct {
	envelope
	Spec struct {
		store.RelayKeySpec
		Principal   principal `json:"principal"`
		ProjectName string    `json:"projectName"`
		AccountName string    `json:"accountName"`
		ModelNames  []string  `json:"modelNames"`
		DenyNames   []string  `json:"denyNames"`
	} `json:"spec"`
}

type principal struct {
	Kind store.Kind `json:"kind"`
	ID   string     `json:"id"`
	Name string     `json:"name"`
}

// account is the reference of the principal's own account, with its id.
func (p principal) account() string { return account(p.Kind, p.ID) }

func account(kind store.Kind, id string) string { return string(kind) + ":" + id }

// state says in a word whether the key works.
func (k keyRow) state(now time.Time) string {
	switch {
	case k.Spec.RevokedAt != nil:
		return "revoked"
	case !store.Enabled(k.Spec.Enabled):
		return "off"
	case k.Spec.ExpiresAt != nil && !now.Before(*k.Spec.ExpiresAt):
		return "expired"
	}
	return "works"
}

func (k keyRow) expiry() string {
	if k.Spec.ExpiresAt == nil {
		return ""
	}
	return localTime(*k.Spec.ExpiresAt)
}

func keyTable(_ context.Context, _ *session, rows []json.RawMessage) (table, error) {
	keys, err := decodeRows[keyRow](rows)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name"), left("key"), left("state"), left("caps of its own"), left("expires")}}
	for _, k := range keys {
		caps := cmp.Or(inWords(k.Spec.Limits, k.Spec.Budgets), "-")
		t.rows = append(t.rows, []string{k.Metadata.Name, k.shortened(), k.state(time.Now()), caps, cmp.Or(k.expiry(), "-")})
	}
	return t, nil
}

// shortened tells keys apart without giving them away.
func (k keyRow) shortened() string {
	if k.Spec.Prefix == "" {
		return "-"
	}
	return k.Spec.Prefix + "…"
}

func keyDetails(ctx context.Context, s *session, row json.RawMessage) (table, error) {
	k, err := decodeRow[keyRow](row)
	if err != nil {
		return table{}, err
	}
	bound, err := policyOf(ctx, s, k.Spec.Principal)
	if err != nil {
		return table{}, err
	}
	return details(
		[]string{"name", k.Metadata.Name},
		[]string{"id", k.Metadata.ID},
		[]string{"key", k.shortened()},
		[]string{"state", k.state(time.Now())},
		[]string{"for", fmt.Sprintf("%s %s", strings.ReplaceAll(string(k.Spec.Principal.Kind), "-", " "), k.Spec.Principal.Name)},
		[]string{"policy", bound.PolicyName},
		[]string{"account", k.Spec.AccountName},
		[]string{"caps of its own", cmp.Or(inWords(k.Spec.Limits, k.Spec.Budgets), "none")},
		[]string{"models", strings.Join(k.Spec.ModelNames, ", ")},
		[]string{"deny", strings.Join(k.Spec.DenyNames, ", ")},
		[]string{"networks", strings.Join(k.Spec.AllowedCIDRs, ", ")},
		[]string{"expires", k.expiry()},
		[]string{"created", localTime(k.Metadata.CreatedAt)},
	), nil
}

// localTime writes a time for people, to the minute.
func localTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Local().Format("2006-01-02 15:04")
}

// canShowPlaintext refuses formats that would lose a key that is shown once.
func (a *app) canShowPlaintext() error {
	if a.global.output == "name" {
		return usagef("-o name would lose the key, which is shown this once; use -o json")
	}
	return nil
}

// showPlaintext prints a new key, and for people the lines that use it.
func (a *app) showPlaintext(ctx context.Context, s *session, made shownKey) error {
	if !a.human() {
		k, err := decodeRow[keyRow](made.Key)
		if err != nil {
			return err
		}
		t := table{columns: []column{left("name"), left("plaintext")}, rows: [][]string{{k.Metadata.Name, made.Plaintext}}}
		return a.show(view{body: made, table: t})
	}
	if _, err := fmt.Fprintln(a.Stdout, made.Plaintext); err != nil {
		return err
	}
	base := s.inferenceURL(ctx)
	switch {
	case base == "":
	case isTerminal(a.Stdout):
		a.note("\n  export OPENAI_BASE_URL=%[1]s/v1\n  export OPENAI_API_KEY=%[2]s\n"+
			"  curl $OPENAI_BASE_URL/models -H \"Authorization: Bearer $OPENAI_API_KEY\"\n", base, made.Plaintext)
	default: // what is kept from the terminal stays off it
		a.note("Base URL for OpenAI SDKs: %s/v1", base)
	}
	return nil
}

// inferenceURL is where callers reach the running Relay, or, when none runs,
// where one with this configuration would listen; "" when that cannot be told.
func (s *session) inferenceURL(ctx context.Context) string {
	if status, err := s.Status(ctx); err == nil && status.InferenceURL != "" {
		return status.InferenceURL
	}
	_, port, err := net.SplitHostPort(s.cfg.Inference.Listen)
	if err != nil || port == "0" || s.server != "" {
		return ""
	}
	return "http://" + s.cfg.Inference.Listen
}
