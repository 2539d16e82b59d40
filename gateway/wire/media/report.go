package media

import "relay/gateway/wire"

// report is what an answer or an event says beside its content. It goes into the
// tap only once its document has been read without a fault. Of members with one
// name the last counts.
type report struct {
	first    byte // of the document
	role     role
	mayFail  bool // it holds an error, or calls itself one
	images   int64
	usage    wire.Usage
	duration wire.Usage // of the audio, beside the usage
}

// parse reads a document and reports whether it is JSON.
func (r *report) parse(document []byte) bool {
	w := wire.Walk(document)
	r.first = w.First()
	r.mayFail = r.first == '['
	for more := w.Object(); more; more = w.Member() {
		r.readMember(&w)
	}
	return w.End()
}

func (r *report) readMember(w *wire.Walker) {
	switch string(w.Name()) {
	case "type", "object":
		r.readType(w)
	case "error":
		r.mayFail = w.Filled() || r.mayFail
	case "data":
		r.images = countIn(w)
	case "usage":
		r.readUsage(w)
	case "duration":
		r.duration.Seconds = w.Seconds(&r.duration)
	}
}

func (r *report) readType(w *wire.Walker) {
	var room [32]byte
	name, _ := w.Text(room[:0])
	r.role = max(r.role, roleOf(name))
	r.mayFail = r.mayFail || string(name) == "error"
}

// readUsage reads a usage object that is held whole.
func (r *report) readUsage(w *wire.Walker) {
	if w.First() != '{' {
		return
	}
	if u := w.Tokens(); w.OK() {
		r.usage.Replace(u)
	}
}

// countIn steps over a value and returns how many elements it has as an array.
func countIn(w *wire.Walker) (n int64) {
	for more := w.Array(); more; more = w.Element() {
		n++
	}
	return n
}

// readAnswer reads a whole answer that is JSON.
func (r *report) readAnswer(t *wire.Tap, body []byte) wire.Kind {
	switch {
	case !r.parse(body):
		return wire.Invalid
	case r.mayFail && t.Fails(body):
		return wire.Failed
	case r.first != '{':
		return wire.Invalid
	}
	r.tell(t)
	t.Done = true
	return wire.Content
}

// tell puts the usage into the tap. A length of the audio counts where the usage
// tells none.
func (r *report) tell(t *wire.Tap) {
	if r.usage.Seconds == 0 {
		r.usage.Seconds = r.duration.Seconds
	}
	r.usage.Present = r.usage.Present || r.duration.Present
	r.usage.Flagged = r.usage.Flagged || r.duration.Flagged
	t.Usage.MergePrompt(r.usage)
}
