package wire

// thoughtMember reads a member by which reasoning is asked for.
func (i *inspector) thoughtMember(w *Walker, name []byte) bool {
	switch string(name) {
	case "reasoningeffort", "think":
		i.usesIf(UsesReasoning, w.says("none"))
	case "enablethinking", "includereasoning", "thinkingbudget":
		i.usesIf(UsesReasoning, w.says(""))
	case "reasoning", "thinking", "thinkingconfig":
		i.thoughts(w)
	case "chattemplatekwargs":
		i.settings(w)
	default:
		return false
	}
	return true
}

// thoughts reads an object that tells how much may be thought, or one word for it.
func (i *inspector) thoughts(w *Walker) {
	if w.First() != '{' {
		i.usesIf(UsesReasoning, w.says("none"))
		return
	}
	for more := w.Object(); more; more = w.Member() {
		i.path.only(w)
		switch string(i.path.bytes()) {
		case "effort", "summary", "generatesummary":
			i.usesIf(UsesReasoning, w.says("none"))
		case "type":
			i.usesIf(UsesReasoning, w.says("disabled"))
		case "thinkinglevel":
			i.usesIf(UsesReasoning, w.says("THINKING_LEVEL_UNSPECIFIED"))
		case "budgettokens", "maxtokens", "thinkingbudget", "enabled", "includethoughts":
			i.usesIf(UsesReasoning, w.says(""))
		}
	}
}

// formatMember reads a member that tells what the answer must be like.
func (i *inspector) formatMember(w *Walker, name []byte) bool {
	switch string(name) {
	case "responseformat", "outputformat":
		i.format(w)
	case "text", "output", "outputconfig":
		i.answer(w)
	case "format": // of a local runner: json, or a schema
		i.usesIf(UsesSchema, w.First() == '{')
		i.usesIf(UsesJSONMode, string(i.word(w)) == "json")
	case "responseschema", "responsejsonschema":
		i.usesIf(UsesSchema, w.holds())
	case "responsemimetype":
		i.mimeType(w)
	default:
		return false
	}
	return true
}

// answer reads an object that holds a format beside other things.
func (i *inspector) answer(w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		i.path.only(w)
		switch string(i.path.bytes()) {
		case "format":
			i.format(w)
		case "effort":
			i.usesIf(UsesReasoning, w.says("none"))
		}
	}
}

// format reads a format, an object that tells its type. That of Gemini holds one
// for each thing that answers are made of. Words alone are formats of files.
func (i *inspector) format(w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		i.path.only(w)
		switch string(i.path.bytes()) {
		case "type":
			i.formatType(w)
		case "schema", "jsonschema":
			i.usesIf(UsesSchema, w.holds())
		case "mimetype":
			i.mimeType(w)
		case "text":
			i.format(w)
		case "audio":
			i.usesIf(UsesAudioOutput, w.holds())
		case "image":
			i.usesIf(UsesImageOutput, w.holds())
		}
	}
}

func (i *inspector) formatType(w *Walker) {
	switch string(i.word(w)) {
	case "", "text":
	case "jsonobject":
		i.uses(UsesJSONMode)
	default:
		i.uses(UsesSchema)
	}
}

func (i *inspector) mimeType(w *Walker) {
	switch string(i.word(w)) {
	case "", "text/plain", "textplain":
	case "application/json", "applicationjson":
		i.json = true
	default:
		i.uses(UsesSchema)
	}
}

// outputMember reads a member that tells what else than text answers hold, what the
// provider is to cache, and how a stream comes that is not asked for by stream.
func (i *inspector) outputMember(w *Walker, name []byte) bool {
	switch string(name) {
	case "modalities", "responsemodalities":
		i.modalities(w)
	case "audio", "speechconfig":
		i.usesIf(UsesAudioOutput, w.holds())
	case "cachecontrol", "promptcachekey", "promptcacheretention", "promptcachebreakpoint", "cachedcontent":
		i.usesIf(UsesPromptCache, w.holds())
	case "cache":
		for more := w.Object(); more; more = w.Member() {
			i.usesIf(UsesPromptCache, w.says(""))
		}
	case "streamformat":
		i.usesIf(UsesStream, string(i.word(w)) == "sse")
	default:
		return false
	}
	return true
}

// modalities reads a list of words. Gemini takes their numbers, too, and one word
// without a list; what is neither text nor sound is to be seen.
func (i *inspector) modalities(w *Walker) {
	if w.First() != '[' {
		i.modality(w)
		return
	}
	for more := w.Array(); more; more = w.Element() {
		i.modality(w)
	}
}

func (i *inspector) modality(w *Walker) {
	if w.First() != '"' {
		i.usesIf(UsesAudioOutput|UsesImageOutput, w.says(""))
		return
	}
	switch string(i.word(w)) {
	case "", "text", "modalityunspecified":
	case "audio":
		i.uses(UsesAudioOutput)
	default:
		i.uses(UsesImageOutput)
	}
}
