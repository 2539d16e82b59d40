package upstream

import (
	"maps"
	"net/http"
	"strings"

	"relay/testdata/e2e/reply"
)

// ollama is Ollama's own API, which takes no key. Its model list for gateways is
// OpenAI's, below /v1.
type ollama struct{}

func (ollama) authorized(http.Header) bool { return true }

func (ollama) models() any { return openAIModels("ollama-mini:latest") }

func (ollama) check(r *request) string {
	name := r.model()
	if named, _ := r.body["name"].(string); name == "" {
		name = named // as former clients say
	}
	switch {
	case r.Header.Get("Authorization") != "":
		return "a key where none is wanted"
	case name != "ollama-mini:latest" && name != "ollama-mini":
		return "no such model: " + name
	case r.path == "/api/chat" && len(r.list("messages")) == 0:
		return "no messages"
	case r.path != "/api/chat" && r.path != "/api/generate" && r.path != "/api/embed" && r.path != "/api/show":
		return "no such path: " + r.path
	}
	return ""
}

func (ollama) refuse(_ int, message string) any { return object{"error": message} }

func (ollama) cost(r *request) Spent {
	switch r.path {
	case "/api/show":
		return Spent{}
	case "/api/embed":
		return Spent{Calls: 1, Input: 5}
	}
	return Spent{Calls: 1, Input: 30, Output: 7}
}

const ollamaResult = `"role":"tool"`

func (o ollama) answer(w http.ResponseWriter, r *request) {
	switch {
	case r.path == "/api/show":
		reply.JSON(w, http.StatusOK, object{
			"modelfile": "FROM mini", "parameters": "", "template": "{{ .Prompt }}", "details": ollamaDetails(),
			"model_info": object{"general.architecture": "llama"}, "capabilities": []any{"completion", "tools"}, "modified_at": ollamaTime,
		})
	case r.path == "/api/embed":
		reply.JSON(w, http.StatusOK, object{"model": "ollama-mini", "embeddings": []any{vector}, "total_duration": 9, "load_duration": 1, "prompt_eval_count": 5})
	case r.body["stream"] == false:
		reply.JSON(w, http.StatusOK, o.line(r, strings.Join(o.pieces(r), ""), true))
	default:
		s := reply.NewStream(w, "application/x-ndjson")
		for _, piece := range o.pieces(r) {
			s.Line(o.line(r, piece, false))
		}
		s.Line(o.line(r, "", true))
	}
}

const ollamaTime = "2026-01-01T00:00:00Z"

func ollamaDetails() object {
	return object{"parent_model": "", "format": "gguf", "family": "llama", "families": []any{"llama"}, "parameter_size": "1B", "quantization_level": "F32"}
}

// pieces are the texts of the lines that come before the last. A call of a tool
// is one line without text.
func (ollama) pieces(r *request) []string {
	if r.wantsCall(ollamaResult) {
		return []string{""}
	}
	return pieces(said(r.hasResult(ollamaResult)))
}

func (ollama) line(r *request, text string, done bool) object {
	line := object{"model": "ollama-mini", "created_at": ollamaTime, "done": done}
	if r.path == "/api/generate" {
		line["response"] = text
	} else {
		message := object{"role": "assistant", "content": text}
		if r.wantsCall(ollamaResult) && (!done || r.body["stream"] == false) {
			message["tool_calls"] = []any{object{"function": object{"name": "add", "arguments": sum()}}}
		}
		line["message"] = message
	}
	if done {
		end := object{"done_reason": "stop", "total_duration": 9, "load_duration": 1, "prompt_eval_count": 30, "prompt_eval_duration": 3, "eval_count": 7, "eval_duration": 5}
		maps.Copy(line, end)
	}
	return line
}
