package gateway_test

import (
	"fmt"
	"strings"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// small is a call of an endpoint that does one task. In body and path MODEL
// stands for the model's name, which is the caller's here and the host's there.
type small struct {
	name, path, model string
	sent              string // path upstream
	form              string // content type of the body; empty: JSON
	body              string

	contentType string // of the answer; empty: JSON
	answer      []string
	streamed    bool // the answer goes on as it comes
	cut         bool // broken off within it, the connection is cut: there is no room for an error

	endpoint string
	tokens   store.Tokens
	units    store.Units
	missing  bool // the answer reports no usage
}

// formType has a boundary that must be in quotes.
const formType = `multipart/form-data; charset=utf-8; boundary="` + formBoundary + `"`

const formBoundary = "--ab'(c)+_,-./:=?"

// form is a body of parts: names, of files behind that word, and contents.
func form(parts ...string) string {
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		name, isFile := strings.CutPrefix(parts[i], "file ")
		b.WriteString("--" + formBoundary + "\r\nContent-Disposition: form-data; name=\"" + name + `"`)
		if isFile {
			b.WriteString("; filename=\"n%22ü.wav\"\r\nContent-Type: audio/wav")
		}
		b.WriteString("\r\n\r\n" + parts[i+1] + "\r\n")
	}
	return b.String() + "--" + formBoundary + "--\r\n"
}

// noise is binary with line ends and dashes in it.
const noise = "RIFF\x00\xff\r\n--\r\n----ab'(c)\r\n\x00\r\n"

