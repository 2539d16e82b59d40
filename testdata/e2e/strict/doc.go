// Package strict is five providers that are as particular as the real ones, each
// below a path of its own: OpenAI's chat completions (/chat) and Responses
// (/responses), Anthropic's messages (/messages), Gemini (/gemini) and Ollama
// (/ollama). What a provider refuses, its namesake here refuses with 400 in the
// same words and shape: members it does not know, turns in the wrong order, calls
// of tools without results, thoughts that it has not signed. Ollama, which passes
// over what it does not know, is stricter here than at home.
//
// What is answered depends on the text of the request alone:
//
//   - [script:NAME] says what is played, see words.go;
//   - [cell:NAME] is where the request is noted, see Server.Seen.
//
// Every answer reports the tokens of Usage. Signatures and encrypted reasoning are
// new in every answer, and taken back in the place where they belong alone.
package strict

// Key is what every shape but Ollama's wants to see, in its own header.
const Key = "provider-key-of-the-matrix"

// The shapes, by the first segment of their paths.
const (
	Chat      = "chat"
	Responses = "responses"
	Messages  = "messages"
	Gemini    = "gemini"
	Ollama    = "ollama"
)

// Tokens is what an answer reports, each token counted once.
type Tokens struct{ Input, CacheRead, CacheCreation, Output, Reasoning int64 }

// Prompt is all that was read.
func (t Tokens) Prompt() int64 { return t.Input + t.CacheRead + t.CacheCreation }

// Usage is what every answer of a shape reports: Anthropic alone tells what was
// put into a cache, Ollama nothing of caches, and neither tells what was thought.
func Usage(shape string) Tokens {
	switch shape {
	case Messages:
		return Tokens{Input: 20, CacheRead: 10, CacheCreation: 5, Output: 12}
	case Ollama:
		return Tokens{Input: 30, Output: 12}
	}
	return Tokens{Input: 20, CacheRead: 10, Output: 12, Reasoning: 4}
}
