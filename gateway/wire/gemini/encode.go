package gemini

import (
	"strings"

	"relay/gateway/wire/hub"
)

// writer writes the body of one request.
type writer struct {
	r     *hub.Request
	to    hub.Target
	older bool           // the model asks for neither signatures nor ids of calls
	calls *hub.CallIndex // made once a result does not tell the name of its function
	at    int            // in the request: where the turn that is being written begins
	dst   []byte
}

// Encode writes a body of generateContent, which names no model: the path does.
// Schemas go up as JSON Schema, as the caller wrote them.
func (Hub) Encode(dst []byte, r *hub.Request, to hub.Target) ([]byte, error) {
	w := writer{r: r, to: to, older: isOlder(to.Model), dst: append(dst, '{')}
	system, rest := hub.Leading(r.Items)
	if len(rest) == 0 && len(system) > 0 {
		system, rest = system[:len(system)-1], system[len(system)-1:] // a request without contents is refused
	}
	w.system(system)
	if err := w.contents(rest); err != nil {
		return dst, err
	}
	w.tools()
	w.choice()
	w.param("safetySettings", hub.SafetySettings)
	w.config()
	w.param("cachedContent", hub.CachedContent)
	w.param("labels", hub.Labels)
	w.extension()
	w.left(system)
	return append(w.dst, '}'), nil
}

// isOlder reports whether a model is of a generation before Gemini 3, by Google's
// names for them. Those ignore what later ones must be told, or refuse it on some
// of Google's hosts.
func isOlder(model string) bool {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, generation := range [...]string{"gemini-1", "gemini-2", "gemma-"} {
		if strings.HasPrefix(name, generation) {
			return true
		}
	}
	return false
}

// name begins a member of the object that is being written.
func (w *writer) name(name string) { w.dst = appendName(w.dst, name) }

// text writes a member that is a text.
func (w *writer) text(name string, t hub.Text) {
	w.name(name)
	w.dst = t.Append(w.dst)
}

// raw writes a member as JSON.
func (w *writer) raw(name string, value []byte) {
	w.name(name)
	w.dst = append(w.dst, value...)
}

// param writes a parameter as the caller wrote it, if it did.
func (w *writer) param(name string, p hub.Param) {
	if value := w.r.Param(p); value != nil {
		w.raw(name, value)
	}
}

// extension adds the caller's members for this shape. Those of generationConfig
// and tools have been written with Relay's.
func (w *writer) extension() {
	for name, value := range hub.Members(w.r.Extension(shape)) {
		if key := string(name); key != "generationConfig" && key != "tools" {
			w.raw(key, value)
		}
	}
}

// extra returns a member of the caller's for this shape.
func (w *writer) extra(name string) []byte {
	return hub.MemberOf(w.r.Extension(shape), name)
}
