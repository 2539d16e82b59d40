package hub

// Param is something that a request may hold and that not every shape can
// express. Those before NumMembers are members with a simple value, kept in
// Request.Params; the others are found in the request as a whole.
type Param uint8

// Members with a value of their own. Decoders leave out what has no effect, such
// as n: 1 and logprobs: false.
const (
	Temperature Param = iota // number
	TopP
	TopK
	MinP
	MaxTokens // of the whole output, reasoning included
	Stop      // text, or an array of texts
	Seed
	FrequencyPenalty
	PresencePenalty
	RepeatPenalty
	Choices  // more than one answer
	Logprobs // true
	TopLogprobs
	LogitBias
	AudioOutput // modalities, audio, speech: an answer that is more than text
	Prediction
	User // text: whom the provider may tell apart
	SafetyIdentifier
	Metadata // object of texts
	Store
	ServiceTier
	CacheKey // prompt_cache_key
	CacheRetention
	Verbosity
	WebSearch // web_search_options
	PreviousResponse
	Conversation
	Background
	PromptTemplate
	Truncation
	MaxToolCalls
	Include // output-only extras that are asked for
	ContextManagement
	Container
	RemoteTools // mcp_servers
	SafetySettings
	CachedContent
	MediaResolution
	Labels
	NumCtx        // tokens of context that a local runner sets up
	KeepAlive     // how long a local runner holds the model
	RunnerOptions // object of further options of a local runner
	RawPrompt     // raw, template, suffix, context of a plain prompt
	Moderation
	StreamOptions // obfuscation and the like

	NumMembers
)

// What is found in the request as a whole.
const (
	ImageData Param = NumMembers + 1 + iota
	ImageURL
	ImageFile // by a provider's file id
	FileData
	FileURL
	FileFile
	AudioData
	AssistantMedia // media in what the assistant has said
	ResultMedia    // media in the result of a tool
	CustomTools
	ServerTools
	ChoiceForced // a tool must be called, whichever
	ChoiceByName // one tool must be called
	ParallelOff
	JSONObject
	JSONSchema
	ReasoningEffort
	ReasoningBudget
	ReasoningSummary
	CacheMarks
	PrefilledAnswer // the conversation ends with words of the assistant
	LaterSystem     // a system message that is not at the start

	NumParams
)

// String returns the name of the parameter in the canonical shape, or of the
// construct in plain words.
func (p Param) String() string { return names()[p] }

func names() [NumParams]string {
	return [NumParams]string{
		Temperature: "temperature", TopP: "top_p", TopK: "top_k", MinP: "min_p", MaxTokens: "max_tokens", Stop: "stop",
		Seed: "seed", FrequencyPenalty: "frequency_penalty", PresencePenalty: "presence_penalty", RepeatPenalty: "repeat_penalty",
		Choices: "n", Logprobs: "logprobs", TopLogprobs: "top_logprobs", LogitBias: "logit_bias", AudioOutput: "audio output",
		Prediction: "prediction", User: "user", SafetyIdentifier: "safety_identifier", Metadata: "metadata", Store: "store",
		ServiceTier: "service_tier", CacheKey: "prompt_cache_key", CacheRetention: "prompt_cache_retention", Verbosity: "verbosity",
		WebSearch: "web_search_options", PreviousResponse: "previous_response_id", Conversation: "conversation",
		Background: "background", PromptTemplate: "prompt", Truncation: "truncation", MaxToolCalls: "max_tool_calls",
		Include: "include", ContextManagement: "context_management", Container: "container", RemoteTools: "mcp_servers",
		SafetySettings: "safetySettings", CachedContent: "cachedContent", MediaResolution: "mediaResolution", Labels: "labels",
		NumCtx: "num_ctx", KeepAlive: "keep_alive", RunnerOptions: "options", RawPrompt: "raw, template, suffix, context",
		Moderation: "moderation", StreamOptions: "stream_options",

		ImageData: "images as base64", ImageURL: "images by address", ImageFile: "images by file id",
		FileData: "documents as base64", FileURL: "documents by address", FileFile: "documents by file id",
		AudioData: "audio input", AssistantMedia: "media in assistant messages", ResultMedia: "media in tool results",
		CustomTools: "custom tools", ServerTools: "tools that the provider runs", ChoiceForced: "tool_choice required",
		ChoiceByName: "tool_choice by name", ParallelOff: "parallel_tool_calls", JSONObject: "json_object output",
		JSONSchema: "json_schema output", ReasoningEffort: "reasoning.effort", ReasoningBudget: "reasoning.budget_tokens",
		ReasoningSummary: "reasoning.summary", CacheMarks: "cache_control", PrefilledAnswer: "prefilled answer",
		LaterSystem: "system messages within the conversation",
	}
}

// Fate is what becomes of a parameter in a shape.
type Fate uint8

const (
	Undecided Fate = iota // a gap in a table: a test fails
	Carried               // it is written, by its meaning
	Ignored               // a hint: left out, and named in X-Relay-Dropped-Params
	Refused               // the meaning would change: 400 unsupported_param
)

// Fates is what becomes of every parameter in one shape.
type Fates [NumParams]Fate
