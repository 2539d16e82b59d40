package gemini

import "relay/gateway/wire"

// ModelEdits appends to dst the edits that make every member of a request that
// names a model name this one: model of embedContent, requests[].model of
// batchEmbedContents, generateContentRequest.model of countTokens, which may
// also be written generate_content_request. All of one name are replaced, those
// that say the same already are left. The body must have passed wire.Scan.
func ModelEdits(dst []wire.Edit, body []byte, name string) []wire.Edit {
	r := renaming{body: body, name: resource(name), edits: dst}
	w := wire.Walk(body)
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "model":
			r.replace(&w)
		case "requests":
			r.each(&w)
		case "generateContentRequest", "generate_content_request":
			r.within(&w)
		}
	}
	return r.edits
}

// renaming gathers the edits that give a request another model.
type renaming struct {
	body  []byte
	name  string
	text  string // the name as JSON, once it is needed
	edits []wire.Edit
}

func (r *renaming) each(w *wire.Walker) {
	for more := w.Array(); more; more = w.Element() {
		r.within(w)
	}
}

func (r *renaming) within(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "model" {
			r.replace(w)
		}
	}
}

// replace replaces a value whatever it is: a name that is no text would be read
// by somebody.
func (r *renaming) replace(w *wire.Walker) {
	at := w.Value()
	if said, _ := wire.Text(r.body, at, nil); string(said) == r.name {
		return
	}
	if r.text == "" {
		r.text = wire.Quote(r.name)
	}
	r.edits = append(r.edits, wire.Edit{At: at, Text: r.text})
}
