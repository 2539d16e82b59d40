package cmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
