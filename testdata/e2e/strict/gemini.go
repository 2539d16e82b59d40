package strict

import (
	"fmt"
	"net/http"
	"strings"

	"relay/testdata/e2e/reply"
)

// gemini is Google's, with a model that signs the first of the calls it makes at
// once.
type gemini struct{ *issuer }

func (s gemini) issued() *issuer { return s.issuer }

func (gemini) contentType() string { return "text/event-stream" }

func (gemini) authorized(h http.Header) bool { return h.Get("X-Goog-Api-Key") == Key }

func (gemini) list(models []string) any {
	var all []any
	for _, name := range models {
		all = append(all, object{
			"name": "models/" + name, "baseModelId": name, "version": "001", "displayName": name, "inputTokenLimit": 100_000, "outputTokenLimit": 8_000,
			"supportedGenerationMethods": []any{"generateContent", "countTokens"},
		})
	}
	return object{"models": all}
}

func (gemini) refuse(status int, f *fault) (int, any) {
	kind := "INVALID_ARGUMENT"
	details := []any{}
	switch status {
	case http.StatusUnauthorized:
		kind = "UNAUTHENTICATED"
	case http.StatusTooManyRequests:
		kind = "RESOURCE_EXHAUSTED"
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"})
	case http.StatusServiceUnavailable:
		kind = "UNAVAILABLE"
	}
	return status, object{"error": object{"code": status, "message": geminiSays(f), "status": kind, "details": details}}
}

func geminiSays(f *fault) string {
	if f.kind == unknown {
		n := len(f.path) - 1
		return fmt.Sprintf("Invalid JSON payload received. Unknown name %q at '%v': Cannot find field.", f.path[n], orEmpty(openAIPath(f.path[:n])))
	}
	said := f.said
	if f.kind == missing {
		said = "the field is required"
	}
	if len(f.path) == 0 {
		return said
	}
	return fmt.Sprintf("* GenerateContentRequest.%v: %s", openAIPath(f.path), said)
}

func orEmpty(path any) any {
	if path == nil {
		return ""
	}
	return path
}

func (gemini) read(r *request) asked {
	name, verb, _ := strings.Cut(strings.TrimPrefix(r.path, "/v1beta/models/"), ":")
	config := objectOf(r.body["generationConfig"])
	thinking, calling := objectOf(config["thinkingConfig"]), objectOf(objectOf(r.body["toolConfig"])["functionCallingConfig"])
	q := asked{model: name, stream: verb == "streamGenerateContent", never: calling["mode"] == "NONE", told: isTrue(thinking["includeThoughts"])}
	q.think = q.told || thinking["thinkingLevel"] != nil || thinking["thinkingBudget"] != nil && numberOf(thinking["thinkingBudget"]) != 0
	if q.schema = objectOf(config["responseSchema"]); q.schema == nil {
		q.schema = objectOf(config["responseJsonSchema"])
	}
	if names := listOf(calling["allowedFunctionNames"]); len(names) == 1 {
		q.named = textOf(names[0])
	}
	for _, tool := range listOf(r.body["tools"]) {
		for _, declaration := range listOf(objectOf(tool)["functionDeclarations"]) {
			q.tools = append(q.tools, textOf(objectOf(declaration)["name"]))
		}
	}
	for _, v := range listOf(r.body["contents"]) {
		for _, p := range listOf(objectOf(v)["parts"]) {
			part := objectOf(p)
			if response := objectOf(part["functionResponse"]); response != nil {
				q.results = append(q.results, result{textOf(response["name"]), string(reply.Encoded(response["response"]))})
			}
			if data := objectOf(part["inlineData"]); data != nil {
				q.images = append(q.images, imageFrom(textOf(data["mimeType"]), textOf(data["data"])))
			}
		}
	}
	return q
}
