package strict

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
)

// chat is OpenAI's chat completions. It tells its thoughts as the models of other
// vendors do that speak this shape, and takes back what it has told, and only that:
// OpenAI itself, which tells none, takes none.
type chat struct{ *issuer }

func (s chat) issued() *issuer { return s.issuer }

func (chat) contentType() string { return "text/event-stream" }

func (chat) authorized(h http.Header) bool { return h.Get("Authorization") == "Bearer "+Key }

func (chat) list(models []string) any {
	var all []object
	for _, name := range models {
		all = append(all, object{"id": name, "object": "model", "created": 1, "owned_by": "strict"})
	}
	return object{"object": "list", "data": all}
}

func (chat) refuse(status int, f *fault) (int, any) {
	kind, code := "invalid_request_error", any(nil)
	switch {
	case status == http.StatusTooManyRequests:
		kind, code = "requests", "rate_limit_exceeded"
	case status == http.StatusServiceUnavailable:
		kind = "server_error"
	case f.kind == unknown:
		code = "unknown_parameter"
	case f.kind == missing:
		code = "missing_required_parameter"
	}
	return status, object{"error": object{"message": openAISays(f), "type": kind, "param": openAIPath(f.path), "code": code}}
}

func openAISays(f *fault) string {
	switch f.kind {
	case unknown:
		return fmt.Sprintf("Unknown parameter: '%v'.", openAIPath(f.path))
	case missing:
		return fmt.Sprintf("Missing required parameter: '%v'.", openAIPath(f.path))
	}
	return f.said
}

// openAIPath is messages[0].content, or null.
func openAIPath(path []any) any {
	said := ""
	for _, step := range path {
		if i, is := step.(int); is {
			said += fmt.Sprintf("[%d]", i)
			continue
		}
		said += fmt.Sprintf(".%v", step)
	}
	if said == "" {
		return nil
	}
	return strings.TrimPrefix(said, ".")
}

func (chat) read(r *request) asked {
	q := asked{
		model: textOf(r.body["model"]), stream: isTrue(r.body["stream"]), one: r.body["parallel_tool_calls"] == false,
		never: r.body["tool_choice"] == "none", named: textOf(objectOf(objectOf(r.body["tool_choice"])["function"])["name"]),
		schema: objectOf(objectOf(objectOf(r.body["response_format"])["json_schema"])["schema"]),
	}
	effort := r.body["reasoning_effort"]
	q.think = effort != nil && effort != "none"
	q.told, q.inclined = q.think, effort != "none"
	for _, tool := range listOf(r.body["tools"]) {
		q.tools = append(q.tools, textOf(objectOf(objectOf(tool)["function"])["name"]))
	}
	names := map[string]string{}
	for _, m := range listOf(r.body["messages"]) {
		message := objectOf(m)
		for _, call := range listOf(message["tool_calls"]) {
			names[textOf(objectOf(call)["id"])] = textOf(objectOf(objectOf(call)["function"])["name"])
		}
		if message["role"] == "tool" {
			q.results = append(q.results, result{names[textOf(message["tool_call_id"])], textsOf(message["content"])})
		}
		for _, part := range listOf(message["content"]) {
			if url := textOf(objectOf(objectOf(part)["image_url"])["url"]); url != "" {
				q.images = append(q.images, imageOf(url))
			}
		}
	}
	return q
}

// imageOf reads a data address (RFC 2397).
func imageOf(url string) image {
	mediaType, content, _ := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	return imageFrom(mediaType, content)
}

func imageFrom(mediaType, content string) image {
	raw, err := base64.StdEncoding.Strict().DecodeString(content)
	if err != nil {
		mediaType = err.Error()
	}
	return image{mediaType, raw}
}
