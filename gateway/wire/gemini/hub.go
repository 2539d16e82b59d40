package gemini

import "relay/gateway/wire/hub"

// Hub is generateContent on the hub
// (https://ai.google.dev/api/generate-content), for callers and hosts; streams
// to callers are server-sent events. Names are read as Google's servers read
// them, in camelCase and in snake_case.
//
// Signatures of thoughts that a host of this shape has told go back to it on the
// very part. Hosts refuse the first call of a step without one, so that where the
// caller has lost it the call carries Google's documented placeholder
// (https://ai.google.dev/gemini-api/docs/thought-signatures). Models up to Gemini
// 2, which ask for none, get none.
type Hub struct{}

// HubArray is Hub for callers of streamGenerateContent without alt=sse: the
// stream is one JSON array.
type HubArray struct{ Hub }

var (
	_ hub.Codec = Hub{}
	_ hub.Codec = HubArray{}
)

const shape = "gemini"

// Shape returns gemini.
func (Hub) Shape() string { return shape }

// Returns reports whether the body may hold a seal.
func (Hub) Returns(body []byte) bool { return hub.HoldsSeal(body) }

// Fates says what generateContent can express. Files by address or id are
// refused: Relay does not fetch them, and hosts take those that Google keeps
// alone. Of several calls at once there is no switch.
func (Hub) Fates() *hub.Fates {
	return &hub.Fates{
		hub.Temperature: hub.Carried, hub.TopP: hub.Carried, hub.TopK: hub.Carried, hub.MaxTokens: hub.Carried,
		hub.Stop: hub.Carried, hub.Seed: hub.Carried, hub.FrequencyPenalty: hub.Carried, hub.PresencePenalty: hub.Carried,
		hub.SafetySettings: hub.Carried, hub.CachedContent: hub.Carried, hub.MediaResolution: hub.Carried, hub.Labels: hub.Carried,

		hub.MinP: hub.Ignored, hub.RepeatPenalty: hub.Ignored, hub.Prediction: hub.Ignored, hub.User: hub.Ignored,
		hub.SafetyIdentifier: hub.Ignored, hub.Metadata: hub.Ignored, hub.Store: hub.Ignored, hub.ServiceTier: hub.Ignored,
		hub.CacheKey: hub.Ignored, hub.CacheRetention: hub.Ignored, hub.Verbosity: hub.Ignored, hub.Truncation: hub.Ignored,
		hub.MaxToolCalls: hub.Ignored, hub.Include: hub.Ignored, hub.ContextManagement: hub.Ignored, hub.NumCtx: hub.Ignored,
		hub.KeepAlive: hub.Ignored, hub.RunnerOptions: hub.Ignored, hub.StreamOptions: hub.Ignored,

		hub.Choices: hub.Refused, hub.Logprobs: hub.Refused, hub.TopLogprobs: hub.Refused, hub.LogitBias: hub.Refused,
		hub.AudioOutput: hub.Refused, hub.WebSearch: hub.Refused, hub.PreviousResponse: hub.Refused,
		hub.Conversation: hub.Refused, hub.Background: hub.Refused, hub.PromptTemplate: hub.Refused,
		hub.Container: hub.Refused, hub.RemoteTools: hub.Refused, hub.RawPrompt: hub.Refused, hub.Moderation: hub.Refused,

		hub.ImageData: hub.Carried, hub.FileData: hub.Carried, hub.AudioData: hub.Carried, hub.AssistantMedia: hub.Carried,
		hub.ResultMedia: hub.Carried, hub.CustomTools: hub.Carried, hub.ChoiceForced: hub.Carried, hub.ChoiceByName: hub.Carried,
		hub.JSONObject: hub.Carried, hub.JSONSchema: hub.Carried, hub.ReasoningEffort: hub.Carried,
		hub.ReasoningBudget: hub.Carried, hub.ReasoningSummary: hub.Carried, hub.PrefilledAnswer: hub.Carried,
		hub.LaterSystem: hub.Carried,

		hub.ParallelOff: hub.Ignored, hub.CacheMarks: hub.Ignored,

		hub.ImageURL: hub.Refused, hub.ImageFile: hub.Refused, hub.FileURL: hub.Refused, hub.FileFile: hub.Refused,
		hub.ServerTools: hub.Refused,
	}
}
