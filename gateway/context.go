package gateway

import (
	"slices"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/store"
)

// contextLimit is how many tokens the context holds that an Ollama runs a request
// with: what the request asks for where Ollama heeds it, else what the catalog
// says of the model; 0 where it is unknown, and for other hosts.
func (x *exchange) contextLimit() int64 {
	if !slices.Contains(x.key.Host.Record.Spec.Shapes, store.ShapeOllama) {
		return 0
	}
	var u wire.Usage
	if n := u.Count(x.contextAsked()); n > 0 {
		return n
	}
	if m := x.gen.plan.Catalog().Models.Get(x.model.ID); m != nil {
		return m.Spec.ContextWindow
	}
	return 0
}

// contextAsked is the number of tokens that the request asks for, as JSON; nil where
// it does not, or in a way that goes unheeded.
func (x *exchange) contextAsked() []byte {
	switch {
	case x.answer.Params != nil && x.spoken.shape == store.ShapeOllama:
		return wire.Take(x.outgoing, "options.numctx")
	case x.translated():
		asked := &x.translation.asked
		if n := asked.Param(hub.NumCtx); n != nil {
			return n
		}
		return hub.MemberOf(asked.Param(hub.RunnerOptions), "num_ctx")
	case x.call.shape == store.ShapeOllama && x.members.Options.Present():
		asked, _ := wire.Member(x.body, x.members.Options, "num_ctx")
		return asked.Of(x.body)
	}
	return nil
}

// fillsContext reports whether prompt and answer fill the context, as far as that
// is known. Ollama then cuts either without a word.
func (x *exchange) fillsContext() bool {
	return x.context > 0 && x.tap.Usage.Prompt()+x.tap.Usage.Output >= x.context
}
