package gateway

import (
	"unicode/utf8"

	"relay/gateway/wire"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/ollama"
)

// naming is where a request names its model, and how the name is written anew
// for a host.
type naming interface {
	// read checks the body, finds what Relay must know of it and returns the
	// model's name.
	read(x *exchange) (string, error)
	// rename appends the edits after which the body names the model as its host
	// does.
	rename(x *exchange, edits []wire.Edit, name string) []wire.Edit
}

// byMember is the member model of a JSON body.
type byMember struct{}

func (byMember) read(x *exchange) (string, error) {
	if err := x.scanMembers(); err != nil {
		return "", err
	}
	name, err := x.members.ModelName(x.body, x.room[:0])
	return string(name), err
}

func (byMember) rename(x *exchange, edits []wire.Edit, name string) []wire.Edit {
	if name == x.requested {
		return edits
	}
	return append(edits, wire.Edit{At: x.members.Model, Text: wire.Quote(name)})
}

// scanMembers checks a JSON body and finds the members that Relay reads.
func (x *exchange) scanMembers() error {
	if err := wire.Scan(x.body, &x.members); err != nil {
		return err
	}
	return refuseSteering(x.members.Steering.Of(x.body))
}

func refuseSteering(name []byte) error {
	if len(name) == 0 {
		return nil
	}
	return wire.NewError(wire.CodeUnsupportedParam, "The member "+string(name)+" is not taken: callers cannot choose where Relay sends their request.")
}

// byMemberOrName is Ollama's: the member model or, as its former clients send
// it, name.
type byMemberOrName struct{ byMember }

func (byMemberOrName) read(x *exchange) (string, error) {
	if err := x.scanMembers(); err != nil {
		return "", err
	}
	name, at, err := ollama.ModelName(x.body, x.room[:0])
	x.members.Model = at
	return string(name), err
}

// byForm is the field model of a multipart body, which may hold files.
type byForm struct{}

func (byForm) read(x *exchange) (string, error) {
	var form wire.Form
	if err := wire.ScanForm(x.r.Header.Get("Content-Type"), x.body, &form); err != nil {
		return "", err
	}
	if err := refuseSteering(form.Steering.Of(x.body)); err != nil {
		return "", err
	}
	if err := x.s.opt.Media.refuseFiles(x.body, &form); err != nil {
		return "", err
	}
	x.members.Model, x.members.N, x.members.Streamed = form.Model, form.N, form.Streamed
	if !form.Model.Present() {
		return "", wire.NewError(wire.CodeMissingModel, `The form has no field "model"; name one of the models this key may use (GET /v1/models).`)
	}
	name := form.Model.Of(x.body)
	return string(name), wire.CheckModelName(name)
}

func (byForm) rename(x *exchange, edits []wire.Edit, name string) []wire.Edit {
	return append(edits, wire.Edit{At: x.members.Model, Text: name})
}

// byPath is Gemini's: the request's path names the model, and its body may do so
// again.
type byPath struct{}

func (byPath) read(x *exchange) (string, error) {
	if err := x.scanMembers(); err != nil {
		return "", err
	}
	name, _, _ := gemini.SplitPath(behindModels(x.r))
	if !utf8.ValidString(name) {
		return "", wire.NewError(wire.CodeMissingModel, "The model's name in the path is not valid UTF-8; name one of the models this key may use (GET /v1beta/models).")
	}
	return name, wire.CheckModelName([]byte(name))
}

func (byPath) rename(x *exchange, edits []wire.Edit, name string) []wire.Edit {
	return gemini.ModelEdits(edits, x.body, name)
}

// bySpeech is byMember for text that is to be spoken, of which there may be too
// much.
type bySpeech struct{ byMember }

func (n bySpeech) read(x *exchange) (string, error) {
	name, err := n.byMember.read(x)
	if err != nil {
		return "", err
	}
	return name, x.s.opt.Media.refuseSpeech(x.body)
}
