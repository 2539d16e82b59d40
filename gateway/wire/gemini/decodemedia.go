package gemini

import (
	"bytes"
	"strings"

	"relay/gateway/wire/hub"
)

// readMedia reads a part that holds media. Pictures that the model has only
// thought of are left out.
func (c *conversation) readMedia(p *part) error {
	if p.thought {
		return nil
	}
	media, err := c.media(p)
	if err == nil {
		c.addPart(media)
	}
	return err
}

func (c *conversation) media(p *part) (hub.Part, error) {
	if p.inline != nil {
		return c.inline(p.inline)
	}
	return c.file(p.file)
}

// inline reads a Blob.
func (c *conversation) inline(blob []byte) (hub.Part, error) {
	media := hub.Part{MediaType: textOf(blob, "mimeType"), Name: textOf(blob, "displayName")}
	data := textOf(blob, "data")
	switch kind, ok := kindOf(media.MediaType.String()); {
	case len(media.MediaType) == 0:
		return media, c.bad(".inlineData.mimeType", "must say what the data is")
	case !ok:
		return media, c.unsupported(".inlineData", "holds "+media.MediaType.String())
	case data == nil:
		return media, c.bad(".inlineData.data", "must be base64")
	default:
		media.Kind, media.Data = kind, standard(data)
	}
	return media, nil
}

// file reads a FileData. Addresses of Google's own stores are names of files.
func (c *conversation) file(data []byte) (hub.Part, error) {
	media := hub.Part{MediaType: textOf(data, "mimeType"), Name: textOf(data, "displayName")}
	uri := textOf(data, "fileUri")
	kind, ok := kindOf(media.MediaType.String())
	media.Kind = kind
	switch said := uri.String(); {
	case said == "":
		return media, c.bad("", "must hold text, inlineData, fileData, functionCall or functionResponse")
	case !ok || kind == hub.PartAudio:
		return media, c.unsupported(".fileData", "is a file of "+media.MediaType.String())
	case isKept(said):
		media.FileID = uri
	default:
		media.URL = uri
	}
	return media, nil
}

// kindOf returns what a media type is to the hub, which knows no video.
func kindOf(mediaType string) (kind hub.PartKind, ok bool) {
	top, _, _ := strings.Cut(strings.ToLower(mediaType), "/")
	switch top {
	case "image":
		return hub.PartImage, true
	case "audio":
		return hub.PartAudio, true
	case "video":
		return 0, false
	}
	return hub.PartFile, true
}

// isKept reports whether an address is that of a file in a store of Google's.
func isKept(uri string) bool {
	scheme, rest, found := strings.Cut(uri, "://")
	return !found || scheme == "gs" || strings.HasPrefix(rest, "generativelanguage.googleapis.com/")
}

// standard returns base64 in the standard alphabet. Google also takes that for
// URLs.
func standard(data hub.Text) hub.Text {
	if bytes.IndexByte(data, '-') < 0 && bytes.IndexByte(data, '_') < 0 {
		return data
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("-"), []byte("+")), []byte("_"), []byte("/"))
}
