package chat

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// kind is what the value of a parameter must be.
type kind uint8

const (
	number kind = iota
	text
	texts // one, or an array of them
	object
	boolean
	list
	anything
)

// param reads a member with a simple value. One that has no effect is left out.
func (b *request) param(name string, value []byte) *fault {
	p, k, known := paramOf(name)
	switch {
	case isOlder(name):
		return readOlder(name, value)
	case !known:
		b.r.AddUnknown(name, value)
	case !k.fits(value):
		return bad(name, "must be "+k.String())
	case !isNeutral(p, value):
		b.r.Set(p, name, value)
	}
	return nil
}

func paramOf(name string) (p hub.Param, k kind, known bool) {
	for _, m := range [...]struct {
		name  string
		param hub.Param
		kind  kind
	}{
		{"temperature", hub.Temperature, number}, {"top_p", hub.TopP, number}, {"top_k", hub.TopK, number},
		{"min_p", hub.MinP, number}, {"stop", hub.Stop, texts}, {"seed", hub.Seed, number},
		{"frequency_penalty", hub.FrequencyPenalty, number}, {"presence_penalty", hub.PresencePenalty, number},
		{"repetition_penalty", hub.RepeatPenalty, number}, {"repeat_penalty", hub.RepeatPenalty, number},
		{"n", hub.Choices, number}, {"logprobs", hub.Logprobs, boolean}, {"top_logprobs", hub.TopLogprobs, number},
		{"logit_bias", hub.LogitBias, object}, {"modalities", hub.AudioOutput, list}, {"audio", hub.AudioOutput, object},
		{"prediction", hub.Prediction, object}, {"user", hub.User, text}, {"safety_identifier", hub.SafetyIdentifier, text},
		{"metadata", hub.Metadata, object}, {"store", hub.Store, boolean}, {"service_tier", hub.ServiceTier, text},
		{"prompt_cache_key", hub.CacheKey, text}, {"prompt_cache_retention", hub.CacheRetention, text},
		{"verbosity", hub.Verbosity, text}, {"web_search_options", hub.WebSearch, object}, {"moderation", hub.Moderation, anything},
		{"num_ctx", hub.NumCtx, number}, {"keep_alive", hub.KeepAlive, anything}, {"options", hub.RunnerOptions, object},
	} {
		if m.name == name {
			return m.param, m.kind, true
		}
	}
	return 0, 0, false
}

// isNeutral reports whether a value asks for what is done anyway.
func isNeutral(p hub.Param, value []byte) bool {
	switch p {
	case hub.Choices:
		return string(value) == "1"
	case hub.TopLogprobs:
		return string(value) == "0"
	case hub.Logprobs, hub.Store:
		return value[0] == 'f'
	case hub.ServiceTier:
		return string(value) == `"auto"`
	case hub.AudioOutput:
		return onlyText(value)
	case hub.WebSearch: // which an empty object switches on
		return false
	}
	return isEmpty(value)
}

// onlyText reports whether modalities ask for text alone.
func onlyText(value []byte) bool {
	w, other := wire.Walk(value), value[0] != '['
	for more := w.Array(); more; more = w.Element() {
		other = !w.Is("text") || other
	}
	return !other
}

// isEmpty reports whether a value is an empty text, array or object.
func isEmpty(value []byte) bool {
	w := wire.Walk(value)
	switch value[0] {
	case '"':
		return len(value) == len(`""`)
	case '[':
		return !w.HasElements()
	case '{':
		return !w.Object()
	}
	return false
}

// fits reports whether a value is of the kind.
func (k kind) fits(value []byte) bool {
	switch k {
	case number:
		return value[0] == '-' || value[0] >= '0' && value[0] <= '9'
	case text:
		return value[0] == '"'
	case texts:
		return value[0] == '"' || value[0] == '[' && holdsTexts(value)
	case object:
		return value[0] == '{'
	case list:
		return value[0] == '['
	case boolean:
		return hub.SwitchOf(value) != hub.Unset
	}
	return true
}

func holdsTexts(array []byte) bool {
	for value := range hub.Elements(array) {
		if value[0] != '"' {
			return false
		}
	}
	return true
}

// String says in words what the value must be.
func (k kind) String() string {
	return [...]string{"a number", "a string", "a string or an array of strings", "an object", "true or false", "an array", "a value"}[k]
}

// isCount reports whether a value is a whole number of 1 or more.
func isCount(value []byte) bool {
	for _, c := range value {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(value) > 0 && value[0] != '0'
}

// isOlder reports whether a member is of the calls that were before tools.
func isOlder(name string) bool { return name == "functions" || name == "function_call" }

func readOlder(name string, value []byte) *fault {
	if isEmpty(value) || name == "function_call" && value[0] == '"' {
		return nil
	}
	return bad(name, "is of an older form of calls, which cannot be translated: send tools and tool_choice")
}
