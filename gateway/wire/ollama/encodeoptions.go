package ollama

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// option is a parameter of the hub that is one of Ollama's options.
type option struct {
	param hub.Param
	name  string
}

// options are those that have a meaning elsewhere too, in the order in which they
// are written.
func options() [11]option {
	return [...]option{
		{hub.NumCtx, "num_ctx"}, {hub.Temperature, "temperature"}, {hub.TopP, "top_p"}, {hub.TopK, "top_k"},
		{hub.MinP, "min_p"}, {hub.MaxTokens, "num_predict"}, {hub.Stop, "stop"}, {hub.Seed, "seed"},
		{hub.RepeatPenalty, "repeat_penalty"}, {hub.PresencePenalty, "presence_penalty"},
		{hub.FrequencyPenalty, "frequency_penalty"},
	}
}

// appendOptions writes the options. Where a caller gives an option of the runner
// and a parameter that means the same, the option counts; num_ctx beside them
// counts before one among them.
func appendOptions(dst []byte, r *hub.Request) []byte {
	runner := r.Param(hub.RunnerOptions)
	before, begun := `,"options":{`, len(dst)
	for _, o := range options() {
		value := r.Param(o.param)
		if value == nil || o.param != hub.NumCtx && !hub.IsNull(hub.MemberOf(runner, o.name)) {
			continue
		}
		dst = wire.AppendText(dst, before, o.name)
		dst = appendOption(append(dst, ':'), o.param, value)
		before = ","
	}
	for name, value := range hub.Members(runner) {
		if hub.IsNull(value) || string(name) == "num_ctx" && r.Param(hub.NumCtx) != nil {
			continue
		}
		dst = wire.AppendText(dst, before, string(name))
		dst = append(append(dst, ':'), value...)
		before = ","
	}
	if len(dst) > begun {
		dst = append(dst, '}')
	}
	return dst
}

// appendOption writes a value; what ends a text must be a list.
func appendOption(dst []byte, p hub.Param, value []byte) []byte {
	if p == hub.Stop && value[0] == '"' {
		return append(append(append(dst, '['), value...), ']')
	}
	return append(dst, value...)
}
