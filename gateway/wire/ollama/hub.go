package ollama

import "relay/gateway/wire/hub"

// Hub is /api/chat on the hub, for callers and hosts. Where a message holds
// several texts they go up as one, with a blank line between them; thoughts, a
// text and calls that follow each other in this order are one message.
type Hub struct{}

// GenerateHub is /api/generate on the hub, for callers alone: translated calls go
// up as chats. Only the texts of the answer can be told.
type GenerateHub struct{}

var (
	_ hub.Codec  = Hub{}
	_ hub.Caller = GenerateHub{}
)

// Shape returns ollama.
func (Hub) Shape() string { return "ollama" }

// Shape returns ollama.
func (GenerateHub) Shape() string { return "ollama" }

// Returns returns false: answers hold nothing that Ollama would not take.
func (Hub) Returns([]byte) bool { return false }

// Returns returns false.
func (GenerateHub) Returns([]byte) bool { return false }

// Decoder returns a reader of lines and whole answers of /api/chat. Ollama keeps
// nothing of its thoughts that only it can read: the provider does not matter.
func (Hub) Decoder(r *hub.Request, _ string) hub.Decoder {
	return &decoder{tools: r.ToolNames(hub.Call.NameOfFlat)}
}

// Encoder returns a writer of answers of /api/chat.
func (Hub) Encoder(r *hub.Reply) hub.Encoder {
	w := &writer{}
	w.begin(r, `,"message":{"role":"assistant","content":"`, `},"done":`)
	w.calls = true
	return w
}

// Encoder returns a writer of answers of /api/generate.
func (GenerateHub) Encoder(r *hub.Reply) hub.Encoder {
	w := &writer{}
	w.begin(r, `,"response":"`, `,"done":`)
	return w
}
