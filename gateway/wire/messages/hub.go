package messages

import "relay/gateway/wire/hub"

// Hub reads and writes messages for callers and upstreams of other shapes. It
// implements hub.Codec.
//
// What it leaves out of requests to an upstream of this shape, since Anthropic
// refuses it there (https://platform.claude.com/docs/en/build-with-claude/extended-thinking):
//
//   - thinking, where a tool must be called, where the answer is begun, where
//     max_tokens leaves no room for it, and where tools have been called by turns
//     none of which has a thought to offer
//   - temperature, top_k and a top_p below 0.95 beside thinking
//   - thoughts without a signature, or of another provider
//   - blank texts, blank stop sequences, white space behind an answer that is
//     begun
//   - strict on tools, as Anthropic's own OpenAI-shaped endpoint does: which
//     schemas it takes there differs from model to model
//
// A system message within the conversation is a text of the user between <system>
// and </system>, as is the last one of a conversation that has no others. Ids and
// names that the shape does not take are made to fit, see fit. Tools of which only
// the calls are known are written with tool_choice none.
type Hub struct{}

var _ hub.Codec = Hub{}

// shape is the name of the shape in bindings.
const shape = "anthropic"

// Shape returns anthropic.
func (Hub) Shape() string { return shape }

// Decoder returns a reader of one answer to the request.
func (Hub) Decoder(r *hub.Request, provider string) hub.Decoder { return newAnswer(r, provider) }

// Encoder returns a writer of one answer.
func (Hub) Encoder(r *hub.Reply) hub.Encoder { return &writer{reply: r} }

// Returns reports whether the body may hold a seal.
func (Hub) Returns(body []byte) bool { return hub.HoldsSeal(body) }

// Fates says what a request in the shape can express. Media by file id are kept
// by one provider, and documents of its own kind alone are taken.
func (Hub) Fates() *hub.Fates {
	return &hub.Fates{
		hub.Temperature: hub.Carried, hub.TopP: hub.Carried, hub.TopK: hub.Carried, hub.MinP: hub.Ignored,
		hub.MaxTokens: hub.Carried, hub.Stop: hub.Carried, hub.Seed: hub.Ignored,
		hub.FrequencyPenalty: hub.Ignored, hub.PresencePenalty: hub.Ignored, hub.RepeatPenalty: hub.Ignored,
		hub.Choices: hub.Refused, hub.Logprobs: hub.Refused, hub.TopLogprobs: hub.Refused, hub.LogitBias: hub.Refused,
		hub.AudioOutput: hub.Refused, hub.Prediction: hub.Ignored,
		hub.User: hub.Carried, hub.SafetyIdentifier: hub.Ignored, hub.Metadata: hub.Ignored, hub.Store: hub.Ignored,
		hub.ServiceTier: hub.Ignored, hub.CacheKey: hub.Ignored, hub.CacheRetention: hub.Ignored, hub.Verbosity: hub.Ignored,
		hub.WebSearch: hub.Refused, hub.PreviousResponse: hub.Refused, hub.Conversation: hub.Refused,
		hub.Background: hub.Refused, hub.PromptTemplate: hub.Refused, hub.Truncation: hub.Ignored,
		hub.MaxToolCalls: hub.Ignored, hub.Include: hub.Ignored, hub.ContextManagement: hub.Ignored,
		hub.Container: hub.Refused, hub.RemoteTools: hub.Refused, hub.SafetySettings: hub.Ignored,
		hub.CachedContent: hub.Refused, hub.MediaResolution: hub.Ignored, hub.Labels: hub.Ignored,
		hub.NumCtx: hub.Ignored, hub.KeepAlive: hub.Ignored, hub.RunnerOptions: hub.Ignored, hub.RawPrompt: hub.Refused,
		hub.Moderation: hub.Ignored, hub.StreamOptions: hub.Ignored,

		hub.ImageData: hub.Carried, hub.ImageURL: hub.Carried, hub.ImageFile: hub.Refused,
		hub.FileData: hub.Carried, hub.FileURL: hub.Carried, hub.FileFile: hub.Refused,
		hub.AudioData: hub.Refused, hub.AssistantMedia: hub.Refused, hub.ResultMedia: hub.Carried,
		hub.CustomTools: hub.Carried, hub.ServerTools: hub.Refused,
		hub.ChoiceForced: hub.Carried, hub.ChoiceByName: hub.Carried, hub.ParallelOff: hub.Carried,
		hub.JSONObject: hub.Carried, hub.JSONSchema: hub.Carried,
		hub.ReasoningEffort: hub.Carried, hub.ReasoningBudget: hub.Carried, hub.ReasoningSummary: hub.Carried,
		hub.CacheMarks: hub.Carried, hub.PrefilledAnswer: hub.Carried, hub.LaterSystem: hub.Carried,
	}
}
