package chat

import "relay/gateway/wire"

// Completions is the codec of legacy completions
// (https://platform.openai.com/docs/api-reference/completions). Their chunks
// and answers differ from chat completions in the text of a choice alone, which
// nobody reads here.
type Completions struct{ Codec }

var _ wire.Codec = Completions{}
