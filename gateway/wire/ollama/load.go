package ollama

import (
	"strconv"
	"time"

	"relay/gateway/wire/hub"
)

// Loader is the half of a shape whose callers may load a model without asking it.
type Loader interface {
	// Loads returns load or unload for a body, which has passed wire.Scan, that does
	// nothing else; empty for any other.
	Loads(body []byte) (reason string)
	// AppendLoaded writes the answer to it, which is whole, streamed or not.
	AppendLoaded(dst []byte, r *hub.Reply, reason string) []byte
}

var (
	_ Loader = Hub{}
	_ Loader = GenerateHub{}
)

// Loads reports a body without messages.
func (Hub) Loads(body []byte) (reason string) {
	for range hub.Elements(hub.MemberOf(body, "messages")) {
		return ""
	}
	return loads(body)
}

// Loads reports a body without a prompt.
func (GenerateHub) Loads(body []byte) (reason string) {
	if t, _ := hub.TextOf(hub.MemberOf(body, "prompt")); len(t) > 0 {
		return ""
	}
	return loads(body)
}

// AppendLoaded writes an answer of /api/chat that says that the model is loaded.
func (Hub) AppendLoaded(dst []byte, r *hub.Reply, reason string) []byte {
	w := &writer{}
	w.begin(r, `,"message":{"role":"assistant","content":"`, `"},"done":`)
	return w.appendLoaded(dst, reason)
}

// AppendLoaded writes an answer of /api/generate that says that the model is loaded.
func (GenerateHub) AppendLoaded(dst []byte, r *hub.Reply, reason string) []byte {
	w := &writer{}
	w.begin(r, `,"response":"`, `","done":`)
	return w.appendLoaded(dst, reason)
}

func (w *writer) appendLoaded(dst []byte, reason string) []byte {
	dst = append(append(dst, w.head...), w.tail...)
	return append(append(append(dst, `true,"done_reason":"`...), reason...), `"}`...)
}

// loads tells loading from unloading: a model that is kept for no time goes at once.
func loads(body []byte) string {
	if isZero(hub.MemberOf(body, "keep_alive")) {
		return "unload"
	}
	return "load"
}

// isZero reports whether a number of seconds, or a text such as 0s, is nothing.
func isZero(value []byte) bool {
	if hub.IsNull(value) {
		return false
	}
	if t, ok := hub.TextOf(value); ok {
		d, err := time.ParseDuration(t.String())
		return err == nil && d == 0
	}
	n, err := strconv.ParseFloat(string(value), 64)
	return err == nil && n == 0
}
