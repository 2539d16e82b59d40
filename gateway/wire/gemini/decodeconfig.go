package gemini

import (
	"bytes"
	"strconv"

	"relay/gateway/wire/hub"
)

// readConfig reads generationConfig.
func readConfig(r *hub.Request, value []byte) error {
	var f format
	for said, value := range hub.Members(value) {
		if hub.IsNull(value) {
			continue
		}
		var room nameRoom
		name := string(camel(said, &room))
		if p, path, ok := numeric(name); ok {
			if !isNumber(value) {
				return hub.Bad(path, "must be a number")
			}
			if !isNeutral(p, value) {
				r.Set(p, path, value)
			}
			continue
		}
		if err := f.member(r, name, value); err != nil {
			return err
		}
	}
	return f.tell(r)
}

// isNeutral reports whether a number asks for what happens without it.
func isNeutral(p hub.Param, value []byte) bool {
	return p == hub.Choices && string(value) == "1" || p == hub.TopLogprobs && string(value) == "0"
}

// numeric returns the parameter that a member with a number is.
func numeric(name string) (p hub.Param, path string, ok bool) {
	switch name {
	case "temperature":
		return hub.Temperature, "generationConfig.temperature", true
	case "topP":
		return hub.TopP, "generationConfig.topP", true
	case "topK":
		return hub.TopK, "generationConfig.topK", true
	case "maxOutputTokens":
		return hub.MaxTokens, "generationConfig.maxOutputTokens", true
	case "seed":
		return hub.Seed, "generationConfig.seed", true
	case "presencePenalty":
		return hub.PresencePenalty, "generationConfig.presencePenalty", true
	case "frequencyPenalty":
		return hub.FrequencyPenalty, "generationConfig.frequencyPenalty", true
	case "candidateCount":
		return hub.Choices, "generationConfig.candidateCount", true
	case "logprobs":
		return hub.TopLogprobs, "generationConfig.logprobs", true
	}
	return 0, "", false
}

// member reads a member that is no number.
func (f *format) member(r *hub.Request, name string, value []byte) error {
	switch name {
	case "stopSequences":
		return readStop(r, value)
	case "responseLogprobs":
		if string(value) == "true" {
			r.Set(hub.Logprobs, "generationConfig.responseLogprobs", value)
		}
	case "responseModalities":
		if !isTextAlone(value) {
			r.Set(hub.AudioOutput, "generationConfig.responseModalities", value)
		}
	case "speechConfig":
		r.Set(hub.AudioOutput, "generationConfig.speechConfig", filled(value))
	case "mediaResolution":
		r.Set(hub.MediaResolution, "generationConfig.mediaResolution", value)
	case "thinkingConfig":
		return readThinking(r, value)
	case "responseMimeType":
		f.mime, _ = hub.TextOf(value)
	case "responseSchema":
		f.schema = value
	case "responseJsonSchema", "_responseJsonSchema":
		f.jsonSchema = value
	case "responseFormat":
		f.read(r, value)
	default:
		addUnknown(r, "generationConfig.", []byte(name), value)
	}
	return nil
}

// readStop reads stopSequences; an empty array says nothing.
func readStop(r *hub.Request, value []byte) error {
	n := 0
	for text := range hub.Elements(value) {
		if _, ok := hub.TextOf(text); !ok {
			return hub.Bad("generationConfig.stopSequences", "must be an array of texts")
		}
		n++
	}
	if n > 0 {
		r.Set(hub.Stop, "generationConfig.stopSequences", value)
	}
	return nil
}

// isTextAlone reports whether modalities ask for nothing but text.
func isTextAlone(value []byte) bool {
	for modality := range hub.Elements(value) {
		if said := string(modality); said != `"TEXT"` && said != `"text"` && said != `"MODALITY_UNSPECIFIED"` {
			return false
		}
	}
	return true
}

// readThinking reads thinkingConfig. Thoughts are not told unless they are asked
// for.
func readThinking(r *hub.Request, value []byte) error {
	if budget := memberOf(value, "thinkingBudget"); budget != nil {
		n, err := strconv.ParseInt(string(budget), 10, 64)
		switch {
		case err != nil || n < -1:
			return hub.Bad("generationConfig.thinkingConfig.thinkingBudget", "must be a whole number of tokens, 0 for none or -1 for as many as the model likes")
		case n == 0:
			r.Reasoning.Effort = "none"
		default:
			r.Reasoning.Budget = n
		}
	}
	switch level := string(bytes.ToLower(textOf(value, "thinkingLevel"))); level {
	case "", "thinking_level_unspecified":
	case "minimal", "low", "medium", "high":
		r.Reasoning.Effort = level
	default:
		return hub.Bad("generationConfig.thinkingConfig.thinkingLevel", "must be MINIMAL, LOW, MEDIUM or HIGH")
	}
	if string(memberOf(value, "includeThoughts")) == "true" {
		r.Reasoning.Summary = "auto"
	}
	return nil
}
