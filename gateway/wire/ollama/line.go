package ollama

import (
	"cmp"

	"relay/gateway/wire"
)

// line is what a line of a stream says, or a whole answer, which has the same
// members. It goes into the tap only once its document has been read without a
// fault. Of members with one name the last counts.
type line struct {
	first      byte // of the document
	hasContent bool // it holds a piece of text, or of a message
	done       bool
	ending     bool // it has what only the last line has
	reason     string
	usage      wire.Usage

	failing bool // it holds an error
	itself  bool // it calls itself one
}

// parse reads a document and reports whether it is JSON.
func (l *line) parse(document []byte) bool {
	w := wire.Walk(document)
	l.first = w.First()
	l.read(&w, w.Object())
	return w.End()
}

func (l *line) read(w *wire.Walker, more bool) {
	for ; more; more = w.Member() {
		switch string(w.Name()) {
		case "message":
			l.hasContent = w.First() == '{'
		case "response":
			l.hasContent = w.First() == '"'
		case "done":
			l.done = w.First() == 't'
		case "done_reason":
			l.reason, l.ending = w.Reason(), true
		case "total_duration":
			l.ending = true
		case "prompt_eval_count":
			l.usage.Input = w.Count(&l.usage)
		case "eval_count":
			l.usage.Output = w.Count(&l.usage)
		case "error":
			l.readError(w)
		case "object", "type":
			l.itself = w.Is("error") || l.itself
		}
	}
}

// readError notes an error, also one that is longer than what is held of it.
func (l *line) readError(w *wire.Walker) {
	begins := w.First() == '{' || w.First() == '"'
	l.failing = w.Filled() || begins && !w.OK()
}

// failed reports whether the line is an error. One that only calls itself an
// error is none beside content.
func (l *line) failed() bool { return l.failing || l.itself && !l.hasContent || l.first == '[' }

// tell puts what was read into the tap. What loads or unloads a model generates
// nothing and counts nothing.
func (l *line) tell(t *wire.Tap) {
	if l.done {
		t.Finish(0, cmp.Or(l.reason, t.Reason))
	}
	if l.reason == "load" || l.reason == "unload" {
		l.usage.Present = true
	}
	t.Usage.Merge(l.usage)
}
