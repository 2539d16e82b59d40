package gateway

import (
	"net/http"
	"net/url"
	"slices"

	"relay/gateway/http1"
	"relay/gateway/wire/gemini"
	"relay/store"
)

// path is an upstream path, as an index of suffixes.
type path uint8

const (
	pathChat path = iota
	pathEmbeddings
	pathMessages
	pathCountTokens
	pathResponses
	pathCompletions
	pathRerank
	pathModerations
	pathImages
	pathImageEdits
	pathSpeech
	pathTranscriptions
	pathTranslations
	pathOllamaChat
	pathOllamaGenerate
	pathOllamaEmbed
	pathOllamaEmbeddings
	pathOllamaShow
	pathModel // names the model, see naming
)

// suffix is where a shape has an endpoint behind a host's base URL, which holds
// the version segment.
type suffix struct {
	path string
	root bool // behind the root of a host that speaks Ollama
	form bool // the caller says what its body is
}

// suffixes are the shapes' own paths.
var suffixes = [...]suffix{
	pathChat:             {path: "/chat/completions"},
	pathEmbeddings:       {path: "/embeddings"},
	pathMessages:         {path: "/messages"},
	pathCountTokens:      {path: "/messages/count_tokens"},
	pathResponses:        {path: "/responses"},
	pathCompletions:      {path: "/completions"},
	pathRerank:           {path: "/rerank"},
	pathModerations:      {path: "/moderations"},
	pathImages:           {path: "/images/generations"},
	pathImageEdits:       {path: "/images/edits", form: true},
	pathSpeech:           {path: "/audio/speech"},
	pathTranscriptions:   {path: "/audio/transcriptions", form: true},
	pathTranslations:     {path: "/audio/translations", form: true},
	pathOllamaChat:       {path: "/api/chat", root: true},
	pathOllamaGenerate:   {path: "/api/generate", root: true},
	pathOllamaEmbed:      {path: "/api/embed", root: true},
	pathOllamaEmbeddings: {path: "/api/embeddings", root: true},
	pathOllamaShow:       {path: "/api/show", root: true},
	pathModel:            {path: "/models"},
}

var modelsSuffix = suffix{path: "/models"}

// url returns the address of a suffix. A host that speaks Ollama has its root as
// base and the other shapes under /v1.
func (u *upstream) url(s suffix) *url.URL {
	at := *u.base
	if !s.root && slices.Contains(u.spec.Shapes, store.ShapeOllama) {
		at.Path += "/v1"
	}
	at.Path += s.path
	return &at
}

// target is where the request of an attempt goes, and how its head begins.
type target struct {
	at     *url.URL
	start  []byte
	fields []http1.Field // in start
}

// target returns that of a path.
func (u *upstream) target(p path) target {
	at := u.url(suffixes[p])
	return u.targetAt(at, suffixes[p].form)
}

func (u *upstream) targetAt(at *url.URL, form bool) target {
	fields := u.fields
	if form {
		fields = slices.DeleteFunc(slices.Clone(fields), func(f http1.Field) bool { return f.Name == "Content-Type" })
	}
	return target{at: at, start: u.start(http.MethodPost, at, fields), fields: fields}
}

// target is where this attempt goes.
func (a *attempt) target() target {
	x := a.x
	if x.spoken.path != pathModel {
		return a.up.targets[x.spoken.path]
	}
	at := a.up.url(suffix{path: gemini.Path(a.c.Binding.UpstreamName, x.spoken.verb)})
	at.RawQuery = x.spoken.query
	return a.up.targetAt(at, false)
}
