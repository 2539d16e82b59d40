package chat

import (
	"strings"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// Encode writes the body that goes up. A stream is asked for its usage.
func (Hub) Encode(dst []byte, r *hub.Request, to hub.Target) ([]byte, error) {
	dst = wire.AppendText(dst, `{"model":`, to.Model)
	dst, said := appendMessages(append(dst, `,"messages":[`...), r, to.Provider)
	if !said {
		return dst, hub.Bad("the conversation", "must hold a message that says something")
	}
	dst = appendTools(append(dst, ']'), r)
	dst = appendFormat(dst, &r.Format)
	dst = appendEffort(dst, r.Reasoning)
	dst = appendParams(dst, r, to.Model)
	if to.Streamed {
		dst = append(dst, `,"stream":true,"stream_options":{"include_usage":true`...)
		if padded := r.Param(hub.StreamOptions); padded != nil {
			dst = append(append(dst, `,"`+includeObfuscation+`":`...), padded...)
		}
		dst = append(dst, '}')
	}
	leave(r, to.Left)
	return append(appendExtension(dst, r, to.Left), '}'), nil
}

// appendFormat writes what the text must be like. A schema must have a name.
func appendFormat(dst []byte, f *hub.Format) []byte {
	switch f.Kind {
	case hub.FormatText:
		return dst
	case hub.FormatJSON:
		return append(dst, `,"response_format":{"type":"json_object"}`...)
	}
	name := f.Name
	if len(name) == 0 {
		name = hub.Text("answer")
	}
	dst = name.AppendAfter(dst, `,"response_format":{"type":"json_schema","json_schema":{"name":`)
	if len(f.About) > 0 {
		dst = f.About.AppendAfter(dst, `,"description":`)
	}
	dst = append(append(dst, `,"schema":`...), f.Schema...)
	return append(appendSwitch(dst, `,"strict":`, f.Strict), "}}"...)
}

func appendSwitch(dst []byte, before string, s hub.Switch) []byte {
	switch s {
	case hub.Yes:
		return append(append(dst, before...), "true"...)
	case hub.No:
		return append(append(dst, before...), "false"...)
	}
	return dst
}

// appendEffort writes how much the model may think. A budget is the effort that
// has as many tokens; of as many as it likes nothing is said.
func appendEffort(dst []byte, r hub.Reasoning) []byte {
	if effort := effortOf(r); effort != "" {
		return wire.AppendText(dst, `,"reasoning_effort":`, effort)
	}
	return dst
}

// effortOf returns the effort in the words that OpenAI has.
func effortOf(r hub.Reasoning) string {
	if r.Effort == "max" {
		return "xhigh"
	}
	return r.AsEffort()
}

// appendParams writes the parameters of simple values. That an answer is not to be
// stored is so anyway.
func appendParams(dst []byte, r *hub.Request, model string) []byte {
	dst = appendLimit(dst, r, model)
	for _, m := range [...]struct {
		param  hub.Param
		before string
	}{
		{hub.Temperature, `,"temperature":`}, {hub.TopP, `,"top_p":`}, {hub.Stop, `,"stop":`}, {hub.Seed, `,"seed":`},
		{hub.FrequencyPenalty, `,"frequency_penalty":`}, {hub.PresencePenalty, `,"presence_penalty":`},
		{hub.LogitBias, `,"logit_bias":`}, {hub.Prediction, `,"prediction":`},
		{hub.SafetyIdentifier, `,"safety_identifier":`}, {hub.CacheKey, `,"prompt_cache_key":`},
		{hub.CacheRetention, `,"prompt_cache_retention":`}, {hub.Verbosity, `,"verbosity":`},
		{hub.WebSearch, `,"web_search_options":`},
	} {
		if value := r.Param(m.param); value != nil {
			dst = append(append(dst, m.before...), value...)
		}
	}
	if user := r.UserWithin(longestUser); user != nil {
		dst = append(append(dst, `,"user":`...), user...)
	}
	dst = appendTier(dst, r.Param(hub.ServiceTier))
	if hub.SwitchOf(r.Param(hub.Store)) == hub.Yes {
		dst = append(dst, `,"store":true`...)
	}
	return dst
}

// appendLimit writes the bound of the output: by its younger name where the caller
// has used that, or the model reasons or is to. OpenAI's models that do refuse the
// older name, which is all that older servers know.
func appendLimit(dst []byte, r *hub.Request, model string) []byte {
	limit, before := r.Params[hub.MaxTokens], `,"max_tokens":`
	if limit.Value == nil {
		return dst
	}
	if limit.Name == "max_completion_tokens" || r.Reasoning.Asked() || reasons(model) {
		before = `,"max_completion_tokens":`
	}
	return append(append(dst, before...), limit.Value...)
}

// reasons knows OpenAI's models that reason by their names, which may stand behind
// that of a vendor: o1 and those after it, gpt-5 and those after it.
func reasons(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	if rest, found := strings.CutPrefix(name, "gpt-"); found {
		return rest != "" && '5' <= rest[0] && rest[0] <= '9'
	}
	return len(name) > 1 && name[0] == 'o' && '1' <= name[1] && name[1] <= '9'
}

// appendTier writes the service tier. auto says nothing; other shapes have words of
// their own for the ordinary one, and words that mean nothing here.
func appendTier(dst, tier []byte) []byte {
	word, _ := hub.TextOf(tier)
	switch said := word.String(); said {
	case "default", "flex", "scale", "priority":
		return wire.AppendText(dst, `,"service_tier":`, said)
	case "standard_only", "standard":
		return append(dst, `,"service_tier":"default"`...)
	}
	return dst
}

// appendExtension adds the members that the caller has for hosts of this shape. What
// Relay has decided is not among them.
func appendExtension(dst []byte, r *hub.Request, left *hub.Left) []byte {
	for name, value := range hub.Members(r.Extension(shape)) {
		switch string(name) {
		case "model", "stream", "stream_options", "n":
			left.AddExtension(shape, string(name))
			continue
		}
		if !wire.IsSteering(name) {
			dst = append(append(wire.AppendText(dst, ",", string(name)), ':'), value...)
		}
	}
	return dst
}
