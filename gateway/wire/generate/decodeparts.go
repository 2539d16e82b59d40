package generate

import "relay/gateway/wire/hub"

// readContent reads a text, or a list of parts.
func readContent(path string, value []byte) ([]hub.Part, error) {
	if t, ok := hub.TextOf(value); ok {
		return []hub.Part{{Text: t}}, nil
	}
	var parts []hub.Part
	err := list(path, value, func(at string, value []byte) error {
		p, err := readPart(at, value)
		parts = append(parts, p)
		return err
	})
	return parts, err
}

func readPart(at string, value []byte) (hub.Part, error) {
	kind, err := kindOf(at, value, "", "text", "image", "file", "audio", "refusal")
	if err != nil {
		return hub.Part{}, err
	}
	p := hub.Part{Kind: partKind(kind)}
	var url hub.Text
	if err := object(at, value, func(name string, value []byte) error {
		t := member(&p, &url, name)
		switch {
		case name == "type":
			return nil
		case t == nil || !has(p.Kind, name):
			return unknown(at + "." + name)
		}
		return into(t, at+"."+name, value)
	}); err != nil {
		return p, err
	}
	if p.Kind == hub.PartText || p.Kind == hub.PartRefusal {
		return p, nil
	}
	return p, place(&p, at, url)
}

func partKind(name string) hub.PartKind {
	switch name {
	case "image":
		return hub.PartImage
	case "file":
		return hub.PartFile
	case "audio":
		return hub.PartAudio
	case "refusal":
		return hub.PartRefusal
	}
	return hub.PartText
}

// member returns where the text of a member belongs; nil: there is no such member.
func member(p *hub.Part, url *hub.Text, name string) *hub.Text {
	switch name {
	case "text":
		return &p.Text
	case "data":
		return &p.Data
	case "media_type":
		return &p.MediaType
	case "url":
		return url
	case "file_id":
		return &p.FileID
	case "name":
		return &p.Name
	case "detail":
		return &p.Detail
	}
	return nil
}

// has reports whether parts of a kind have a member of the name.
func has(kind hub.PartKind, name string) bool {
	isMedia := kind == hub.PartImage || kind == hub.PartFile
	switch name {
	case "text":
		return kind == hub.PartText || kind == hub.PartRefusal
	case "data", "media_type":
		return isMedia || kind == hub.PartAudio
	case "url", "file_id":
		return isMedia
	case "name":
		return kind == hub.PartFile
	}
	return kind == hub.PartImage
}

// place checks that media are told in one way.
func place(p *hub.Part, at string, url hub.Text) error {
	ways := 0
	for _, t := range [...]hub.Text{p.Data, url, p.FileID} {
		if len(t) > 0 {
			ways++
		}
	}
	switch {
	case ways != 1:
		return hub.Bad(at, "must have one of data, url and file_id")
	case len(url) > 0 && !p.SetAddress(url):
		return hub.Bad(at+".url", "must be an address, or a data address in base64")
	case len(p.Data) > 0 && len(p.MediaType) == 0:
		return hub.Bad(at+".media_type", "must say what the data are, such as image/png")
	}
	return nil
}
