// Package media holds the codecs of OpenAI's images and audio
// (https://platform.openai.com/docs/api-reference/images and …/audio), as OpenAI
// and the servers speak them that follow its lead. Their errors and model lists
// are those of chat completions, their streams are events that have names.
package media

import (
	"relay/gateway/wire"
	"relay/gateway/wire/chat"
)

// base is what the codecs have in common.
type base struct{ chat.Codec }

// WantsUsage returns true: every answer reports its usage, if there is any.
func (base) WantsUsage([]byte, *wire.Members) bool { return true }

// AskUsage returns no edit, since nothing need be asked for.
func (base) AskUsage([]byte, *wire.Members) (wire.Edit, bool) { return wire.Edit{}, false }

// Terminal returns nothing: the upstream's last event goes on as it came.
func (base) Terminal() string { return "" }

// ReadEvent reads one event into the tap.
func (base) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind { return readEvent(t, e) }

// Complete reports whether the last event has come. Without it a stream is cut
// off, whatever came before.
func (base) Complete(t *wire.Tap) bool { return t.Done }
