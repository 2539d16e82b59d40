package store

// The endpoints that a policy or a relay key may name. Each stands for one
// protocol or one task of the inference listener; model lists, token counting
// and probes are none.
const (
	EndpointChat           = "chat"           // /v1/chat/completions
	EndpointResponses      = "responses"      // /v1/responses
	EndpointMessages       = "messages"       // /v1/messages
	EndpointGemini         = "gemini"         // /v1beta/models/{model}:generateContent and :streamGenerateContent
	EndpointGenerate       = "generate"       // /v1/generate
	EndpointOllama         = "ollama"         // /api/chat, /api/generate
	EndpointCompletions    = "completions"    // /v1/completions
	EndpointEmbeddings     = "embeddings"     // /v1/embeddings and those of Gemini and Ollama
	EndpointRerank         = "rerank"         // /v1/rerank
	EndpointModerations    = "moderations"    // /v1/moderations
	EndpointImages         = "images"         // /v1/images/generations, /v1/images/edits
	EndpointSpeech         = "speech"         // /v1/audio/speech
	EndpointTranscriptions = "transcriptions" // /v1/audio/transcriptions
	EndpointTranslations   = "translations"   // /v1/audio/translations
)

// Endpoints lists every endpoint name.
func Endpoints() []string {
	return []string{
		EndpointChat, EndpointResponses, EndpointMessages, EndpointGemini, EndpointGenerate, EndpointOllama,
		EndpointCompletions, EndpointEmbeddings, EndpointRerank, EndpointModerations, EndpointImages,
		EndpointSpeech, EndpointTranscriptions, EndpointTranslations,
	}
}

// Shapes lists every wire shape.
func Shapes() []Shape {
	return []Shape{ShapeOpenAI, ShapeResponses, ShapeAnthropic, ShapeGemini, ShapeOllama}
}

// CapabilityNames lists what a model can do and a policy can allow.
func CapabilityNames() []string {
	return []string{
		"chat", "embeddings", "streaming", "tools", "parallelTools", "vision", "transcription", "speech",
		"reasoning", "jsonMode", "structuredOutputs", "promptCache", "images", "audio", "rerank", "moderation",
	}
}
