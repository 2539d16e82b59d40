package wire

// Tokens that stand around what a request says. Sources: OpenAI's cookbook on
// counting tokens, Anthropic's pages on tool use and on computer use.
const (
	tokensPerAnswer  = 3 // with which an answer is begun
	tokensPerMessage = 4
	tokensPerText    = 2 // of a list of texts: what embedding models put around each
	tokensPerID      = 8 // of a call; some models read it
)

// EstimateTokens estimates how many tokens a provider counts in a request body of any
// shape. It is for limits that must hold before the call: the estimate is rather high,
// seldom too low, and never 0. No tokenizer is asked and nothing allocated; the time
// grows with the length of the body. What it is worth is shown on texts in many
// languages and forms, see testdata/estimate/README.md.
//
// Texts count by what they are made of. A message counts 4 tokens beside what it says,
// a tool its definition, and at least 300, of which the first few stand for what
// providers put before all tools. An image counts 1,500, one of low detail 85, other
// media by their size. Settings count nothing. Members that Relay does not know count
// as they are written, so that new ones are not free. What the provider keeps counts
// nothing, since only it knows it: an earlier response, a conversation, a cache, a
// stored prompt.
//
// The body must have passed Scan; one that is no JSON counts a token a byte.
func EstimateTokens(body []byte) int64 {
	e := estimate{w: walkRequest(body)}
	e.request()
	if !e.w.End() {
		return int64(len(body))
	}
	return tokensPerAnswer + e.flat + (e.cost+e.tooling.cost()+hundred-1)/hundred
}

// estimate is one estimate. Its depth is bounded by the Walker's.
type estimate struct {
	w       Walker
	name    folded // of the member that is read, until the next one is
	cost    int64  // of texts, in hundredths of a token
	flat    int64  // tokens that do not depend on texts
	tooling tooling
}

// request reads a body, or an object that holds members like those of a body.
func (e *estimate) request() {
	if e.w.First() != '{' {
		e.written()
		return
	}
	for more := e.w.Object(); more; more = e.w.Member() {
		e.name.only(&e.w)
		e.requestMember(e.name.bytes())
	}
}

func (e *estimate) requestMember(name []byte) {
	switch string(name) {
	case "messages", "input", "contents", "content", "prompt", "system", "systeminstruction", "instructions", "context":
		e.said()
	case "tools", "functions":
		e.tools()
	case "format", "schema", "responseformat", "outputformat", "responseschema", "responsejsonschema":
		e.written()
	case "text", "output", "outputconfig", "generationconfig", "generatecontentrequest":
		e.request()
	case "extensions", "extrabody":
		for more := e.w.Object(); more; more = e.w.Member() {
			e.request()
		}
	case "requests":
		for more := e.w.Array(); more; more = e.w.Element() {
			e.request()
		}
	default:
		if isSetting(name) {
			e.w.Skip()
			return
		}
		var p mediaPart // of images beside a prompt
		e.member(&p)
		e.media(&p)
	}
}

// said reads a conversation: a list of messages or items, or one text.
func (e *estimate) said() {
	if e.w.First() != '[' {
		e.flat += tokensPerMessage
		e.value()
		return
	}
	for more := e.w.Array(); more; more = e.w.Element() {
		switch e.w.First() {
		case '{':
			e.flat += tokensPerMessage
		case '"':
			e.flat += tokensPerText
		}
		e.value()
	}
}

// value reads what is said: a text, a message or part, or a list of them. A number is
// a token, as it is in a list of them.
func (e *estimate) value() {
	switch e.w.First() {
	case '{':
		var p mediaPart
		e.members(&p)
		e.media(&p)
	case '[':
		for more := e.w.Array(); more; more = e.w.Element() {
			e.value()
		}
	case '"':
		e.written()
	default:
		e.w.Skip()
		e.flat++
	}
}

// written reads a value as it is written: JSON that the model reads, or a text.
func (e *estimate) written() {
	e.cost += costOfText(inside(e.w.Raw()))
}

// inside returns what stands between the quotes of a text; JSON of another kind as it
// is.
func inside(json []byte) []byte {
	if len(json) >= 2 && json[0] == '"' {
		return json[1 : len(json)-1]
	}
	return json
}
