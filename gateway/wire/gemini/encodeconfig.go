package gemini

import (
	"bytes"
	"strconv"

	"relay/gateway/wire/hub"
)

// config writes generationConfig, with the caller's members for this shape at its
// end; an empty one is left out.
func (w *writer) config() {
	before := len(w.dst)
	w.name("generationConfig")
	w.dst = append(w.dst, '{')
	begun := len(w.dst)
	w.param("temperature", hub.Temperature)
	w.param("topP", hub.TopP)
	w.param("topK", hub.TopK)
	w.param("maxOutputTokens", hub.MaxTokens)
	w.stop()
	w.param("seed", hub.Seed)
	w.param("presencePenalty", hub.PresencePenalty)
	w.param("frequencyPenalty", hub.FrequencyPenalty)
	w.param("mediaResolution", hub.MediaResolution)
	w.format()
	w.thinking()
	for name, value := range hub.Members(w.extra("generationConfig")) {
		w.raw(string(name), value)
	}
	if len(w.dst) == begun {
		w.dst = w.dst[:before]
		return
	}
	w.dst = append(w.dst, '}')
}

// stop writes stopSequences, which is an array.
func (w *writer) stop() {
	switch value := w.r.Param(hub.Stop); {
	case len(filled(value)) == 0:
	case value[0] == '[':
		w.raw("stopSequences", value)
	default:
		w.raw("stopSequences", bytes.Join([][]byte{[]byte("["), value, []byte("]")}, nil))
	}
}

func (w *writer) format() {
	f := &w.r.Format
	if f.Kind == hub.FormatText {
		return
	}
	w.raw("responseMimeType", []byte(`"application/json"`))
	if f.Kind == hub.FormatSchema && f.Schema != nil {
		w.raw("responseJsonSchema", f.Schema)
	}
}

// thinking writes thinkingConfig where the caller says anything of reasoning.
// Thoughts are asked for unless none are wanted.
func (w *writer) thinking() {
	r := w.r.Reasoning
	budget, said := w.budget()
	told := !r.Off() && r.Summary != "none"
	if !r.Asked() || !said && !told {
		return
	}
	w.name("thinkingConfig")
	w.dst = append(w.dst, '{')
	if said {
		w.name("thinkingBudget")
		w.dst = strconv.AppendInt(w.dst, budget, 10)
	}
	if told {
		w.raw("includeThoughts", []byte("true"))
	}
	w.dst = append(w.dst, '}')
}

// budget returns how many tokens may be thought; said is false where that is left
// to the model. What is made of an effort lies below the limit of the output,
// which thoughts count against.
func (w *writer) budget() (tokens int64, said bool) {
	switch r := w.r.Reasoning; {
	case r.Off():
		return 0, true
	case r.Budget > 0:
		return min(r.Budget, mostBudget), true
	case r.Effort == "":
		return r.Budget, r.Budget != 0
	}
	tokens, said = budgetOf(w.r.Reasoning.Effort)
	most, err := strconv.ParseInt(string(w.r.Param(hub.MaxTokens)), 10, 64)
	if err == nil && tokens >= most {
		tokens = most - 1
		said = tokens >= leastBudget
	}
	return tokens, said
}

// Bounds of a budget that every model with budgets takes
// (https://ai.google.dev/gemini-api/docs/thinking#set-budget).
const leastBudget, mostBudget = 512, 24576

func budgetOf(effort string) (tokens int64, said bool) {
	switch effort {
	case "minimal", "low":
		return 1024, true
	case "medium":
		return 4096, true
	case "high":
		return 16384, true
	case "xhigh", "max":
		return mostBudget, true
	}
	return 0, false
}
