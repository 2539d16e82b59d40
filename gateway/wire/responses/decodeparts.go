package responses

import (
	"bytes"
	"path"
	"strconv"
	"strings"

	"relay/gateway/wire/hub"
)

// none is no index.
const none = -1

// place says where in the body something stands.
type place struct {
	list       string // input or tools
	item, part int
}

// path returns the path of a member of what is being read; empty is that itself.
func (d *decoding) path(member string) string {
	if d.at.list == "" {
		return member
	}
	p := d.at.list + "[" + strconv.Itoa(d.at.item) + "]"
	if member != "" {
		p += "." + member
	}
	return p
}

func (d *decoding) bad(member, what string) error { return hub.Bad(d.path(member), what) }

// quoted returns a word of the caller's for a message, cut where it is long.
func quoted(word string) string {
	if word == "" {
		return "none"
	}
	return strconv.Quote(word[:min(len(word), 64)])
}

// parts reads what a message or a result says: a text, or an array of parts. An
// assistant may say nothing.
func (d *decoding) parts(member string, value []byte) ([]hub.Part, error) {
	if t, ok := hub.TextOf(value); ok {
		return []hub.Part{{Text: t}}, nil
	}
	if hub.IsNull(value) || value[0] != '[' {
		return nil, d.bad(member, "must be a text or an array of parts")
	}
	var parts []hub.Part
	for raw := range hub.Elements(value) {
		part, err := d.part(member+"["+strconv.Itoa(len(parts))+"]", raw)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (d *decoding) part(member string, raw []byte) (hub.Part, error) {
	var f fields
	f.read(raw)
	p := hub.Part{Mark: f.mark}
	switch kind := f.kind(); kind {
	case "input_text", "output_text", "text":
		return p, d.readWords(&p, member+".text", f.text)
	case "refusal":
		p.Kind = hub.PartRefusal
		return p, d.readWords(&p, member+".refusal", f.refusal)
	case "input_image":
		p.Kind = hub.PartImage
		return p, d.readImagePart(&p, member, &f)
	case "input_file":
		p.Kind = hub.PartFile
		return p, d.readFilePart(&p, member, &f)
	case "input_audio":
		p.Kind = hub.PartAudio
		return p, d.readAudioPart(&p, member, &f)
	default:
		return p, unsupported(d.path(member), "is a part of type "+quoted(kind))
	}
}

func (d *decoding) readWords(p *hub.Part, member string, value []byte) error {
	t, ok := hub.TextOf(value)
	p.Text = t
	if !ok {
		return d.bad(member, "must be a text")
	}
	return nil
}

func (d *decoding) readImagePart(p *hub.Part, member string, f *fields) error {
	p.Detail, _ = hub.TextOf(f.detail)
	return d.readMedia(p, member, f, f.imageURL, ".image_url", "must have image_url or file_id, as a text")
}

func (d *decoding) readFilePart(p *hub.Part, member string, f *fields) error {
	p.Name, _ = hub.TextOf(f.filename)
	if t, ok := hub.TextOf(f.fileData); ok && !bytes.HasPrefix(t, []byte("data:")) {
		p.Data, p.MediaType = t, hub.Text(fileType(p.Name.String()))
		return nil
	} else if ok {
		return d.readMedia(p, member, f, f.fileData, ".file_data", "")
	}
	return d.readMedia(p, member, f, f.fileURL, ".file_url", "must have file_data, file_url or file_id, as a text")
}

// readMedia reads the address of media, or their file id where there is none.
func (d *decoding) readMedia(p *hub.Part, member string, f *fields, address []byte, named, lacking string) error {
	t, ok := hub.TextOf(address)
	if !ok {
		p.FileID, ok = hub.TextOf(f.fileID)
		if !ok || len(p.FileID) == 0 {
			return d.bad(member, lacking)
		}
		return nil
	}
	if len(t) == 0 || !p.SetAddress(t) {
		return d.bad(member+named, "must be an https address, or a data address in base64")
	}
	return nil
}

// readAudioPart reads audio, which is told by its data and mp3 or wav.
func (d *decoding) readAudioPart(p *hub.Part, member string, f *fields) error {
	var isText bool
	p.Data, isText = hub.TextOf(hub.MemberOf(f.audio, "data"))
	format, _ := hub.TextOf(hub.MemberOf(f.audio, "format"))
	switch format.String() {
	case "mp3":
		p.MediaType = hub.Text("audio/mpeg")
	case "wav":
		p.MediaType = hub.Text("audio/wav")
	default:
		return d.bad(member+".input_audio.format", "must be mp3 or wav")
	}
	if !isText {
		return d.bad(member+".input_audio.data", "must be base64")
	}
	return nil
}

// fileType returns the media type of a document by its name.
func fileType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".txt", ".md", ".csv", ".json", ".xml", ".html":
		return "text/plain"
	}
	return "application/pdf"
}

// imageType returns the media type of an image by how its base64 begins.
func imageType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("/9j/")):
		return "image/jpeg"
	case bytes.HasPrefix(data, []byte("UklGR")):
		return "image/webp"
	case bytes.HasPrefix(data, []byte("R0lGOD")):
		return "image/gif"
	}
	return "image/png"
}
