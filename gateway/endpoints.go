package gateway

import (
	"net/http"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
	"relay/gateway/wire/gemini"
	"relay/gateway/wire/generate"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/media"
	"relay/gateway/wire/messages"
	"relay/gateway/wire/ollama"
	"relay/gateway/wire/responses"
	"relay/store"
)

// endpoints are the exact paths, in every spelling that clients send.
func endpoints() map[string]*endpoint {
	table := map[string]*endpoint{
		"/v1/usage": {method: http.MethodGet, shape: store.ShapeOpenAI, codec: chat.Codec{}, serve: (*exchange).showUsage},
	}
	under(table, spellings(), versioned())
	under(table, vendors[:], native())
	return table
}

// under puts endpoints into the table under every beginning.
func under(table map[string]*endpoint, beginnings []string, endpoints map[string]*endpoint) {
	for path, e := range endpoints {
		for _, beginning := range beginnings {
			table[beginning+path] = e
		}
	}
}

// vendors may stand before every path: SDKs differ in what they take for the
// base URL.
var vendors = [...]string{"", "/openai", "/anthropic", "/gemini"}

// spellings are the beginnings under which people send the paths that have a
// version, the documented one first.
func spellings() []string {
	var all []string
	for _, vendor := range vendors {
		for _, version := range [...]string{"/v1", "", "/v1/v1"} {
			all = append(all, vendor+version)
		}
	}
	return all
}

// versioned are the endpoints whose documented path begins with /v1.
func versioned() map[string]*endpoint {
	return map[string]*endpoint{
		"/chat/completions": onHub(generating(store.EndpointChat, store.ShapeOpenAI, chat.Codec{}, pathChat), chat.Hub{}),
		"/responses":        onHub(generating(store.EndpointResponses, store.ShapeResponses, responses.Codec{}, pathResponses), responses.Hub{}),
		"/messages":         onHub(generating(store.EndpointMessages, store.ShapeAnthropic, messages.Codec{}, pathMessages), messages.Hub{}),
		"/generate":         onHub(generating(store.EndpointGenerate, shapeGenerate, generate.Codec{}, pathChat), generate.Hub{}),
		"/completions":      generating(store.EndpointCompletions, store.ShapeOpenAI, chat.Completions{}, pathCompletions),

		"/embeddings":         embedding(whole(generating(store.EndpointEmbeddings, store.ShapeOpenAI, chat.Embeddings{}, pathEmbeddings)), chat.EmbeddingsHub{}),
		"/rerank":             whole(generating(store.EndpointRerank, store.ShapeOpenAI, chat.Rerank{}, pathRerank)),
		"/moderations":        whole(generating(store.EndpointModerations, store.ShapeOpenAI, chat.Moderations{}, pathModerations)),
		"/images/generations": generating(store.EndpointImages, store.ShapeOpenAI, media.Images{}, pathImages),

		"/audio/speech":         spoken(generating(store.EndpointSpeech, store.ShapeOpenAI, media.Speech{}, pathSpeech)),
		"/images/edits":         uploaded(generating(store.EndpointImages, store.ShapeOpenAI, media.Images{}, pathImageEdits)),
		"/audio/transcriptions": uploaded(generating(store.EndpointTranscriptions, store.ShapeOpenAI, media.Transcriptions{}, pathTranscriptions)),
		"/audio/translations":   uploaded(generating(store.EndpointTranslations, store.ShapeOpenAI, media.Transcriptions{}, pathTranslations)),

		"/messages/count_tokens": unmetered(whole(generating(store.EndpointMessages, store.ShapeAnthropic, messages.Codec{}, pathCountTokens)), (*exchange).estimate),
		"/models":                {method: http.MethodGet, shape: store.ShapeOpenAI, codec: chat.Codec{}, serve: (*exchange).listModels, listing: true},
	}
}

// native are the endpoints whose documented path has a beginning of its own.
func native() map[string]*endpoint {
	return map[string]*endpoint{
		"/v1beta/models": {method: http.MethodGet, shape: store.ShapeGemini, codec: gemini.Codec{}, serve: (*exchange).listModels},

		"/api/chat":       lines(onHub(unlessNo(generating(store.EndpointOllama, store.ShapeOllama, ollama.Codec{}, pathOllamaChat)), ollama.Hub{})),
		"/api/generate":   lines(onHub(unlessNo(generating(store.EndpointOllama, store.ShapeOllama, ollama.Codec{}, pathOllamaGenerate)), ollama.GenerateHub{})),
		"/api/embed":      embedding(whole(generating(store.EndpointEmbeddings, store.ShapeOllama, ollama.Embeddings{}, pathOllamaEmbed)), ollama.EmbeddingsHub{}),
		"/api/embeddings": embedding(whole(generating(store.EndpointEmbeddings, store.ShapeOllama, ollama.Embeddings{}, pathOllamaEmbeddings)), ollama.EmbeddingsHub{}),
		"/api/show":       unmetered(whole(named(generating(store.EndpointOllama, store.ShapeOllama, ollama.Show{}, pathOllamaShow))), (*exchange).describe),
		"/api/tags":       {method: http.MethodGet, shape: store.ShapeOllama, codec: ollama.Codec{}, serve: (*exchange).listModels},
		"/api/ps":         {method: http.MethodGet, shape: store.ShapeOllama, codec: ollama.Codec{}, serve: (*exchange).listRunning},
		"/api/version":    {method: http.MethodGet, shape: store.ShapeOllama, codec: ollama.Codec{}, serve: (*exchange).tellVersion},
		"/api/create":     managing(http.MethodPost),
		"/api/pull":       managing(http.MethodPost),
		"/api/push":       managing(http.MethodPost),
		"/api/copy":       managing(http.MethodPost),
		"/api/delete":     managing(http.MethodDelete),
	}
}

