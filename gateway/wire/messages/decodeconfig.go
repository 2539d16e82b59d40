package messages

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// readConfig reads output_config, and output_format, which its format was called
// before.
func (s *said) readConfig(r *hub.Request) error {
	if err := readFormat(r, "output_format", s.format); err != nil {
		return err
	}
	for name, value := range hub.Members(s.config) {
		var err error
		switch {
		case hub.IsNull(value):
		case string(name) == "effort":
			err = readEffort(r, value)
		case string(name) == "format":
			err = readFormat(r, "output_config.format", value)
		default:
			r.AddUnknown("output_config."+string(name), value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func readEffort(r *hub.Request, value []byte) error {
	switch effort := textOf(value).String(); effort {
	case "low", "medium", "high", "xhigh", "max":
		r.Reasoning.Effort = effort
		return nil
	}
	return hub.Bad("output_config.effort", "must be low, medium, high, xhigh or max")
}

// readFormat reads what the text of the answer must be.
func readFormat(r *hub.Request, path string, value []byte) error {
	if hub.IsNull(value) {
		return nil
	}
	schema := hub.MemberOf(value, "schema")
	switch kind := textOf(hub.MemberOf(value, "type")); {
	case !kind.Is("json_schema"):
		return hub.Bad(path+".type", "must be json_schema")
	case hub.IsNull(schema) || schema[0] != '{':
		return hub.Bad(path+".schema", "must be a JSON Schema object")
	}
	r.Format = hub.Format{Kind: hub.FormatSchema, Schema: schema, Name: textOf(hub.MemberOf(value, "name"))}
	return nil
}

// readThinking reads how much may be thought. Where that is nothing an effort says
// how thorough the answer is to be, which no other shape can be told.
func (s *said) readThinking(r *hub.Request) error {
	if s.thinking == nil {
		return nil
	}
	switch kind := textOf(hub.MemberOf(s.thinking, "type")).String(); kind {
	case "enabled":
		budget, err := strconv.ParseInt(string(hub.MemberOf(s.thinking, "budget_tokens")), 10, 64)
		if err != nil || budget <= 0 {
			return hub.Bad("thinking.budget_tokens", "must be a whole number above 0")
		}
		r.Reasoning.Budget = budget
	case "adaptive":
		r.Reasoning.Budget = -1
	case "disabled":
		if r.Reasoning.Effort != "" {
			r.AddUnknown("output_config.effort", nil)
		}
		r.Reasoning.Effort = "none"
	default:
		r.AddUnknown("thinking", s.thinking)
	}
	r.Reasoning.Summary = summaryOf(hub.MemberOf(s.thinking, "display"))
	return nil
}

// summaryOf reads whether thoughts are told.
func summaryOf(display []byte) string {
	switch textOf(display).String() {
	case "summarized":
		return "auto"
	case "omitted":
		return "none"
	}
	return ""
}

// textOf returns the text of a JSON string, nil for anything else.
func textOf(value []byte) hub.Text {
	t, _ := hub.TextOf(value)
	return t
}
