package gateway

import (
	"slices"

	"relay/store"
)

// warnIgnored logs, once a model, that a request holds options of Ollama's own
// where Ollama ignores them: at its endpoints of other shapes, to which a binding may
// bind it, it runs with its defaults and tells nobody.
func (x *exchange) warnIgnored(c candidate) {
	if !x.members.Options.Present() && !x.members.Runner.Present() || x.call.shape == store.ShapeOllama || x.call.hub != nil && c.Binding.Speaks(store.ShapeOllama) || !slices.Contains(c.Key.Host.Record.Spec.Shapes, store.ShapeOllama) {
		return
	}
	up, label := x.gen.hosts[c.Key.Host.Index], x.model.Label()
	if _, told := up.warned.LoadOrStore(label, true); told {
		return
	}
	x.s.opt.Log.Warn().Str("host", c.Key.Host.Name()).Str("model", label).Str("path", x.r.URL.Path).
		Msg("Ollama ignores options and num_ctx at this path; list ollama among the shapes of the binding, or set num_ctx in the model")
}
