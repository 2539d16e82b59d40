package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/store"
)

// level is one of the records that share out an organization: organization,
// team, project and service account. Each but the first lies in another.
type level struct {
	kind   store.Kind
	word   string // "service account"
	name   string // of the command: "sa"
	short  string
	in     string // the flag that names what it lies in; "": nothing
	member string // the member of its spec that refers to that
}

func organizationLevel() level {
	return level{kind: store.KindOrganization, word: "organization", name: "org", short: "Keep organizations, the widest accounts"}
}

func teamLevel() level {
	return level{store.KindTeam, "team", "team", "Keep the teams of organizations", "org", "organizationId"}
}

func projectLevel() level {
	return level{store.KindProject, "project", "project", "Keep the projects of teams", "team", "teamId"}
}

func serviceAccountLevel() level {
	return level{store.KindServiceAccount, "service account", "sa", "Keep service accounts: programs that act in a project", "project", "projectId"}
}

func (l level) noun() noun {
	return noun{kind: l.kind, word: l.word, command: l.name, list: l.table, show: l.details}
}

func (a *app) levelCommand(l level) *cobra.Command {
	return group(l.name, l.short,
		a.levelAddCommand(l), a.listCommand(l.noun()), a.showCommand(l.noun()), a.levelEditCommand(l), a.removeCommand(l.noun()))
}

// levelFlags are what a record on a level holds.
type levelFlags struct {
	limits      limitFlags
	in          string
	displayName string
	enabled     bool
}

func (f *levelFlags) register(flags *pflag.FlagSet, l level) {
	f.limits = registerLimits(flags)
	if l.in != "" {
		flags.StringVar(&f.in, l.in, "", fmt.Sprintf("`%s` that it lies in (default: default)", strings.ToUpper(l.in)))
	}
}

// spec returns the members that the flags set, as a merge patch.
func (f *levelFlags) spec(flags *pflag.FlagSet, l level) (map[string]any, error) {
	spec := map[string]any{}
	limits, err := f.limits.patch(flags)
	if err != nil {
		return nil, err
	}
	if len(limits) > 0 {
		spec["limits"] = limits
	}
	if l.in != "" && flags.Changed(l.in) {
		spec[l.member] = f.in
	}
	if flags.Changed("enabled") {
		spec["enabled"] = f.enabled
	}
	return spec, nil
}

func (a *app) levelAddCommand(l level) *cobra.Command {
	var flags levelFlags
	example := fmt.Sprintf("  relay %s add research --rpm 600", l.name)
	if l.in != "" {
		example = fmt.Sprintf("  relay %s add chatbot --%s research --rpm 600", l.name, l.in)
	}
	c := &cobra.Command{
		Use: "add NAME", Aliases: []string{"create"}, Short: "Make a " + l.word, Example: example, Args: exactly("NAME"),
	}
	flags.register(c.Flags(), l)
	c.Flags().StringVar(&flags.displayName, "display-name", "", "`TEXT` for people")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec, err := flags.spec(c.Flags(), l)
		if err != nil {
			return err
		}
		if l.in != "" {
			spec[l.member] = cmp.Or(flags.in, "default")
		}
		metadata := map[string]any{"name": args[0]}
		if flags.displayName != "" {
			metadata["displayName"] = flags.displayName
		}
		made, err := (&creation{session: s}).create(ctx, l.kind, metadata, withoutNulls(spec))
		if err != nil {
			return err
		}
		return a.tellLevel(ctx, s, l, made.Body)
	})
	return c
}

func (a *app) levelEditCommand(l level) *cobra.Command {
	var flags levelFlags
	c := &cobra.Command{
		Use: "edit NAME", Short: "Change a " + l.word, Args: exactly("NAME"),
		Example: fmt.Sprintf("  relay %s edit default --rpm 600 --concurrency none", l.name),
	}
	flags.register(c.Flags(), l)
	c.Flags().BoolVar(&flags.enabled, "enabled", true, "false refuses all that is in it, true lets it pass again")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec, err := flags.spec(c.Flags(), l)
		if err != nil {
			return err
		}
		row, err := a.change(ctx, s, l.noun(), args[0], spec)
		if err != nil {
			return err
		}
		return a.tellLevel(ctx, s, l, row)
	})
	return c
}

// levelRow is a record on a level as the API shows it.
type levelRow struct {
	envelope
	Spec struct {
		Enabled          *bool         `json:"enabled"`
		Limits           *store.Limits `json:"limits"`
		OrganizationName string        `json:"organizationName"`
		TeamName         string        `json:"teamName"`
		ProjectName      string        `json:"projectName"`
	} `json:"spec"`
}

// around names what the record lies in.
func (r levelRow) around() string {
	return cmp.Or(r.Spec.OrganizationName, r.Spec.TeamName, r.Spec.ProjectName)
}

func (a *app) tellLevel(ctx context.Context, s *session, l level, row json.RawMessage) error {
	return a.tell(ctx, s, l.noun(), row, func() (string, error) {
		r, err := decodeRow[levelRow](row)
		if err != nil {
			return "", err
		}
		text := fmt.Sprintf("%s %s", upperFirst(l.word), r.Metadata.Name)
		if r.around() != "" {
			text += fmt.Sprintf(", in %s %s", l.in, r.around())
		}
		if !store.Enabled(r.Spec.Enabled) {
			return text + ": switched off, and all that is in it is refused.", nil
		}
		return text + ": " + cmp.Or(inWords(r.Spec.Limits, nil), "no limits of its own") + ".", nil
	})
}

func (l level) table(_ context.Context, _ *session, rows []json.RawMessage) (table, error) {
	records, err := decodeRows[levelRow](rows)
	if err != nil {
		return table{}, err
	}
	t := table{columns: []column{left("name")}}
	if l.in != "" {
		t.columns = append(t.columns, left(l.in))
	}
	t.columns = append(t.columns, left("state"), left("limits of its own"))
	for _, r := range records {
		cells := []string{r.Metadata.Name}
		if l.in != "" {
			cells = append(cells, r.around())
		}
		t.rows = append(t.rows, append(cells, onOff(r.Spec.Enabled), cmp.Or(inWords(r.Spec.Limits, nil), "-")))
	}
	return t, nil
}

func (l level) details(_ context.Context, _ *session, row json.RawMessage) (table, error) {
	r, err := decodeRow[levelRow](row)
	if err != nil {
		return table{}, err
	}
	return details(
		[]string{"name", r.Metadata.Name},
		[]string{"id", r.Metadata.ID},
		[]string{"display name", r.Metadata.DisplayName},
		[]string{cmp.Or(l.in, "-"), r.around()},
		[]string{"state", onOff(r.Spec.Enabled)},
		[]string{"limits of its own", cmp.Or(inWords(r.Spec.Limits, nil), "none")},
		[]string{"created", localTime(r.Metadata.CreatedAt)},
	), nil
}