// models are what stands behind a path of models: one of the list, or a call of
// Gemini's, which names its model there.
func models() (shown, shownGemini *endpoint, calls map[string]*endpoint) {
	shown = &endpoint{method: http.MethodGet, shape: store.ShapeOpenAI, codec: chat.Codec{}, serve: (*exchange).showModel, listing: true}
	shownGemini = &endpoint{method: http.MethodGet, shape: store.ShapeGemini, codec: gemini.Codec{}, serve: (*exchange).showModel}
	return shown, shownGemini, map[string]*endpoint{
		"generateContent":               onHub(geminiCall(store.EndpointGemini, gemini.Codec{}, "generateContent", streamsNever), gemini.Hub{}),
		"streamGenerateContent":         array(onHub(geminiCall(store.EndpointGemini, gemini.Array{}, "streamGenerateContent", streamsAlways), gemini.HubArray{})),
		"streamGenerateContent?alt=sse": onHub(sse(geminiCall(store.EndpointGemini, gemini.Codec{}, "streamGenerateContent", streamsAlways)), gemini.Hub{}),
		"embedContent":                  embedding(geminiCall(store.EndpointEmbeddings, gemini.Embeddings{}, "embedContent", streamsNever), gemini.EmbeddingsHub{}),
		"batchEmbedContents":            embedding(geminiCall(store.EndpointEmbeddings, gemini.Embeddings{}, "batchEmbedContents", streamsNever), gemini.EmbeddingsHub{}),
		"countTokens":                   unmetered(geminiCall(store.EndpointGemini, gemini.Counting{}, "countTokens", streamsNever), (*exchange).estimateGemini),
	}
}

// generating is an endpoint whose calls are metered.
func generating(name string, shape store.Shape, codec wire.Codec, at path) *endpoint {
	return &endpoint{name: name, method: http.MethodPost, shape: shape, codec: codec, path: at, serve: (*exchange).complete, naming: byMember{}}
}

func geminiCall(name string, codec wire.Codec, verb string, s streaming) *endpoint {
	e := generating(name, store.ShapeGemini, codec, pathModel)
	e.naming, e.verb, e.streaming = byPath{}, verb, s
	return e
}

// onHub makes an endpoint one whose calls may go up in another shape.
func onHub(e *endpoint, h hub.Caller) *endpoint {
	e.hub = h
	return e
}

// embedding is onHub for embeddings.
func embedding(e *endpoint, h hub.EmbedCodec) *endpoint {
	e.embeds = h
	return e
}

// lines makes an endpoint one whose translated streams are JSON, one a line.
func lines(e *endpoint) *endpoint {
	e.streamType = wire.ContentTypeLines
	return e
}

// array makes an endpoint one whose translated streams are one JSON array.
func array(e *endpoint) *endpoint {
	e.streamType = wire.ContentTypeJSON
	return e
}

// sse makes a call one whose answer is an event stream.
func sse(e *endpoint) *endpoint {
	e.query = "alt=sse"
	return e
}

// whole makes an endpoint one that never streams.
func whole(e *endpoint) *endpoint {
	e.streaming = streamsNever
	return e
}

// unlessNo makes an endpoint one that streams unless it is told not to.
func unlessNo(e *endpoint) *endpoint {
	e.streaming = streamsUnlessNo
	return e
}

// named makes an endpoint one whose requests may call the model name.
func named(e *endpoint) *endpoint {
	e.naming = byMemberOrName{}
	return e
}

// spoken makes an endpoint one that answers with sound, which goes on as it
// comes.
func spoken(e *endpoint) *endpoint {
	e.naming, e.streaming = bySpeech{}, streamsAlways
	return e
}

// uploaded makes an endpoint one that takes a form.
func uploaded(e *endpoint) *endpoint {
	e.naming = byForm{}
	return e
}

// unmetered makes an endpoint one whose calls cost nothing. instead answers for
// a model that no upstream can answer for.
func unmetered(e *endpoint, instead func(*exchange) error) *endpoint {
	e.unmetered, e.instead, e.serve = true, instead, (*exchange).ask
	return e
}

// managing is what Ollama's clients call to change what a host holds.
func managing(method string) *endpoint {
	return &endpoint{method: method, shape: store.ShapeOllama, codec: ollama.Codec{}, serve: (*exchange).refuseManaging}
}