func smalls() []small {
	const usage, openai = `"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}`, `"usage":{"input_tokens":7,"output_tokens":3,"total_tokens":10}`
	const odd = `"seed":9007199254740993, "x":"h\u00ed",` // what a second writer would write otherwise
	both, in := store.Tokens{Input: 7, Output: 3}, store.Tokens{Input: 7}
	named := func(name, members string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":\"%s\",%s}\n\n", name, name, members)
	}
	return append(smallsOfForms(named), []small{
		{name: "completions", path: "/v1/completions", model: "chat", sent: "/v1/completions", body: `{` + odd + `"model" : "MODEL","prompt":"hi"}`,
			answer: []string{`{"id":"t1","object":"text_completion","choices":[{"index":0,"text":"hello","finish_reason":"stop"}],` + usage + `}`}, endpoint: "completions", tokens: both},
		{name: "completions stream", path: "/v1/completions", model: "chat", sent: "/v1/completions", streamed: true, contentType: "text/event-stream",
			body:   `{"stream":true,"stream_options":{"include_usage":true},` + odd + `"model":"MODEL","prompt":"hi"}`,
			answer: []string{gatewaytest.Data(`{"choices":[{"index":0,"text":"hel","finish_reason":null}]}`), gatewaytest.Data(`{"choices":[{"index":0,"text":"lo","finish_reason":"stop"}]}`), gatewaytest.Data(`{"choices":[],` + usage + `}`), doneEvent}, endpoint: "completions", tokens: both},
		{name: "rerank", path: "/v1/rerank", model: "chat", sent: "/v1/rerank", body: `{` + odd + `"model":"MODEL","query":"q","documents":["a","b"]}`,
			answer: []string{`{"model":"m","results":[{"index":1,"relevance_score":0.9}],"usage":{"total_tokens":7}}`}, endpoint: "rerank", tokens: in},
		{name: "rerank by Cohere", path: "/v1/rerank", model: "chat", sent: "/v1/rerank", body: `{"model":"MODEL","query":"q","documents":[]}`,
			answer: []string{`{"id":"k","results":[{"index":0,"relevance_score":0.9}],"meta":{"billed_units":{"search_units":1},"tokens":{"input_tokens":7}}}`}, endpoint: "rerank", tokens: in},
		{name: "moderations", path: "/v1/moderations", model: "chat", sent: "/v1/moderations", body: `{` + odd + `"input":"x","model":"MODEL"}`,
			answer: []string{`{"id":"modr-1","model":"m","results":[{"flagged":false}]}`}, endpoint: "moderations"},
		{name: "images", path: "/v1/images/generations", model: "chat", sent: "/v1/images/generations", body: `{` + odd + `"model":"MODEL","prompt":"x","n":2}`,
			answer: []string{`{"created":1,"data":[{"b64_json":"AA"},{"b64_json":"BB"}],` + openai + `}`}, endpoint: "images", tokens: both, units: store.Units{Images: 2}},
		{name: "images by URL", path: "/v1/images/generations", model: "chat", sent: "/v1/images/generations", body: `{"model":"MODEL","prompt":"x"}`,
			answer: []string{`{"created":1,"data":[{"url":"https://x.example/1.png"}]}`}, endpoint: "images", units: store.Units{Images: 1}},
		{name: "images stream", path: "/v1/images/generations", model: "chat", sent: "/v1/images/generations", streamed: true, contentType: "text/event-stream", body: `{"model":"MODEL","prompt":"x","stream":true}`,
			answer: []string{named("image_generation.partial_image", `"b64_json":"AA"`), named("image_generation.completed", `"b64_json":"AAB",`+openai)}, endpoint: "images", tokens: both, units: store.Units{Images: 1}},
		{name: "speech", path: "/v1/audio/speech", model: "chat", sent: "/v1/audio/speech", streamed: true, cut: true, contentType: "audio/mpeg", body: `{` + odd + `"model":"MODEL","input":"hello","voice":"alloy"}`,
			answer: []string{"ID3\x04\x00\xff\xfb\r\n", noise, "\x00data: [DONE]\n\n"}, endpoint: "speech", missing: true},
		{name: "speech in events", path: "/v1/audio/speech", model: "chat", sent: "/v1/audio/speech", streamed: true, cut: true, contentType: "text/event-stream", body: `{"model":"MODEL","input":"hello","voice":"alloy","stream_format":"sse"}`,
			answer: []string{named("speech.audio.delta", `"audio":"AA"`), named("speech.audio.done", openai)}, endpoint: "speech", tokens: store.Tokens{Input: 7, Output: 3, AudioOutput: 3}},
		{name: "ollama generate", path: "/api/generate", model: "lama", sent: "/api/generate", body: `{"stream" : false,` + odd + `"model":"MODEL","prompt":"hi"}`,
			answer: []string{`{"model":"m","response":"hello","done":true,"done_reason":"stop","context":[1,2],"prompt_eval_count":7,"eval_count":3}`}, endpoint: "ollama", tokens: both},
		{name: "ollama generate stream", path: "/api/generate", model: "lama", sent: "/api/generate", streamed: true, contentType: "application/x-ndjson", body: `{` + odd + `"model":"MODEL","prompt":"hi"}`,
			answer: []string{`{"model":"m","response":"hel","done":false}` + "\n", `{"model":"m","response":"lo","done":false}` + "\n", `{"model":"m","response":"","done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":3}` + "\n"}, endpoint: "ollama", tokens: both},
		{name: "ollama embed", path: "/api/embed", model: "lama", sent: "/api/embed", body: `{` + odd + `"model":"MODEL","input":["a","b"],"stream":true}`,
			answer: []string{`{"model":"m","embeddings":[[0.5],[0.25]],"total_duration":1,"prompt_eval_count":7}`}, endpoint: "embeddings", tokens: in},
		{name: "ollama embeddings", path: "/api/embeddings", model: "lama", sent: "/api/embeddings", body: `{"model":"MODEL","prompt":"a"}`,
			answer: []string{`{"embedding":[0.5]}`}, endpoint: "embeddings", missing: true},
		{name: "gemini embed", path: "/v1beta/models/MODEL:embedContent", model: "gem", sent: "/v1beta/models/MODEL:embedContent", body: `{` + odd + `"model":"models/MODEL","content":{"parts":[{"text":"a"}]}}`,
			answer: []string{`{"embedding":{"values":[0.5]},"usageMetadata":{"promptTokenCount":7}}`}, endpoint: "embeddings", tokens: in},
		{name: "gemini embed batch", path: "/v1beta/models/MODEL:batchEmbedContents", model: "gem", sent: "/v1beta/models/MODEL:batchEmbedContents",
			body:   `{"requests":[{"model":"models/MODEL","content":{"parts":[{"text":"a"}]}},{"model" : "models/MODEL","content":{}}]}`,
			answer: []string{`{"embeddings":[{"values":[0.5]},{"values":[0.25]}]}`}, endpoint: "embeddings", missing: true},
	}...)
}

