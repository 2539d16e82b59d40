package responses

import "relay/gateway/wire/hub"

// Hub is Responses on the hub, for callers and hosts. Translated calls keep no
// state: the upstream stores nothing and gives its reasoning encrypted, which the
// caller sends back with the next request.
type Hub struct{}

var _ hub.Codec = Hub{}

const shape = "openai_responses"

// Shape returns openai_responses.
func (Hub) Shape() string { return shape }

// Decoder returns a reader of events and whole answers of POST /responses.
func (Hub) Decoder(_ *hub.Request, provider string) hub.Decoder { return &decoder{provider: provider} }

// Encoder returns a writer of answers of POST /responses.
func (Hub) Encoder(r *hub.Reply) hub.Encoder { return &writer{reply: r} }

// Returns reports whether the body may hold a seal.
func (Hub) Returns(body []byte) bool { return hub.HoldsSeal(body) }

// Fates says what Responses can express. stop is refused: the answer would go on
// behind the text that is to end it. What OpenAI keeps for a caller of its own
// cannot be meant by callers of other shapes.
func (Hub) Fates() *hub.Fates {
	return &hub.Fates{
		hub.Temperature: hub.Carried, hub.TopP: hub.Carried, hub.MaxTokens: hub.Carried, hub.User: hub.Carried,
		hub.SafetyIdentifier: hub.Carried, hub.Metadata: hub.Carried, hub.ServiceTier: hub.Carried,
		hub.CacheKey: hub.Carried, hub.CacheRetention: hub.Carried, hub.Verbosity: hub.Carried,
		hub.Truncation: hub.Carried, hub.MaxToolCalls: hub.Carried,

		hub.TopK: hub.Ignored, hub.MinP: hub.Ignored, hub.Seed: hub.Ignored, hub.FrequencyPenalty: hub.Ignored,
		hub.PresencePenalty: hub.Ignored, hub.RepeatPenalty: hub.Ignored, hub.Prediction: hub.Ignored,
		hub.Store: hub.Ignored, hub.Include: hub.Ignored, hub.ContextManagement: hub.Ignored,
		hub.SafetySettings: hub.Ignored, hub.MediaResolution: hub.Ignored, hub.Labels: hub.Ignored,
		hub.NumCtx: hub.Ignored, hub.KeepAlive: hub.Ignored, hub.RunnerOptions: hub.Ignored, hub.StreamOptions: hub.Ignored,

		hub.Stop: hub.Refused, hub.Choices: hub.Refused, hub.Logprobs: hub.Refused, hub.TopLogprobs: hub.Refused,
		hub.LogitBias: hub.Refused, hub.AudioOutput: hub.Refused, hub.WebSearch: hub.Refused,
		hub.PreviousResponse: hub.Refused, hub.Conversation: hub.Refused, hub.Background: hub.Refused,
		hub.PromptTemplate: hub.Refused, hub.Container: hub.Refused, hub.RemoteTools: hub.Refused,
		hub.CachedContent: hub.Refused, hub.RawPrompt: hub.Refused, hub.Moderation: hub.Refused,

		hub.ImageData: hub.Carried, hub.ImageURL: hub.Carried, hub.ImageFile: hub.Carried, hub.FileData: hub.Carried,
		hub.FileURL: hub.Carried, hub.FileFile: hub.Carried, hub.ResultMedia: hub.Carried, hub.CustomTools: hub.Carried,
		hub.ChoiceForced: hub.Carried, hub.ChoiceByName: hub.Carried, hub.ParallelOff: hub.Carried,
		hub.JSONObject: hub.Carried, hub.JSONSchema: hub.Carried, hub.ReasoningEffort: hub.Carried,
		hub.ReasoningBudget: hub.Carried, hub.ReasoningSummary: hub.Carried, hub.LaterSystem: hub.Carried,

		hub.CacheMarks: hub.Ignored, hub.PrefilledAnswer: hub.Ignored,

		hub.AudioData: hub.Refused, hub.AssistantMedia: hub.Refused, hub.ServerTools: hub.Refused,
	}
}
