package upstream

import (
	"net/http"
	"strings"

	"relay/testdata/e2e/reply"
)

// gemini is Google's.
type gemini struct{}

func (gemini) authorized(h http.Header) bool { return h.Get("X-Goog-Api-Key") == Key }

func (gemini) models() any {
	model := func(name string, methods ...string) object {
		return object{
			"name": "models/" + name, "baseModelId": name, "version": "001", "displayName": name, "inputTokenLimit": 100_000, "outputTokenLimit": 8_000,
			"supportedGenerationMethods": methods,
		}
	}
	return object{"models": []any{model("gemini-mini", "generateContent", "countTokens"), model("gemini-embed", "embedContent")}}
}

func (gemini) check(r *request) string {
	model, verb, _ := strings.Cut(strings.TrimPrefix(r.path, "/v1beta/models/"), ":")
	switch {
	case r.URL.Query().Has("key"):
		return "a key in the URL"
	case model == "gemini-embed" && (verb == "embedContent" && r.body["content"] != nil || verb == "batchEmbedContents" && len(r.list("requests")) == 1):
		return ""
	case verb == "countTokens" && model == "gemini-mini":
		return ""
	case verb != "generateContent" && verb != "streamGenerateContent":
		return "no such path: " + r.path
	case model != "gemini-mini":
		return "no such model: " + model
	case len(r.list("contents")) == 0:
		return "no contents"
	}
	return ""
}

func (gemini) refuse(status int, message string) any {
	return object{"error": object{"code": status, "message": message, "status": "INVALID_ARGUMENT"}}
}

func (gemini) cost(r *request) Spent {
	switch {
	case r.verb("countTokens"):
		return Spent{}
	case r.verb("embedContent"), r.verb("batchEmbedContents"):
		return Spent{Calls: 1}
	}
	return Spent{Calls: 1, Input: 20, CacheRead: 10, Output: 7, Reasoning: 3}
}

// verb reports whether the path ends in it.
func (r *request) verb(name string) bool { return strings.HasSuffix(r.path, ":"+name) }

const geminiResult = `"functionResponse":`

func (g gemini) answer(w http.ResponseWriter, r *request) {
	switch {
	case r.verb("countTokens"):
		reply.JSON(w, http.StatusOK, object{"totalTokens": 30})
	case r.verb("embedContent"):
		reply.JSON(w, http.StatusOK, object{"embedding": object{"values": vector}})
	case r.verb("batchEmbedContents"):
		reply.JSON(w, http.StatusOK, object{"embeddings": []any{object{"values": vector}}})
	case r.verb("generateContent"):
		parts := []any{object{"text": said(r.hasResult(geminiResult))}}
		if r.wantsCall(geminiResult) {
			parts = []any{g.call()}
		}
		reply.JSON(w, http.StatusOK, g.chunk(parts, true))
	default:
		g.stream(w, r)
	}
}

func (gemini) call() object {
	return object{"functionCall": object{"id": "call_1", "name": "add", "args": sum()}}
}

func (gemini) chunk(parts []any, last bool) object {
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	usage := object{"promptTokenCount": 30, "cachedContentTokenCount": 10, "totalTokenCount": 30}
	if last {
		candidate["finishReason"] = "STOP"
		usage["candidatesTokenCount"], usage["thoughtsTokenCount"], usage["totalTokenCount"] = 4, 3, 37
	}
	return object{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": "gemini-mini", "responseId": "r1"}
}

// stream sends events or, without alt=sse, the elements of an array.
func (g gemini) stream(w http.ResponseWriter, r *request) {
	var chunks []object
	if r.wantsCall(geminiResult) {
		chunks = append(chunks, g.chunk([]any{g.call()}, false))
	} else {
		for _, piece := range pieces(said(r.hasResult(geminiResult))) {
			chunks = append(chunks, g.chunk([]any{object{"text": piece}}, false))
		}
	}
	chunks = append(chunks, g.chunk([]any{object{"text": ""}}, true))
	if r.URL.Query().Get("alt") == "sse" {
		s := reply.NewStream(w, "text/event-stream")
		for _, chunk := range chunks {
			s.Data(chunk)
		}
		return
	}
	s := reply.NewStream(w, "application/json")
	before := "["
	for _, chunk := range chunks {
		s.Text(before + string(reply.Encoded(chunk)))
		before = "\n,\r\n"
	}
	s.Text("]")
}
