package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/store"
)

func modelNoun() noun {
	return noun{kind: store.KindModel, word: "model", list: modelTable, show: modelDetails}
}

func (a *app) modelCommand() *cobra.Command {
	return group("model", "Say which models there are, where they run and what they cost",
		a.modelAddCommand(), a.listCommand(modelNoun()), a.showCommand(modelNoun()), a.modelEditCommand(), a.removeCommand(modelNoun()))
}

// modelFlags describe a model, and where it runs.
type modelFlags struct {
	limits    limitFlags
	aliases   []string
	fallbacks []string
	maxOutput int64
	context   int64
	bindingFlags
}

func (m *modelFlags) register(flags *pflag.FlagSet) {
	m.limits = registerLimits(flags)
	flags.StringSliceVar(&m.aliases, "alias", nil, "other `NAMES` for it; one may end in *; repeatable, or none")
	flags.StringSliceVar(&m.fallbacks, "fallbacks", nil, "`MODELS` to go on with when it fails, in order, or none")
	flags.Int64Var(&m.maxOutput, "max-output", 0, "most `TOKENS` it can answer with")
	flags.Int64Var(&m.context, "context", 0, "`TOKENS` that fit into its context")
	m.bindingFlags.register(flags)
}

// spec returns the members of the model that the flags set, as a merge patch.
func (m *modelFlags) spec(flags *pflag.FlagSet) (map[string]any, error) {
	spec := map[string]any{}
	limits, err := m.limits.patch(flags)
	if err != nil {
		return nil, err
	}
	if len(limits) > 0 {
		spec["limits"] = limits
	}
	if flags.Changed("alias") {
		spec["aliases"] = listOrNull(m.aliases)
	}
	if flags.Changed("fallbacks") {
		spec["fallbacks"] = fallbacksOrNull(m.fallbacks)
	}
	if flags.Changed("max-output") {
		spec["maxOutputTokens"] = m.maxOutput
	}
	if flags.Changed("context") {
		spec["contextWindow"] = m.context
	}
	return spec, nil
}

func fallbacksOrNull(models []string) any {
	if listOrNull(models) == nil {
		return nil
	}
	fallbacks := make([]store.Fallback, len(models))
	for i, model := range models {
		fallbacks[i] = store.Fallback{ModelID: model}
	}
	return fallbacks
}

func (a *app) modelAddCommand() *cobra.Command {
	var flags modelFlags
	c := &cobra.Command{
		Use:     "add NAME",
		Aliases: []string{"create"},
		Short:   "Make a model, and with --host bind it there",
		Example: "  relay model add llama3.2:3b --host ollama\n" +
			"  relay model add acme-chat --host acme --upstream-name acme-chat-2026 --price-input 3 --price-output 15\n" +
			"  relay model add fast --fallbacks acme-chat,llama3.2:3b",
		Args: exactly("NAME"),
	}
	flags.register(c.Flags())
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		if err := flags.checkHost(); err != nil {
			return err
		}
		spec, err := flags.spec(c.Flags())
		if err != nil {
			return err
		}
		return a.addModel(ctx, s, args[0], withoutNulls(spec), flags.bindingFlags)
	})
	return c
}

// addModel makes the model and its binding. A model that is there already is
// bound as it is.
func (a *app) addModel(ctx context.Context, s *session, name string, spec map[string]any, b bindingFlags) error {
	made := &creation{session: s}
	model, err := s.GetRaw(ctx, store.KindModel, name)
	switch {
	case err == nil && (b.host == "" || len(spec) > 0):
		return &store.Error{Code: store.CodeConflict, Message: fmt.Sprintf("there is a model %q already; relay model edit changes it", name)}
	case err == nil:
		a.note("Model %s is there already.", name)
	case refusedAs(err, store.CodeNotFound):
		if model, err = made.create(ctx, modelNoun().kind, map[string]any{"name": name}, spec); err != nil {
			return err
		}
	default:
		return err
	}
	if b.host != "" {
		if err := b.create(ctx, made, name); err != nil {
			return errors.Join(err, made.takeBack(ctx))
		}
	}
	return a.tellModel(ctx, s, model.Body)
}

func (a *app) modelEditCommand() *cobra.Command {
	var flags modelFlags
	var enabled bool
	c := &cobra.Command{
		Use:     "edit NAME",
		Short:   "Change a model, and with --host how it runs there",
		Example: "  relay model edit acme-chat --fallbacks llama3.2:3b\n  relay model edit acme-chat --host acme --price-input 2.50",
		Args:    exactly("NAME"),
	}
	flags.register(c.Flags())
	c.Flags().BoolVar(&enabled, "enabled", true, "false switches the model off, true on again")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		if err := flags.checkHost(); err != nil {
			return err
		}
		spec, err := flags.spec(c.Flags())
		if err != nil {
			return err
		}
		if c.Flags().Changed("enabled") {
			spec["enabled"] = enabled
		}
		return a.editModel(ctx, s, args[0], spec, flags.bindingFlags)
	})
	return c
}

func (a *app) editModel(ctx context.Context, s *session, name string, spec map[string]any, b bindingFlags) error {
	if len(spec) == 0 && b.empty() {
		return usagef("nothing to change; relay model edit --help lists the flags")
	}
	model, err := find(ctx, s, modelNoun(), name)
	if err != nil {
		return err
	}
	row := model.row
	if len(spec) > 0 {
		answer, err := s.Patch(ctx, store.KindModel, model.Metadata.ID, model.etag, map[string]any{"spec": spec})
		if err != nil {
			return err
		}
		row = answer.Body
	}
	if !b.empty() {
		if err := b.change(ctx, s, model.Metadata); err != nil {
			return err
		}
	}
	return a.tellModel(ctx, s, row)
}

// tellModel shows the row to programs and says to people what now holds.
func (a *app) tellModel(ctx context.Context, s *session, row json.RawMessage) error {
	if !a.human() {
		t, err := modelTable(ctx, s, []json.RawMessage{row})
		if err != nil {
			return err
		}
		return a.showRow(row, t)
	}
	sentence, err := modelSentence(ctx, s, row)
	if err != nil {
		return err
	}
	a.note("%s", sentence)
	return nil
}
