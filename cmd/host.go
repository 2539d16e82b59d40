package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"relay/admin"
	"relay/store"
)

func hostNoun() noun {
	return noun{kind: store.KindHost, word: "host", list: hostTable, show: hostDetails}
}

func (a *app) hostCommand() *cobra.Command {
	return group("host", "Say where providers are reached",
		a.hostAddCommand(), a.listCommand(hostNoun()), a.showCommand(hostNoun()), a.hostEditCommand(),
		a.hostDiscoverCommand(), a.removeCommand(hostNoun()))
}

// hostFlags describe a host.
type hostFlags struct {
	baseURL       string
	shapes        []string
	auth          string
	tierPolicy    string
	unknownModels string
	proxy         string
	allowPrivate  bool
	insecure      bool
}

func (h *hostFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&h.baseURL, "base-url", "", "`URL` that the provider's SDKs use, with its version segment: https://api.example.com/v1")
	flags.StringSliceVar(&h.shapes, "shape", nil, "`SHAPE` that it speaks, best first: openai, openai_responses, anthropic, gemini, ollama; repeatable")
	flags.StringVar(&h.auth, "auth", "", "`HOW` it takes a key: bearer, x-api-key, x-goog-api-key, header:NAME or none")
	flags.StringVar(&h.tierPolicy, "tier-policy", "", "`POLICY` for its keys that name none, or none")
	flags.StringVar(&h.unknownModels, "unknown-models", "", "what becomes of models that no record names: `forward` or refuse")
	flags.StringVar(&h.proxy, "proxy", "", "`URL` of a proxy on the way to it, or none")
	flags.BoolVar(&h.allowPrivate, "allow-private", false, "let it lie on a private address although upstream.deny_private is set")
	flags.BoolVar(&h.insecure, "insecure", false, "let a key go over plain http to a public address")
}

// spec returns the members that the flags set, as a merge patch, and a note
// about a base URL that is taken otherwise than it was written.
func (h *hostFlags) spec(flags *pflag.FlagSet) (spec map[string]any, note string) {
	spec = map[string]any{}
	for flag, member := range map[string]struct {
		name  string
		value any
	}{
		"auth":           {"auth", h.auth},
		"shape":          {"shapes", h.shapes},
		"tier-policy":    {"defaultTierPolicyId", textOrNull(h.tierPolicy)},
		"unknown-models": {"unknownModels", h.unknownModels},
		"proxy":          {"proxyURL", textOrNull(h.proxy)},
		"allow-private":  {"allowPrivate", h.allowPrivate},
		"insecure":       {"insecure", h.insecure},
	} {
		if flags.Changed(flag) {
			spec[member.name] = member.value
		}
	}
	if flags.Changed("base-url") {
		spec["baseURL"], note = store.NormalizeBaseURL(h.baseURL)
	}
	return spec, note
}

// textOrNull returns the text, or nil for none.
func textOrNull(text string) any {
	if text == none {
		return nil
	}
	return text
}

func (a *app) hostAddCommand() *cobra.Command {
	var flags hostFlags
	c := &cobra.Command{
		Use:     "add NAME",
		Aliases: []string{"create"},
		Short:   "Make a host; relay connect also stores its key and takes on its models",
		Example: "  relay host add lab --base-url http://10.0.0.5:8000/v1\n" +
			"  relay host add acme --base-url https://api.acme.example/v1 --shape anthropic --auth x-api-key",
		Args: exactly("NAME"),
	}
	flags.register(c.Flags())
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec, note := flags.spec(c.Flags())
		a.noteBaseURL(note)
		known, err := s.GetRaw(ctx, store.KindHost, args[0])
		switch {
		case err == nil:
			return a.addKnownHost(ctx, s, known, spec)
		case !refusedAs(err, store.CodeNotFound):
			return err
		}
		if spec["baseURL"] == nil {
			return usagef("relay host add %s: Relay knows no host of this name, so that --base-url is needed; relay host ls --all lists those that it knows", args[0])
		}
		made, err := (&creation{session: s}).create(ctx, store.KindHost, map[string]any{"name": args[0]}, newHost(withoutNulls(spec)))
		if err != nil {
			return err
		}
		return a.tellHost(ctx, s, made.Body)
	})
	return c
}

