package ollama

import "relay/gateway/wire/hub"

// Fates says what /api/chat can express. How much a model may think is told as
// think says, see thinkOf. Thoughts are always in the answer, so that a summary of
// them need not be asked for.
func (Hub) Fates() *hub.Fates {
	return &hub.Fates{
		hub.Temperature: hub.Carried, hub.TopP: hub.Carried, hub.TopK: hub.Carried, hub.MinP: hub.Carried,
		hub.MaxTokens: hub.Carried, hub.Stop: hub.Carried, hub.Seed: hub.Carried,
		hub.FrequencyPenalty: hub.Carried, hub.PresencePenalty: hub.Carried, hub.RepeatPenalty: hub.Carried,
		hub.Truncation: hub.Carried, hub.NumCtx: hub.Carried, hub.KeepAlive: hub.Carried, hub.RunnerOptions: hub.Carried,

		hub.Prediction: hub.Ignored, hub.User: hub.Ignored, hub.SafetyIdentifier: hub.Ignored, hub.Metadata: hub.Ignored,
		hub.Store: hub.Ignored, hub.ServiceTier: hub.Ignored, hub.CacheKey: hub.Ignored, hub.CacheRetention: hub.Ignored,
		hub.Verbosity: hub.Ignored, hub.MaxToolCalls: hub.Ignored, hub.Include: hub.Ignored,
		hub.ContextManagement: hub.Ignored, hub.SafetySettings: hub.Ignored, hub.MediaResolution: hub.Ignored,
		hub.Labels: hub.Ignored, hub.StreamOptions: hub.Ignored,

		hub.Choices: hub.Refused, hub.Logprobs: hub.Refused, hub.TopLogprobs: hub.Refused, hub.LogitBias: hub.Refused,
		hub.AudioOutput: hub.Refused, hub.WebSearch: hub.Refused, hub.PreviousResponse: hub.Refused,
		hub.Conversation: hub.Refused, hub.Background: hub.Refused, hub.PromptTemplate: hub.Refused,
		hub.Container: hub.Refused, hub.RemoteTools: hub.Refused, hub.CachedContent: hub.Refused,
		hub.RawPrompt: hub.Refused, hub.Moderation: hub.Refused,

		hub.ImageData: hub.Carried, hub.AssistantMedia: hub.Carried, hub.ResultMedia: hub.Carried,
		hub.CustomTools: hub.Carried, hub.JSONObject: hub.Carried, hub.JSONSchema: hub.Carried,
		hub.ReasoningEffort: hub.Carried, hub.ReasoningBudget: hub.Carried, hub.ReasoningSummary: hub.Carried,
		hub.PrefilledAnswer: hub.Carried, hub.LaterSystem: hub.Carried,

		hub.ParallelOff: hub.Ignored, hub.CacheMarks: hub.Ignored,

		hub.ImageURL: hub.Refused, hub.ImageFile: hub.Refused, hub.FileData: hub.Refused, hub.FileURL: hub.Refused,
		hub.FileFile: hub.Refused, hub.AudioData: hub.Refused, hub.ServerTools: hub.Refused,
		hub.ChoiceForced: hub.Refused, hub.ChoiceByName: hub.Refused,
	}
}
