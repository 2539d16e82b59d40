package responses

import "relay/gateway/wire"

// response is what a response says, whole or within the event that ends a
// stream. It goes into the tap only once its document has been read without a
// fault. Of members with one name the last counts.
type response struct {
	first     byte   // of the document
	status    string // completed, incomplete, failed, …
	why       string // why it is incomplete
	hasOutput bool
	failing   bool // it holds an error
	itself    bool // it calls itself one
	usage     wire.Usage
}

// parse reads a whole response and reports whether it is JSON.
func (r *response) parse(document []byte) bool {
	w := wire.Walk(document)
	r.first = w.First()
	r.read(&w)
	return w.End()
}

func (r *response) read(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "object", "type":
			r.itself = w.Is("error") || r.itself
		case "status":
			r.status = w.Reason()
		case "incomplete_details":
			r.readDetails(w)
		case "error":
			r.failing = w.Filled()
		case "output":
			r.hasOutput = w.HasElements()
		case "usage":
			r.readUsage(w)
		}
	}
}

func (r *response) readDetails(w *wire.Walker) {
	r.why = ""
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "reason" {
			r.why = w.Reason()
		}
	}
}

// readUsage reads a usage object that is held whole.
func (r *response) readUsage(w *wire.Walker) {
	if w.First() != '{' {
		return
	}
	if u := w.Tokens(); w.OK() {
		r.usage.Replace(u)
	}
}

// failed reports whether the response is an error, or tells one.
func (r *response) failed() bool {
	return r.failing || r.status == "failed" || r.first == '[' || r.itself && r.status == ""
}

// tell puts what was read into the tap. Why a response is incomplete says more
// than that it is.
func (r *response) tell(t *wire.Tap) {
	reason := r.status
	if r.why != "" {
		reason = r.why
	}
	if reason != "" {
		t.Finish(0, reason)
	}
	t.Usage.MergePrompt(r.usage)
}
