package responses

import (
	"bytes"

	"relay/gateway/wire"
)

// role says what an event is to its stream.
type role uint8

const (
	unnamed role = iota // its name says nothing
	within
	end
	failure
)

// roleOf knows events by their name. response.done and response.cancelled are
// those of servers that differ from the documentation.
func roleOf(name []byte) role {
	switch string(name) {
	case "response.completed", "response.incomplete", "response.done", "response.cancelled":
		return end
	case "response.failed":
		return failure
	}
	if bytes.HasPrefix(name, []byte("response.")) {
		return within
	}
	return unnamed
}

// event is what the data of an event says.
type event struct {
	role     role
	mayFail  bool // it holds an error of its own, or calls itself one
	response response
}

// parse reads the data of an event and reports whether it is JSON.
func (v *event) parse(data []byte) bool {
	w := wire.Walk(data)
	v.mayFail = w.First() == '['
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "type":
			v.readType(&w)
		case "error":
			v.mayFail = w.Filled() || v.mayFail
		case "response":
			v.response.read(&w)
		}
	}
	return w.End()
}

func (v *event) readType(w *wire.Walker) {
	var room [32]byte
	name, _ := w.Text(room[:0])
	v.role = roleOf(name)
	v.mayFail = v.mayFail || string(name) == "error"
}

// failureIn reads the failure of an event that says that its response failed,
// whatever that says.
func failureIn(data []byte) wire.Failure {
	w := wire.Walk(data)
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) != "response" {
			continue
		}
		if f, ok := wire.FailureIn(w.Value().Of(data)); ok {
			return f
		}
	}
	return wire.Failure{Status: 500}
}
