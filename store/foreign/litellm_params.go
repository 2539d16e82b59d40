package foreign

import (
	"encoding/json"
	"slices"
	"strings"

	"relay/store"
)

// requestMembers are the parameters of a deployment that LiteLLM adds to
// requests that lack them.
func requestMembers() []string {
	return []string{"temperature", "top_p", "max_tokens", "max_completion_tokens", "presence_penalty", "frequency_penalty", "seed", "stop", "reasoning_effort", "n", "user", "response_format", "parallel_tool_calls"}
}

func (l *litellm) readParams(d *deployment, params *object) {
	p := store.BindingParams{}
	for _, name := range requestMembers() {
		value := params.take(name)
		if value == nil {
			continue
		}
		if p.Defaults == nil {
			p.Defaults = map[string]json.RawMessage{}
		}
		p.Defaults[name] = rawJSON(value)
	}
	p.Drop = texts(params.take("additional_drop_params"))
	p.Drop = slices.DeleteFunc(p.Drop, func(name string) bool { return strings.ContainsAny(name, "[] *") })
	if params.boolean("drop_params") {
		l.report.add(Approximated, d.subject, "drop_params: what a shape cannot say is dropped in translation; for one host list members in params.drop of the binding")
	}
	if len(p.Drop) > 0 || p.Defaults != nil {
		d.params = &p
		l.report.add(Taken, d.subject, "parameters of the request: params of the binding")
	}
	if _, wild := wildcard(d.model); wild && d.params != nil {
		d.params = nil
		l.report.add(Unsupported, d.subject, "parameters of a wildcard: they lie on the binding of one model")
	}
}

// rawJSON writes a value as JSON: texts that are numbers or booleans as such.
func rawJSON(value any) json.RawMessage {
	switch value := value.(type) {
	case string:
		if json.Valid([]byte(value)) {
			return json.RawMessage(value)
		}
		text, _ := json.Marshal(value)
		return text
	case []any:
		parts := make([]json.RawMessage, len(value))
		for i, element := range value {
			parts[i] = rawJSON(element)
		}
		text, _ := json.Marshal(parts)
		return text
	case *object:
		parts := map[string]json.RawMessage{}
		for _, name := range value.names {
			parts[name] = rawJSON(value.values[name])
		}
		text, _ := json.Marshal(parts)
		return text
	}
	return json.RawMessage("null")
}
