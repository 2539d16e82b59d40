package gemini

import (
	"slices"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// placeholder stands in for the signature of a call that Relay does not have:
// one of another provider's models, or one that the caller has lost.
const placeholder = "skip_thought_signature_validator"

// call writes a functionCall. first says that it is the first of its step, the
// one that must be signed.
func (w *writer) call(item *hub.Item, first bool) (err error) {
	w.part()
	w.dst = append(w.dst, `{"functionCall":{`...)
	if !w.older {
		w.text("id", item.Call.ID)
	}
	w.text("name", item.Call.NameOfFlat())
	w.name("args")
	if w.dst, err = item.AppendArguments(w.dst); err != nil {
		return err
	}
	w.dst = append(w.dst, '}')
	switch {
	case w.mine(&item.Opaque):
		w.text("thoughtSignature", item.Opaque.Data)
	case first && !w.older:
		w.text("thoughtSignature", hub.Text(placeholder))
	}
	w.dst = append(w.dst, '}')
	return nil
}

// result writes a functionResponse. The media in it stand beside it.
func (w *writer) result(item *hub.Item) error {
	name, err := w.nameOf(item)
	if err != nil {
		return err
	}
	w.part()
	w.dst = append(w.dst, `{"functionResponse":{`...)
	if !w.older {
		w.text("id", item.Call.ID)
	}
	w.text("name", name)
	w.name("response")
	w.dst = appendResponse(w.dst, item)
	w.dst = append(w.dst, "}}"...)
	return nil
}

// appendResponse writes what a result says as an object: itself where it is one,
// else as the member that Google looks for.
func appendResponse(dst []byte, item *hub.Item) []byte {
	text := textIn(item.Parts)
	plain := text.Plain()
	object := len(plain) > 0 && plain[0] == '{' && wire.Valid(plain)
	switch {
	case item.Failed && object:
		return append(append(append(dst, `{"error":`...), plain...), '}')
	case item.Failed:
		return append(text.AppendAfter(dst, `{"error":`), '}')
	case object:
		return append(dst, plain...)
	}
	return append(text.AppendAfter(dst, `{"output":`), '}')
}

// textIn returns the texts among parts, joined by line ends.
func textIn(parts []hub.Part) (joined hub.Text) {
	n := 0
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Kind != hub.PartText:
			continue
		case n == 0:
			joined = slices.Clip(p.Text)
		default:
			joined = append(append(joined, `\n`...), p.Text...)
		}
		n++
	}
	return joined
}

// nameOf returns the name of the function that a result belongs to.
func (w *writer) nameOf(result *hub.Item) (hub.Text, error) {
	if len(result.Call.Name) > 0 {
		return result.Call.NameOfFlat(), nil
	}
	if w.calls == nil {
		w.calls = hub.IndexCalls(w.r.Items)
	}
	if call := w.calls.Before(w.at, result.Call.ID); call != nil {
		return call.Call.NameOfFlat(), nil
	}
	return nil, hub.Bad("the result of the call "+result.Call.ID.String(), "has no call before it, whose function must be named")
}