func (a *app) noteBaseURL(note string) {
	if note != "" {
		a.note("%s.", upperFirst(note))
	}
}

// newHost fills in what most hosts of a shape have.
func newHost(spec map[string]any) map[string]any {
	shapes, _ := spec["shapes"].([]string)
	if len(shapes) == 0 {
		shapes = []string{string(store.ShapeOpenAI)}
		spec["shapes"] = shapes
	}
	if spec["auth"] == nil {
		spec["auth"] = usualAuth(store.Shape(shapes[0]))
	}
	return spec
}

func usualAuth(shape store.Shape) string {
	switch shape {
	case store.ShapeAnthropic:
		return "x-api-key"
	case store.ShapeGemini:
		return "x-goog-api-key"
	case store.ShapeOllama:
		return none
	}
	return "bearer"
}

// addKnownHost leaves a host as it is that is there already, but for a shipped
// base URL that wants filling in. What was asked for must not differ.
func (a *app) addKnownHost(ctx context.Context, s *session, known *admin.Answer, spec map[string]any) error {
	host, err := decodeRow[hostRow](known.Body)
	if err != nil {
		return err
	}
	row := json.RawMessage(known.Body)
	open := len(store.BaseURLPlaceholders(host.Spec.BaseURL)) > 0
	if base, given := spec["baseURL"]; given && open {
		answer, err := s.Patch(ctx, store.KindHost, host.Metadata.ID, known.ETag, map[string]any{"spec": map[string]any{"baseURL": base}})
		if err != nil {
			return err
		}
		row = answer.Body
		delete(spec, "baseURL")
	}
	if differing := host.differing(spec); len(differing) > 0 {
		return &store.Error{Code: store.CodeConflict, Message: fmt.Sprintf("host %s is there already and differs in %s; relay host edit %s changes it",
			host.Metadata.Name, listed(differing), host.Metadata.Name)}
	}
	a.note("Host %s is there already.", host.Metadata.Name)
	return a.tellHost(ctx, s, row)
}

// differing names the members that are not as the spec has them.
func (h hostRow) differing(spec map[string]any) []string {
	var names []string
	have := map[string]any{
		"baseURL": h.Spec.BaseURL, "auth": h.Spec.Auth, "unknownModels": h.Spec.UnknownModels, "proxyURL": h.Spec.ProxyURL,
		"allowPrivate": h.Spec.AllowPrivate, "insecure": h.Spec.Insecure,
	}
	for member, value := range have {
		if want, given := spec[member]; given && want != value {
			names = append(names, member)
		}
	}
	if want, given := spec["shapes"].([]string); given && !slices.Equal(want, texts(h.Spec.Shapes)) {
		names = append(names, "shapes")
	}
	if want, given := spec["defaultTierPolicyId"]; given && want != h.Spec.DefaultTierPolicyID && want != h.Spec.TierPolicyName {
		names = append(names, "defaultTierPolicyId")
	}
	slices.Sort(names)
	return names
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}

func (a *app) hostEditCommand() *cobra.Command {
	var flags hostFlags
	var enabled bool
	c := &cobra.Command{
		Use:     "edit NAME",
		Short:   "Change a host",
		Example: "  relay host edit lab --base-url http://10.0.0.6:8000/v1\n  relay host edit lab --enabled=false",
		Args:    exactly("NAME"),
	}
	flags.register(c.Flags())
	c.Flags().BoolVar(&enabled, "enabled", true, "false switches the host off, true on again")
	c.RunE = a.online(func(ctx context.Context, s *session, args []string) error {
		spec, note := flags.spec(c.Flags())
		if c.Flags().Changed("enabled") {
			spec["enabled"] = enabled
		}
		a.noteBaseURL(note)
		row, err := a.change(ctx, s, hostNoun(), args[0], spec)
		if err != nil {
			return err
		}
		return a.tellHost(ctx, s, row)
	})
	return c
}