// smallsOfForms are those whose bodies are forms.
func smallsOfForms(named func(name, members string) string) []small {
	const openai = `"usage":{"input_tokens":7,"output_tokens":3,"total_tokens":10}`
	both := store.Tokens{Input: 7, Output: 3}
	heard := func(name string) small {
		return small{name: "transcription, " + name, path: "/v1/audio/transcriptions", model: "chat", sent: "/v1/audio/transcriptions", form: formType, endpoint: "transcriptions",
			body: form("file file", noise, "model", "MODEL", "response_format", name)}
	}
	asJSON, text, srt, verbose, events := heard("json"), heard("text"), heard("srt"), heard("verbose_json"), heard("events")
	asJSON.answer, asJSON.tokens = []string{`{"text":"hello","usage":{"type":"tokens","input_tokens":7,"input_token_details":{"audio_tokens":6},"output_tokens":3,"total_tokens":10}}`}, store.Tokens{Input: 7, Output: 3, AudioInput: 6}
	text.contentType, text.answer, text.missing = "text/plain; charset=utf-8", []string{"hello\n"}, true
	srt.contentType, srt.answer, srt.missing = "text/plain; charset=utf-8", []string{"1\n00:00:00,000 --> 00:00:01,000\nhello\n\n"}, true
	verbose.answer, verbose.units = []string{`{"task":"transcribe","language":"en","duration":8.5,"text":"hello","segments":[]}`}, store.Units{Seconds: 9}
	events.contentType, events.streamed, events.body = "text/event-stream", true, form("stream", "true", "model", "MODEL", "file file", noise)
	events.answer, events.tokens = []string{named("transcript.text.delta", `"delta":"hel"`), named("transcript.text.done", `"text":"hello",`+openai)}, both
	translated := heard("verbose_json")
	translated.name, translated.path, translated.sent, translated.endpoint = "translation", "/v1/audio/translations", "/v1/audio/translations", "translations"
	translated.answer, translated.units = []string{`{"text":"hello","usage":{"type":"duration","seconds":3}}`}, store.Units{Seconds: 3}
	edited := small{name: "image edit", path: "/v1/images/edits", model: "chat", sent: "/v1/images/edits", form: formType, endpoint: "images",
		body:   form("model", "MODEL", "file image[]", noise, "file image[]", "\x89PNG\r\n", "file mask", "", "prompt", "a \"chat\" cat"),
		answer: []string{`{"created":1,"data":[{"b64_json":"AA"}],` + openai + `}`}, tokens: both, units: store.Units{Images: 1}}
	stream := edited
	stream.name, stream.streamed, stream.contentType = "image edit stream", true, "text/event-stream"
	stream.body = form("prompt", "x", "n", "2", "stream", "true", "model", "MODEL", "file image", noise)
	stream.answer = []string{named("image_edit.completed", `"b64_json":"AA",`+openai), named("image_edit.completed", `"b64_json":"BB",`+openai)}
	stream.units = store.Units{Images: 2} // each event tells the usage of all
	return []small{asJSON, text, srt, verbose, events, translated, edited, stream}
}

// unmetered are the calls that cost nothing, with what an upstream answers.
func unmetered() []small {
	return []small{
		{name: "count_tokens", path: "/v1/messages/count_tokens", model: "claude", sent: "/v1/messages/count_tokens", body: `{"seed":9007199254740993, "model":"MODEL","messages":[{"role":"user","content":"hi"}]}`, answer: []string{`{"input_tokens":14}`}},
		{name: "countTokens", path: "/v1beta/models/MODEL:countTokens", model: "gem", sent: "/v1beta/models/MODEL:countTokens", body: `{"generateContentRequest":{"model":"models/MODEL","contents":[{"parts":[{"text":"hi"}]}]}}`, answer: []string{`{"totalTokens":14}`}},
		{name: "show", path: "/api/show", model: "lama", sent: "/api/show", body: `{"model":"MODEL","verbose":true}`, answer: []string{`{"modelfile":"x","details":{"family":"llama"},"capabilities":["completion"]}`}},
		{name: "show by name", path: "/api/show", model: "lama", sent: "/api/show", body: `{"name" : "MODEL"}`, answer: []string{`{"modelfile":"x","capabilities":[]}`}},
	}
}

// as fills in a model's name.
func (s small) as(model string) (path, body string) {
	return strings.ReplaceAll(s.path, "MODEL", model), strings.ReplaceAll(s.body, "MODEL", model)
}

// request is the call for a model, under a beginning of the path.
func (s small) request(key, model string, lines ...string) string {
	path, body := s.as(model)
	contentType := s.form
	if contentType == "" {
		contentType = "application/json"
	}
	text := "POST " + path + " HTTP/1.1\r\nHost: relay.test\r\nContent-Type: " + contentType + "\r\nAuthorization: Bearer " + key + "\r\n"
	for _, line := range lines {
		text += line + "\r\n"
	}
	return text + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// typeOf is the content type of the answer.
func (s small) typeOf() string {
	if s.contentType == "" {
		return "application/json"
	}
	return s.contentType
}

// says is the upstream's answer.
func (s small) says() gatewaytest.Script {
	if s.streamed {
		return gatewaytest.Join(s.head(), gatewaytest.Chunk(s.answer...), gatewaytest.LastChunk())
	}
	return gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+s.typeOf(), fmt.Sprintf("Content-Length: %d", len(s.answer[0]))), gatewaytest.Raw(s.answer[0]))
}

func (s small) head() gatewaytest.Script {
	return gatewaytest.Head(200, "Content-Type: "+s.typeOf(), "Transfer-Encoding: chunked")
}
