package wire

// members reads the members of a message, a part, or what is within a part. Names
// are folded.
func (e *estimate) members(p *mediaPart) {
	for more := e.w.Object(); more; more = e.w.Member() {
		e.name.only(&e.w)
		e.member(p)
	}
}

// member reads the member whose name has been read.
func (e *estimate) member(p *mediaPart) {
	switch name := e.name.bytes(); string(name) {
	case "role", "status", "object", "cachecontrol", "logprobs", "metadata":
		e.w.Skip()
	case "id":
		e.w.Skip()
		e.flat += tokensPerID
	case "content", "parts", "text", "name", "output", "summary", "thinking", "reasoning", "reasoningcontent", "refusal",
		"function", "title", "context", "filename", "callid", "toolcallid", "tooluseid":
		e.value()
	case "arguments", "args", "input", "response", "parameters", "schema", "format", "responseformat":
		e.written()
	case "toolcalls", "functioncall", "functionresponse":
		e.calls()
	case "tools":
		e.tools()
	case "variables": // of a stored prompt, whose names are the caller's
		for more := e.w.Object(); more; more = e.w.Member() {
			e.value()
		}
	case "signature", "thoughtsignature", "encryptedcontent", "opaque":
		e.flat += tokensOfSealed(int64(len(e.w.Raw())))
	default:
		if !e.mediaMember(p, name) {
			e.unknown()
		}
	}
}

// unknown reads a member that Relay does not know, its name included.
func (e *estimate) unknown() {
	e.cost += costOfText(inside(e.w.named.Of(e.w.doc)))
	e.value()
}

// calls reads calls of tools.
func (e *estimate) calls() {
	if e.w.First() != '[' {
		e.flat += tokensPerMessage
		e.value()
		return
	}
	for more := e.w.Array(); more; more = e.w.Element() {
		e.flat += tokensPerMessage
		e.value()
	}
}

// isSetting reports whether a member of a body, by its folded name, says nothing that
// the model reads.
func isSetting(name []byte) bool {
	switch string(name) {
	case "model", "models", "stream", "streamoptions", "streamformat", "temperature", "topp", "topk", "topa", "minp", "n", "seed",
		"maxtokens", "maxcompletiontokens", "maxoutputtokens", "mintokens", "maxtoolcalls", "candidatecount", "bestof",
		"frequencypenalty", "presencepenalty", "repetitionpenalty", "logitbias", "logprobs", "toplogprobs", "responselogprobs",
		"echo", "stop", "stopsequences", "sampling", "options", "keepalive", "raw", "truncate", "truncation", "dimensions",
		"encodingformat", "tasktype", "outputdimensionality":
		return true
	case "user", "safetyidentifier", "metadata", "labels", "store", "background", "servicetier", "inferencegeo", "safetysettings",
		"promptcachekey", "promptcacheretention", "cachecontrol", "cache", "cachedcontent", "previousresponseid", "conversation",
		"container", "contextmanagement", "include", "provider", "route", "transforms", "plugins", "moderation":
		return true
	case "toolchoice", "toolconfig", "functioncalling", "paralleltoolcalls", "reasoning", "reasoningeffort", "thinking",
		"thinkingconfig", "think", "effort", "verbosity", "strict", "type", "modalities", "responsemodalities", "responsemimetype",
		"mediaresolution", "audio", "speechconfig", "voice", "speed", "size", "quality", "style", "language":
		return true
	}
	return false
}
