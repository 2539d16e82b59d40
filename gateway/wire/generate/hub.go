package generate

import "relay/gateway/wire/hub"

// Hub is the canonical shape on the hub, for callers alone.
type Hub struct{}

var _ hub.Caller = Hub{}

// Shape returns generate.
func (Hub) Shape() string { return "generate" }

// Returns returns false: no host speaks the shape.
func (Hub) Returns([]byte) bool { return false }

// Encoder returns a writer of answers.
func (Hub) Encoder(r *hub.Reply) hub.Encoder { return &writer{r: r, item: -1} }
