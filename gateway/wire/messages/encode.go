package messages

import (
	"slices"
	"strconv"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// body writes the body of a request.
type body struct {
	out   []byte
	start int // where the body begins in out
	r     *hub.Request
	to    hub.Target
	talk  *conversation
	think thinking
	names names
}

// Encode appends the body of POST /v1/messages.
func (Hub) Encode(dst []byte, r *hub.Request, to hub.Target) ([]byte, error) {
	b := body{out: dst, start: len(dst), r: r, to: to, talk: conversationOf(r, to.Provider)}
	if len(b.talk.items) == 0 {
		return dst, wire.NewError(wire.CodeTranslateRequest, "The conversation holds nothing that could be sent: give it a message with text.")
	}
	b.think = thinkingOf(r, to, b.talk)
	b.out = wire.AppendText(b.out, `{"model":`, to.Model)
	b.limit()
	for _, write := range [...]func() error{b.system, b.messages, b.tools, b.config} {
		if err := write(); err != nil {
			return dst, err
		}
	}
	b.sampling()
	b.stop()
	b.user()
	b.out = strconv.AppendBool(append(b.out, `,"stream":`...), to.Streamed)
	b.extension()
	b.left()
	return append(b.out, '}'), nil
}

// limit writes max_tokens, which the shape asks for.
func (b *body) limit() {
	b.out = append(b.out, `,"max_tokens":`...)
	if said := b.r.Param(hub.MaxTokens); said != nil {
		b.out = append(b.out, said...)
		return
	}
	b.out = strconv.AppendInt(b.out, maxTokens(b.r, b.to), 10)
}

// config writes how the model thinks and what the answer must be like.
func (b *body) config() error {
	switch {
	case b.think.adaptive && b.think.told:
		b.out = append(b.out, `,"thinking":{"type":"adaptive","display":"summarized"}`...)
	case b.think.adaptive:
		b.out = append(b.out, `,"thinking":{"type":"adaptive"}`...)
	case b.think.on():
		b.out = wire.AppendNumber(b.out, `,"thinking":{"type":"enabled","budget_tokens":`, b.think.budget)
		b.out = append(b.out, '}')
	}
	schema, err := b.schema()
	if err != nil || schema == nil && b.think.effort == "" {
		return err
	}
	b.out = append(b.out, `,"output_config":{`...)
	if b.think.effort != "" {
		b.out = wire.AppendText(b.out, `"effort":`, b.think.effort)
	}
	if schema != nil {
		b.out = append(next(b.out), `"format":{"type":"json_schema","schema":`...)
		b.out = append(append(b.out, schema...), '}')
	}
	b.out = append(b.out, '}')
	return nil
}

// schema returns the schema of the answer, where no tool stands for it.
func (b *body) schema() ([]byte, error) {
	_, answers := answerTool(b.r)
	switch {
	case answers, b.r.Format.Kind == hub.FormatText:
		return nil, nil
	case b.r.Format.Kind == hub.FormatJSON:
		return nil, inexpressible(hub.JSONObject.String()+" beside tools", "Give a json_schema, or leave the tools out")
	}
	return b.r.Format.Schema, nil
}

// sampling writes what may stand beside thinking, or all of it where there is none.
func (b *body) sampling() {
	if t := b.r.Param(hub.Temperature); t != nil && !b.think.on() {
		if number(t) > 1 {
			t = []byte("1")
		}
		b.out = append(append(b.out, `,"temperature":`...), t...)
	}
	if p := b.r.Param(hub.TopP); p != nil && number(p) != 1 && (!b.think.on() || number(p) >= leastTopP) {
		b.out = append(append(b.out, `,"top_p":`...), p...)
	}
	if k := b.r.Param(hub.TopK); k != nil && !b.think.on() {
		b.out = append(append(b.out, `,"top_k":`...), k...)
	}
}

// leastTopP is how low top_p may be beside thinking.
const leastTopP = 0.95

func number(value []byte) float64 {
	n, _ := strconv.ParseFloat(string(value), 64)
	return n
}

// stop writes the texts that end the answer. Those of white space are refused.
func (b *body) stop() {
	said := b.r.Param(hub.Stop)
	if said == nil {
		return
	}
	before := len(b.out)
	b.out = append(b.out, `,"stop_sequences":[`...)
	empty := len(b.out)
	if text, ok := hub.TextOf(said); ok {
		b.stopText(text)
	}
	for element := range hub.Elements(said) {
		b.stopText(textOf(element))
	}
	if len(b.out) == empty {
		b.out = b.out[:before]
		return
	}
	b.out = append(b.out, ']')
}

func (b *body) stopText(t hub.Text) {
	if !t.Blank() {
		b.out = t.Append(next(b.out))
	}
}

func (b *body) user() {
	if user := textOf(b.r.Param(hub.User)); !user.Blank() {
		b.out = append(user.AppendAfter(b.out, `,"metadata":{"user_id":`), '}')
	}
}

// extension adds the caller's own members for the shape, save those that have been
// written.
func (b *body) extension() {
	more := b.r.Extension(shape)
	if more == nil {
		return
	}
	var written []string
	for name := range hub.Members(append(b.out[b.start:len(b.out):len(b.out)], '}')) {
		written = append(written, string(name))
	}
	for name, value := range hub.Members(more) {
		if slices.Contains(written, string(name)) {
			b.to.Left.AddExtension(shape, string(name))
			continue
		}
		b.out = wire.AppendText(append(b.out, ','), "", string(name))
		b.out = append(append(b.out, ':'), value...)
	}
}

// next writes a comma, unless what is written next is the first of its array or
// object.
func next(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '[' || last == '{' {
		return dst
	}
	return append(dst, ',')
}

// inexpressible is the refusal of what only the values of a request show.
func inexpressible(member, advice string) *wire.Error {
	e := wire.Errorf(wire.CodeUnsupportedParam,
		"The model's host speaks the shape %s, which cannot express %s. %s, or use a model whose host can.", shape, member, advice)
	e.Param = member
	return e
}
