package ollama

import (
	"time"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// writer writes an answer as lines of /api/chat or /api/generate. What Ollama has
// no place for, such as media and what only the model's own provider can read, is
// left out, and so is a call whose arguments have not come to their end.
type writer struct {
	head  []byte // a line up to the text that it brings
	tail  string // what follows the text and the thoughts
	calls bool   // the answer may hold calls
	made  int    // calls so far

	call      hub.Call // of the open part
	arguments hub.Text // and what has come of them
}

// begin makes what all lines begin with. before stands before the text, behind
// after it and the thoughts.
func (w *writer) begin(r *hub.Reply, before, behind string) {
	w.head = wire.AppendText(make([]byte, 0, 160), `{"model":`, r.Model)
	w.head = append(w.head, `,"created_at":"`...)
	w.head = time.Unix(r.Created, 0).UTC().AppendFormat(w.head, time.RFC3339)
	w.head = append(append(w.head, '"'), before...)
	w.tail = behind
}

// Append writes the line of an event, if it has one.
func (w *writer) Append(dst []byte, e hub.Event) []byte {
	switch e.Kind {
	case hub.EventPart:
		w.call, w.arguments = e.Call, w.arguments[:0]
		if e.Of == hub.PartCall {
			w.call = keep(e.Call)
		}
	case hub.EventDelta:
		return w.appendDelta(dst, e)
	case hub.EventPartEnd:
		if e.Of == hub.PartCall && !e.Cut && w.calls {
			return w.appendCall(dst)
		}
	case hub.EventFinish:
		dst = w.appendEnd(w.appendText(dst, nil), e.Reason, e.Usage)
		return append(dst, '\n')
	}
	return dst
}

// keep copies the names of a call, which are good only as long as their event.
func keep(c hub.Call) hub.Call {
	c.ID, c.Name = append(hub.Text(nil), c.ID...), append(hub.Text(nil), c.NameOfFlat()...)
	c.Namespace = nil
	return c
}

func (w *writer) appendDelta(dst []byte, e hub.Event) []byte {
	switch e.Of {
	case hub.PartText, hub.PartRefusal:
		return w.endLine(w.appendText(dst, e.Text))
	case hub.PartReasoning:
		dst = e.Text.AppendAfter(w.appendText(dst, nil), `,"thinking":`)
		return w.endLine(dst)
	case hub.PartCall:
		if w.calls {
			w.arguments = append(w.arguments, e.Text...)
		}
	}
	return dst
}

// appendText writes a line up to the quote behind its text.
func (w *writer) appendText(dst []byte, t hub.Text) []byte {
	return append(append(append(dst, w.head...), t...), '"')
}

func (w *writer) endLine(dst []byte) []byte {
	return append(append(dst, w.tail...), "false}\n"...)
}

// appendCall writes the call that has come to its end.
func (w *writer) appendCall(dst []byte) []byte {
	dst = append(w.appendText(dst, nil), `,"tool_calls":[{`...)
	dst = appendCall(dst, w.call, w.arguments, w.made)
	w.made++
	return w.endLine(append(dst, ']'))
}

// appendEnd writes what the last line and a whole answer end with.
func (w *writer) appendEnd(dst []byte, reason hub.Reason, u *wire.Usage) []byte {
	if u == nil {
		u = &wire.Usage{}
	}
	dst = append(append(dst, w.tail...), `true,"done_reason":`...)
	if reason == hub.ReasonLength {
		dst = append(dst, `"length"`...)
	} else {
		dst = append(dst, `"stop"`...)
	}
	dst = wire.AppendNumber(dst, `,"total_duration":0,"load_duration":0,"prompt_eval_count":`, u.Prompt())
	dst = wire.AppendNumber(dst, `,"prompt_eval_duration":0,"eval_count":`, u.Output)
	return append(dst, `,"eval_duration":0}`...)
}

// appendCall writes a call without the brace that it begins with. Arguments must be
// an object: those that are not stand in one, as the text of a custom tool does.
func appendCall(dst []byte, c hub.Call, arguments hub.Text, index int) []byte {
	dst = appendCallHead(dst, c, index)
	switch plain := arguments.Plain(); {
	case !c.Custom && isObject(plain):
		dst = hub.AppendLine(dst, plain)
	case c.Custom || !wire.Valid(plain):
		dst = append(arguments.AppendAfter(dst, `{"input":`), '}')
	default:
		dst = append(hub.AppendLine(append(dst, `{"input":`...), plain), '}')
	}
	return append(dst, "}}"...)
}
