package wire

// toolMember reads a member that tells of tools.
func (i *inspector) toolMember(w *Walker, name []byte) bool {
	switch string(name) {
	case "tools":
		i.tools(w)
	case "functions", "mcpservers":
		i.usesIf(UsesTools, w.holds())
	case "websearchoptions":
		i.uses(UsesTools)
	case "paralleltoolcalls":
		i.parallel(w.Raw(), "true")
	case "toolchoice":
		i.toolChoice(w)
	default:
		return false
	}
	return true
}

// parallel takes a switch for calls of several tools at once, and the word that
// switches them on.
func (i *inspector) parallel(value []byte, on string) {
	switch string(value) {
	case "true", "false":
		i.several = i.several || string(value) == on
		i.one = i.one || string(value) != on
	}
}

// toolChoice reads Anthropic's switch, which stands in the choice.
func (i *inspector) toolChoice(w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		if i.path.only(w); string(i.path.bytes()) == "disableparalleltooluse" {
			i.parallel(w.Raw(), "false")
		}
	}
}

// tools reads a list of tools; in its place one of Gemini's, or what the canonical
// shape says of them, may stand.
func (i *inspector) tools(w *Walker) {
	if w.First() == '{' {
		i.toolSettings(w)
		return
	}
	for more := w.Array(); more; more = w.Element() {
		i.uses(UsesTools)
		i.tool(w)
	}
}

func (i *inspector) toolSettings(w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch i.path.only(w); string(i.path.bytes()) {
		case "definitions":
			i.tools(w)
		case "choice":
		case "parallel":
			i.parallel(w.Raw(), "true")
		default:
			i.usesIf(UsesTools, w.First() != 'n')
		}
	}
}

// tool reads of a tool what is no part of its definition. Those of a namespace stand
// within it.
func (i *inspector) tool(w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch i.path.only(w); string(i.path.bytes()) {
		case "type":
			i.usesIf(UsesImageOutput, string(i.word(w)) == "imagegeneration")
		case "cachecontrol", "promptcachebreakpoint":
			i.usesIf(UsesPromptCache, w.First() != 'n')
		case "function", "custom":
			i.tool(w)
		case "tools":
			i.tools(w)
		}
	}
}
