package chat

import (
	"bytes"
	"slices"

	"relay/gateway/wire/hub"
)

// appendContent writes what a message says: one text as such, which all servers
// read, anything else as parts, without empty texts.
func appendContent(dst []byte, parts []hub.Part) []byte {
	if len(parts) > 1 && slices.ContainsFunc(parts, isEmptyText) {
		parts = slices.DeleteFunc(slices.Clone(parts), isEmptyText)
	}
	switch {
	case len(parts) == 0:
		return append(dst, `""`...)
	case len(parts) == 1 && parts[0].Kind == hub.PartText:
		return parts[0].Text.Append(dst)
	}
	before := byte('[')
	for i := range parts {
		dst = appendPart(append(dst, before), &parts[i])
		before = ','
	}
	return append(dst, ']')
}

func appendPart(dst []byte, p *hub.Part) []byte {
	switch p.Kind {
	case hub.PartRefusal:
		dst = p.Text.AppendAfter(dst, `{"type":"refusal","refusal":`)
	case hub.PartImage:
		return appendImage(dst, p)
	case hub.PartAudio:
		dst = p.Data.AppendAfter(dst, `{"type":"input_audio","input_audio":{"data":`)
		dst = append(audioFormat(p.MediaType).AppendAfter(dst, `,"format":`), '}')
	case hub.PartFile:
		return appendFile(dst, p)
	default:
		dst = p.Text.AppendAfter(dst, `{"type":"text","text":`)
	}
	return append(dst, '}')
}

func appendImage(dst []byte, p *hub.Part) []byte {
	dst = p.AppendAddress(append(dst, `{"type":"image_url","image_url":{"url":`...))
	if hasDetail(p) {
		dst = p.Detail.AppendAfter(dst, `,"detail":`)
	}
	return append(dst, "}}"...)
}

// hasDetail reports whether the detail of an image is one of this shape's.
func hasDetail(p *hub.Part) bool {
	switch string(p.Detail) {
	case "low", "high", "auto":
		return true
	}
	return false
}

// appendFile writes a document. OpenAI takes no data without a name.
func appendFile(dst []byte, p *hub.Part) []byte {
	dst = append(dst, `{"type":"file","file":{`...)
	if len(p.FileID) > 0 {
		return append(p.FileID.AppendAfter(dst, `"file_id":`), "}}"...)
	}
	dst = p.FileName().AppendAfter(dst, `"filename":`)
	return append(p.AppendAddress(append(dst, `,"file_data":`...)), "}}"...)
}

// audioFormat returns the format of audio as this shape calls it.
func audioFormat(mediaType hub.Text) hub.Text {
	_, format, _ := bytes.Cut(mediaType.Plain(), []byte("/"))
	switch string(bytes.ToLower(format)) {
	case "mpeg", "x-mp3":
		return hub.Text("mp3")
	case "x-wav", "wave", "vnd.wave":
		return hub.Text("wav")
	}
	return hub.Quote(string(format))
}
