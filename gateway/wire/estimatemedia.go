package wire

import "bytes"

// medium is what a part of a message holds beside text.
type medium uint8

const (
	mediumNone medium = iota
	mediumFile        // a document
	mediumText        // a text in base64
	mediumImage
	mediumAudio
	mediumVideo
	mediumSealed // what only its provider reads
)

// What tells of a medium, the more certain the higher.
const (
	byMember = iota + 1
	byType
	byMediaType
)

// mediaPart is what the members of a part, and of the objects within it, say of its
// media, in whatever order.
type mediaPart struct {
	medium medium
	by     int    // what has told of it
	low    bool   // low detail
	plain  bool   // data are a text as it is
	count  int64  // how many there are
	unsent int64  // of those, how many are elsewhere
	size   int64  // of the others, in bytes, in base64
	total  int64  // of all, as they are written
	most   []byte // the longest one
}

// is takes what a part holds. Among what tells equally much, a document is the least.
func (p *mediaPart) is(m medium, by int) {
	if m != mediumNone && (by > p.by || by == p.by && (p.medium == mediumFile || m != mediumFile)) {
		p.medium, p.by = m, by
	}
}

// mediaMember reads a member by which media come. It returns false for another.
func (e *estimate) mediaMember(p *mediaPart, name []byte) bool {
	switch string(name) {
	case "type":
		e.partType(p)
	case "detail":
		p.low = e.w.Is("low")
	case "mediatype", "mimetype":
		e.mediaType(p)
	case "imageurl", "image", "images", "mask":
		e.carrier(p, mediumImage)
	case "inputaudio", "audio", "audiourl":
		e.carrier(p, mediumAudio)
	case "video", "videourl", "inputvideo":
		e.carrier(p, mediumVideo)
	case "file", "filedata", "inlinedata":
		e.carrier(p, mediumFile)
	case "source", "data", "result", "url", "fileid", "fileurl", "fileuri":
		e.carrier(p, mediumNone)
	default:
		return false
	}
	return true
}

// partType reads the type of a part, or of what its media come from.
func (e *estimate) partType(p *mediaPart) {
	var room [longestName]byte
	switch string(shortText(e.w.doc, e.w.Value(), room[:0])) {
	case "image", "image_url", "input_image", "output_image", "image_file", "computer_screenshot", "image_generation_call":
		p.is(mediumImage, byType)
	case "audio", "input_audio", "audio_url":
		p.is(mediumAudio, byType)
	case "video", "video_url", "input_video":
		p.is(mediumVideo, byType)
	case "file", "input_file", "document":
		p.is(mediumFile, byType)
	case "redacted_thinking", "reasoning.encrypted":
		p.is(mediumSealed, byType)
	case "text":
		p.plain = true
	}
}

func (e *estimate) mediaType(p *mediaPart) {
	isText := e.w.First() == '"'
	if said := inside(e.w.Raw()); isText {
		p.is(mediumOf(said), byMediaType)
	}
}

// mediumOf returns what a media type, or the beginning of one, tells.
func mediumOf(mediaType []byte) medium {
	kind, of, _ := bytes.Cut(mediaType, []byte("/"))
	switch string(bytes.TrimSuffix(kind, []byte(`\`))) {
	case "image":
		return mediumImage
	case "audio":
		return mediumAudio
	case "video":
		return mediumVideo
	case "application":
		if bytes.HasPrefix(of, []byte("pdf")) {
			return mediumFile
		}
	}
	return mediumText
}

// carrier reads media: a text, an object around it, or a list of either.
func (e *estimate) carrier(p *mediaPart, m medium) {
	switch e.w.First() {
	case '"':
		p.is(m, byMember)
		e.medium(p)
	case '{':
		p.is(m, byMember)
		e.members(p)
	case '[':
		for more := e.w.Array(); more; more = e.w.Element() {
			e.carrier(p, m)
		}
	default:
		e.w.Skip()
	}
}
