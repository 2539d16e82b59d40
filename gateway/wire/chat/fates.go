package chat

import "relay/gateway/wire/hub"

// Fates says what requests of this shape can express. Several choices, log
// probabilities, moderation and audio could be asked for, but not be told in
// another shape.
// Media in the results of tools follow the results in a message of the user.
// Metadata are for completions that OpenAI stores, and refused with others.
func (Hub) Fates() *hub.Fates {
	return &hub.Fates{
		hub.Temperature: hub.Carried, hub.TopP: hub.Carried, hub.MaxTokens: hub.Carried, hub.Stop: hub.Carried,
		hub.Seed: hub.Carried, hub.FrequencyPenalty: hub.Carried, hub.PresencePenalty: hub.Carried, hub.LogitBias: hub.Carried,
		hub.Prediction: hub.Carried, hub.User: hub.Carried, hub.SafetyIdentifier: hub.Carried, hub.Store: hub.Carried,
		hub.ServiceTier: hub.Carried, hub.CacheKey: hub.Carried, hub.CacheRetention: hub.Carried, hub.Verbosity: hub.Carried,
		hub.WebSearch: hub.Carried, hub.StreamOptions: hub.Carried,

		hub.TopK: hub.Ignored, hub.MinP: hub.Ignored, hub.RepeatPenalty: hub.Ignored, hub.Metadata: hub.Ignored,
		hub.Truncation: hub.Ignored, hub.MaxToolCalls: hub.Ignored, hub.Include: hub.Ignored,
		hub.ContextManagement: hub.Ignored, hub.SafetySettings: hub.Ignored, hub.MediaResolution: hub.Ignored,
		hub.Labels: hub.Ignored, hub.NumCtx: hub.Ignored, hub.KeepAlive: hub.Ignored, hub.RunnerOptions: hub.Ignored,

		hub.Choices: hub.Refused, hub.Logprobs: hub.Refused, hub.TopLogprobs: hub.Refused, hub.AudioOutput: hub.Refused,
		hub.PreviousResponse: hub.Refused, hub.Conversation: hub.Refused, hub.Background: hub.Refused,
		hub.PromptTemplate: hub.Refused, hub.Container: hub.Refused, hub.RemoteTools: hub.Refused,
		hub.CachedContent: hub.Refused, hub.RawPrompt: hub.Refused, hub.Moderation: hub.Refused,

		hub.ImageData: hub.Carried, hub.ImageURL: hub.Carried, hub.FileData: hub.Carried, hub.FileFile: hub.Carried,
		hub.AudioData: hub.Carried, hub.ResultMedia: hub.Carried, hub.CustomTools: hub.Carried,
		hub.ChoiceForced: hub.Carried, hub.ChoiceByName: hub.Carried, hub.ParallelOff: hub.Carried,
		hub.JSONObject: hub.Carried, hub.JSONSchema: hub.Carried, hub.ReasoningEffort: hub.Carried,
		hub.ReasoningBudget: hub.Carried, hub.PrefilledAnswer: hub.Carried, hub.LaterSystem: hub.Carried,

		hub.ReasoningSummary: hub.Ignored, hub.CacheMarks: hub.Ignored,

		hub.ImageFile: hub.Refused, hub.FileURL: hub.Refused, hub.AssistantMedia: hub.Refused, hub.ServerTools: hub.Refused,
	}
}
