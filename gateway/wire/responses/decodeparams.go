package responses

import "relay/gateway/wire/hub"

// simple takes a member that is a parameter by itself, or unknown.
func (d *decoding) simple(name, value []byte) error {
	p, kind, neutral := parameter(name)
	switch {
	case hub.IsNull(value):
	case p == hub.NumMembers:
		d.leaveOut(string(name))
	case !kind.holds(value):
		return d.bad(string(name), "must be "+kind.String())
	case neutral == "" || string(value) != neutral:
		d.r.Set(p, string(name), value)
	}
	return nil
}

// parameter returns what a member is to the hub, of which kind its value is, and
// the value that says nothing. Some are options of local runners, which OpenAI
// does not know.
func parameter(name []byte) (p hub.Param, kind jsonKind, neutral string) {
	switch string(name) {
	case "temperature":
		return hub.Temperature, aNumber, ""
	case "top_p":
		return hub.TopP, aNumber, ""
	case "max_output_tokens":
		return hub.MaxTokens, aNumber, ""
	case "top_logprobs":
		return hub.TopLogprobs, aNumber, "0"
	case "max_tool_calls":
		return hub.MaxToolCalls, aNumber, ""
	case "metadata":
		return hub.Metadata, anObject, "{}"
	case "user":
		return hub.User, aText, `""`
	case "safety_identifier":
		return hub.SafetyIdentifier, aText, `""`
	case "prompt_cache_key":
		return hub.CacheKey, aText, `""`
	case "prompt_cache_retention":
		return hub.CacheRetention, aText, ""
	case "service_tier":
		return hub.ServiceTier, aText, `"auto"`
	case "store":
		return hub.Store, aBool, "false"
	case "truncation":
		return hub.Truncation, aText, `"disabled"`
	}
	return stateful(name)
}

// stateful goes on with what needs a host that keeps something.
func stateful(name []byte) (p hub.Param, kind jsonKind, neutral string) {
	switch string(name) {
	case "previous_response_id":
		return hub.PreviousResponse, aText, ""
	case "conversation":
		return hub.Conversation, anything, ""
	case "background":
		return hub.Background, aBool, "false"
	case "prompt":
		return hub.PromptTemplate, anObject, ""
	case "context_management":
		return hub.ContextManagement, anArray, "[]"
	case "moderation":
		return hub.Moderation, anything, ""
	case "num_ctx":
		return hub.NumCtx, aNumber, ""
	case "keep_alive":
		return hub.KeepAlive, anything, ""
	case "options":
		return hub.RunnerOptions, anObject, "{}"
	}
	return hub.NumMembers, anything, ""
}

// jsonKind is what a value must be.
type jsonKind uint8

const (
	anything jsonKind = iota
	aNumber
	aText
	aBool
	anObject
	anArray
)

func (k jsonKind) holds(value []byte) bool {
	switch c := value[0]; k {
	case aNumber:
		return c == '-' || c >= '0' && c <= '9'
	case aText:
		return c == '"'
	case aBool:
		return c == 't' || c == 'f'
	case anObject:
		return c == '{'
	case anArray:
		return c == '['
	}
	return true
}

func (k jsonKind) String() string {
	return [...]string{"anything", "a number", "a text", "true or false", "an object", "an array"}[k]
}
