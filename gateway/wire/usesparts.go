package wire

import "bytes"

// saidMember reads a member of a body that holds what is said, and media beside it.
func (i *inspector) saidMember(w *Walker, name []byte) {
	switch string(name) {
	case "messages", "input", "contents", "content", "system", "systeminstruction", "prompt", "query", "documents", "prediction":
		i.said(w)
	case "images", "image", "imageurl", "mask":
		i.usesIf(UsesVision, w.holds())
	}
}

// said reads a text, a part, a message, or a list of them, whose lists are in turn
// within their members.
func (i *inspector) said(w *Walker) {
	switch w.First() {
	case '[':
		for more := w.Array(); more; more = w.Element() {
			i.said(w)
		}
	case '{':
		i.part(w)
	}
}

// part reads a message or one of its parts.
func (i *inspector) part(w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		i.path.only(w)
		if w.First() != 'n' {
			i.partMember(w)
		}
	}
}

func (i *inspector) partMember(w *Walker) {
	switch string(i.path.bytes()) {
	case "type":
		i.partType(w)
	case "content", "parts", "output", "functionresponse":
		i.said(w)
	case "imageurl", "image", "images", "imagefile", "inputimage", "video", "videourl", "inputvideo", "fileid", "fileurl":
		i.usesIf(UsesVision, w.holds())
	case "inputaudio", "audio", "audiourl":
		i.usesIf(UsesAudioInput, w.holds())
	case "inlinedata", "filedata":
		i.media(w)
	case "file":
		i.file(w)
	case "source":
		i.source(w)
	case "cachecontrol", "promptcachebreakpoint":
		i.usesIf(UsesPromptCache, w.holds())
	case "tools": // that the conversation adds
		i.tools(w)
	case "variables": // of a template that the provider keeps
		for more := w.Object(); more; more = w.Member() {
			i.said(w)
		}
	}
}

// partType reads the type of a part. That of files and documents does not tell
// whether they are text.
func (i *inspector) partType(w *Walker) {
	switch string(i.word(w)) {
	case "image", "imageurl", "inputimage", "imagefile", "imagegenerationcall", "computerscreenshot",
		"video", "videourl", "inputvideo":
		i.uses(UsesVision)
	case "audio", "inputaudio", "audiourl":
		i.uses(UsesAudioInput)
	}
}

// media reads Gemini's Blob or FileData, or a file as an address that holds it. What
// does not say what it is may be anything.
func (i *inspector) media(w *Walker) {
	if w.First() == '"' {
		i.address(w)
		return
	}
	unsaid := w.First() == '{'
	for more := w.Object(); more; more = w.Member() {
		if i.path.only(w); string(i.path.bytes()) == "mimetype" && w.First() == '"' {
			unsaid = false
			i.mediaType(i.word(w))
		}
	}
	i.usesIf(UsesVision|UsesAudioInput, unsaid)
}

// mediaType takes a media type. A document that is no text is read by sight.
func (i *inspector) mediaType(kind []byte) {
	switch top, _, _ := bytes.Cut(kind, []byte("/")); string(top) {
	case "text":
	case "audio":
		i.uses(UsesAudioInput)
	default:
		i.uses(UsesVision)
	}
}

// address takes a file as a data address, or in plain base64.
func (i *inspector) address(w *Walker) {
	kind, isData := bytes.CutPrefix(i.word(w), []byte("data:"))
	switch {
	case isData:
		i.mediaType(kind)
	case len(kind) > 0:
		i.uses(UsesVision)
	}
}

// file reads the object that chat completions have around a file.
func (i *inspector) file(w *Walker) {
	if w.First() != '{' {
		i.usesIf(UsesVision, w.holds())
		return
	}
	for more := w.Object(); more; more = w.Member() {
		i.path.only(w)
		switch string(i.path.bytes()) {
		case "filedata":
			i.address(w)
		case "fileid", "fileurl":
			i.usesIf(UsesVision, w.holds())
		}
	}
}

// source reads where an image or document of Anthropic's shape is. One that is text
// stands there itself.
func (i *inspector) source(w *Walker) {
	for more := w.Object(); more; more = w.Member() {
		i.path.only(w)
		switch string(i.path.bytes()) {
		case "type":
			word := i.word(w)
			i.usesIf(UsesVision, string(word) != "text" && string(word) != "content")
		case "url", "fileid":
			i.usesIf(UsesVision, w.holds())
		case "content":
			i.said(w)
		}
	}
}
