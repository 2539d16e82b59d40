package gateway

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/ollama"
	"relay/store"
)

// translation is a call that goes up in other words than its caller's: in another
// shape, or see returns. Its request is decoded once; the rest is made anew for each
// attempt.
type translation struct {
	asked  hub.Request
	embeds hub.Embeds
	err    error // why the request cannot be decoded

	to       *tongue
	dropped  []string // members that the upstream's shape cannot express
	reply    hub.Reply
	sequence *hub.Sequence
	decoder  hub.Decoder
	encoder  hub.Encoder
	out      []byte // for the caller, not sent yet
}

// translated reports whether the present attempt is another call than the caller's.
func (x *exchange) translated() bool { return x.spoken != x.call }

// prepare makes the body that goes up, as it is where the host takes it, else
// translated. An outcome says why the host cannot be asked.
func (x *exchange) prepare(c candidate) *outcome {
	own := c.Binding.Speaks(x.call.shape) && !x.prefersRunner(c.Binding)
	if own && !x.returns() {
		x.spoken = x.call
		x.outgoing = x.compose(c)
		x.warnIgnored(c)
		return unfit(x.adapt(c.Binding))
	}
	if err := x.translate(c); err != nil {
		if own {
			err = returnRefused(err)
		}
		return unfit(err)
	}
	return nil
}

// unfit is the outcome of a request that the host cannot take; nil of none.
func unfit(err error) *outcome {
	if err == nil {
		return nil
	}
	return &outcome{class: classNone, notSent: true, unfit: true, err: err.(*wire.Error)} //nolint:errorlint // codecs return nothing else
}

// translate writes the request in the first shape of the binding that can express
// it.
func (x *exchange) translate(c candidate) error {
	t := x.decoded()
	if t.err != nil {
		return t.err
	}
	var first error = wire.NewError(wire.CodeNoHostBinding, "No host speaks a shape for this model into which the request can be translated.")
	for i, shape := range x.shapes(c.Binding) {
		err := x.encode(t, x.s.tongues[shape], c)
		if err == nil {
			return nil
		}
		if i == 0 {
			first = err
		}
	}
	return first
}

// shapes are those that the request may be translated into for a binding, the
// caller's own first, in its order.
func (x *exchange) shapes(b *plan.Binding) []store.Shape {
	if x.prefersRunner(b) {
		return []store.Shape{store.ShapeOllama}
	}
	var shapes []store.Shape
	if b.Speaks(x.call.shape) {
		shapes = append(shapes, x.call.shape)
	}
	for _, shape := range b.Shapes {
		if plan.Translates(x.call.name, shape) && shape != x.call.shape {
			shapes = append(shapes, shape)
		}
	}
	return shapes
}

// prefersRunner reports whether the request holds options of a local runner that
// it heeds in its own shape alone, and the binding has that shape.
func (x *exchange) prefersRunner(b *plan.Binding) bool {
	if x.call.hub == nil || x.call.shape == store.ShapeOllama || x.proxied || !b.Speaks(store.ShapeOllama) {
		return false
	}
	return x.call.shape == store.ShapeOpenAI && (x.members.Options.Present() || x.members.Runner.Present()) || x.r.Header.Get(runnerOptions) != ""
}

// runnerOptions is the header by which callers of any shape give options of a
// local runner.
const runnerOptions = "X-Relay-Ollama-Options"

// decoded reads the request into the hub, once.
func (x *exchange) decoded() *translation {
	if x.translation != nil {
		return x.translation
	}
	t := &translation{}
	x.translation = t
	if t.err = x.claimDecoded(); t.err != nil {
		return t
	}
	if x.call.embeds != nil {
		t.err = x.call.embeds.DecodeEmbeds(x.body, &t.embeds)
		return t
	}
	t.asked.Streamed = x.streams()
	t.err = x.call.hub.Decode(x.body, &t.asked)
	if given := x.r.Header.Get(runnerOptions); given != "" && t.err == nil {
		t.err = ollama.ReadOptions(runnerOptions, []byte(given), &t.asked)
	}
	return t
}

// What an object and an element of a list take at most once they are decoded, in
// bytes besides their text.
const (
	bytesPerObject  = 512
	bytesPerElement = 32
)

// claimDecoded counts the decoded request, and the body that is made of it, against
// max_buffered_bytes. Many small parts take many times what they took as text: what
// could never fit is refused.
func (x *exchange) claimDecoded() error {
	need := int64(len(x.body)) + bytesPerObject*int64(bytes.Count(x.body, []byte("{"))) + bytesPerElement*int64(bytes.Count(x.body, []byte(",")))
	if most := x.s.opt.MaxBufferedBytes / 2; most > 0 && x.claimed+need > most {
		return wire.NewError(wire.CodeTranslateRequest, "The request has so many parts that Relay cannot write it in the shape of the model's host within max_buffered_bytes ("+formatSize(x.s.opt.MaxBufferedBytes)+"). Send fewer or larger ones, or use a model whose host speaks this shape.")
	}
	return x.claim(need)
}

// encode writes the request for one candidate in one shape.
func (x *exchange) encode(t *translation, to *tongue, c candidate) (err error) {
	target := hub.Target{
		Model: c.Binding.UpstreamName, Provider: x.model.ProviderID,
		Streamed: x.streams(), MaxOutput: x.mostOutput(),
	}
	if x.call.embeds != nil {
		if x.outgoing, t.dropped, err = to.embeds.EncodeEmbeds(nil, &t.embeds, target); err == nil {
			err = x.adapt(c.Binding)
		}
		t.to, x.spoken = to, to.vectors
		return err
	}
	asked := x.askedIn(to.hub)
	if t.dropped, err = asked.Check(to.hub.Shape(), to.hub.Fates()); err != nil {
		return err
	}
	var left hub.Left
	target.Left = &left
	t.to, x.spoken = to, to.endpoint(target.Streamed)
	if x.outgoing, err = to.hub.Encode(nil, asked, target); err == nil {
		err = x.adapt(c.Binding)
	}
	t.dropped = left.After(t.dropped)
	return err
}

// mostOutput is how many tokens the present model can give, as far as the catalog
// knows.
func (x *exchange) mostOutput() int64 {
	if m := x.gen.plan.Catalog().Models.Get(x.model.ID); m != nil {
		return m.Spec.MaxOutputTokens
	}
	return 0
}

// beginTranslation readies for the answer of the present attempt.
func (x *exchange) beginTranslation() {
	if !x.translated() || x.call.hub == nil {
		return
	}
	t := x.translation
	t.reply = hub.Reply{
		Request: &t.asked, Model: x.requested, Created: x.start.Unix(),
		ID: strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", ""),
	}
	t.encoder = x.call.hub.Encoder(&t.reply)
	t.decoder = t.to.hub.Decoder(&t.asked, x.model.ProviderID)
	t.sequence, t.out = hub.NewSequence(t, t.reply.ID), t.out[:0]
}

// Event writes an event for the caller.
func (t *translation) Event(e hub.Event) { t.out = t.encoder.Append(t.out, e) }

// translatedHeaders tells what the upstream has not got.
func (x *exchange) translatedHeaders(h http.Header) {
	var dropped []string
	if x.translated() {
		dropped = slices.Clip(x.translation.dropped)
	}
	for _, name := range x.cutOut {
		if !slices.Contains(dropped, name) {
			dropped = append(dropped, name)
		}
	}
	if len(dropped) > 0 {
		h["X-Relay-Dropped-Params"] = x.values.one(strings.Join(dropped, ", "))
	}
}
