package plan

import (
	"fmt"

	"relay/store"
)

// RefuseBlocked refuses a request that holds the parameter with the index. written is
// how the request spells its name.
func (g *Gates) RefuseBlocked(index int, written string) *Refused {
	param := g.Params[index]
	same := ""
	if written != param.Name {
		same = ", which " + Quoted(written) + " is"
	}
	return &Refused{
		Code: "blocked_param", By: "policy",
		Message: fmt.Sprintf("Policy %s blocks the parameter %s%s. Leave it out of the request, or ask your gateway administrator.", param.Policy, param.Name, same),
	}
}

// RefuseEndpoint refuses calls of an endpoint, as policies name it, that are of a
// capability which a policy denies; nil lets them pass.
func (g *Gates) RefuseEndpoint(endpoint string) *Refused {
	for _, capability := range capabilitiesOf(endpoint) {
		if r := g.RefuseUse(capability); r != nil {
			return r
		}
	}
	return nil
}

// RefuseUse refuses a request that uses a capability which a policy denies; nil lets
// it pass.
func (g *Gates) RefuseUse(capability string) *Refused {
	gate := g.gateOf(capability)
	if gate == nil {
		return nil
	}
	what, instead := inWords(capability)
	return &Refused{
		Code: "capability_not_allowed", By: "policy",
		Message: fmt.Sprintf("Policy %s does not allow %s (capability %s). %s, or ask your gateway administrator.", gate.Policy, what, capability, instead),
	}
}

// RefuseInput refuses a request of more tokens, by estimate, than a policy allows; nil
// lets it pass.
func (g *Gates) RefuseInput(tokens int64) *Refused {
	if tokens <= g.most {
		return nil
	}
	return &Refused{
		Code: "input_too_large", By: "policy",
		Message: fmt.Sprintf("The request is of some %d tokens, and policy %s allows %d (maxInputTokens). Send less, or ask your gateway administrator.", tokens, g.maxInput.Policy, g.most),
	}
}

// capabilitiesOf are those that every call of an endpoint is of.
func capabilitiesOf(endpoint string) []string {
	switch endpoint {
	case store.EndpointEmbeddings:
		return []string{"embeddings"}
	case store.EndpointRerank:
		return []string{"rerank"}
	case store.EndpointModerations:
		return []string{"moderation"}
	case store.EndpointImages:
		return []string{"images"}
	case store.EndpointSpeech:
		return []string{"speech", "audio"}
	case store.EndpointTranscriptions, store.EndpointTranslations:
		return []string{"transcription", "audio"}
	}
	return []string{"chat"}
}

// inWords says what a capability is, and what a caller can do without it.
func inWords(capability string) (what, instead string) {
	const leaveOut = "Leave them out of the request"
	switch capability {
	case "chat":
		return "generated answers", "Call another endpoint"
	case "embeddings":
		return "embeddings", "Call another endpoint"
	case "streaming":
		return "streamed answers", "Ask for a whole answer"
	case "tools":
		return "tools", leaveOut
	case "parallelTools":
		return "several calls of tools at once", "Switch them off where the shape can (parallel_tool_calls: false), leave the tools out"
	case "vision":
		return "images, videos and documents", leaveOut
	case "transcription":
		return "sound to be understood", "Send text"
	case "speech":
		return "spoken answers", "Ask for text"
	case "reasoning":
		return "reasoning to be asked for", "Leave it out of the request"
	case "jsonMode":
		return "answers in JSON mode", "Leave the format out of the request"
	case "structuredOutputs":
		return "answers by a schema", "Leave the format out of the request"
	case "promptCache":
		return "what marks prompts for a cache", "Leave it out of the request"
	case "images":
		return "images to be made", "Ask for text"
	case "audio":
		return "sound, sent or asked for", "Use text"
	case "rerank":
		return "reranking", "Call another endpoint"
	case "moderation":
		return "moderation", "Call another endpoint"
	}
	return capability, leaveOut
}

// notes says for administrators what requests the gates refuse.
func (g *Gates) notes() []string {
	if g == nil {
		return nil
	}
	var notes []string
	for _, d := range g.denied {
		what, _ := inWords(d.Name)
		notes = append(notes, fmt.Sprintf("Requests for %s are refused: policy %s has capabilities.%s: false.", what, d.Policy, d.Name))
	}
	for _, p := range g.Params {
		notes = append(notes, fmt.Sprintf("Requests with the parameter %s, in any spelling, are refused: policy %s blocks it.", p.Name, p.Policy))
	}
	if g.most > 0 {
		notes = append(notes, fmt.Sprintf("Requests of more than %d tokens of input, by estimate, are refused: policy %s has maxInputTokens.", g.most, g.maxInput.Policy))
	}
	return notes
}
