package strict

import (
	"net/http"
	"strings"

	"relay/testdata/e2e/reply"
)

// responses is OpenAI's Responses, with a model that always thinks before it
// calls tools.
type responses struct{ *issuer }

func (s responses) issued() *issuer { return s.issuer }

func (responses) contentType() string { return "text/event-stream" }

func (responses) authorized(h http.Header) bool { return chat{}.authorized(h) }

func (responses) list(models []string) any { return chat{}.list(models) }

func (responses) refuse(status int, f *fault) (int, any) { return chat{}.refuse(status, f) }

func (responses) read(r *request) asked {
	effort, summary := objectOf(r.body["reasoning"])["effort"], objectOf(r.body["reasoning"])["summary"]
	q := asked{
		model: textOf(r.body["model"]), stream: isTrue(r.body["stream"]), one: r.body["parallel_tool_calls"] == false,
		never: r.body["tool_choice"] == "none", named: textOf(objectOf(r.body["tool_choice"])["name"]),
		schema: objectOf(objectOf(objectOf(r.body["text"])["format"])["schema"]),
		think:  effort != nil && effort != "none" || summary != nil, told: summary != nil && effort != "none",
	}
	for _, tool := range listOf(r.body["tools"]) {
		q.tools = append(q.tools, textOf(objectOf(tool)["name"]))
	}
	names := map[string]string{}
	for _, v := range listOf(r.body["input"]) {
		item := objectOf(v)
		id := textOf(item["call_id"])
		switch item["type"] {
		case "function_call":
			names[id] = textOf(item["name"])
		case "function_call_output":
			q.results = append(q.results, result{names[id], textsOf(item["output"])})
		}
		for _, part := range listOf(item["content"]) {
			if url := textOf(objectOf(part)["image_url"]); url != "" {
				q.images = append(q.images, imageOf(url))
			}
		}
	}
	return q
}

// items are the answer as it is when it is complete.
func (s responses) items(r *request, t turn) []object {
	var items []object
	var encrypted []string
	if t.thoughts != nil || r.think || t.calls != nil {
		encrypted = []string{s.issue(&r.asked, strings.Join(t.thoughts, ""))}
		items = append(items, object{"id": "rs_1", "type": "reasoning", "summary": summaryOf(t.thoughts), "encrypted_content": encrypted[0]})
	}
	if t.text != nil {
		content := []any{outputText(strings.Join(t.text, ""))}
		items = append(items, object{"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": content})
	}
	for _, call := range t.calls {
		id := s.callID("call_")
		items = append(items, object{"id": "fc_" + id, "type": "function_call", "status": "completed", "call_id": id, "name": call.Name, "arguments": string(reply.Encoded(argumentsOf(call)))})
		s.bind(encrypted, id)
	}
	return items
}

func summaryOf(thoughts []string) []any {
	if thoughts == nil {
		return []any{}
	}
	return []any{summaryText(strings.Join(thoughts, ""))}
}

func summaryText(text string) object { return object{"type": "summary_text", "text": text} }

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func (responses) response(r *request, status string, items []object) object {
	output, usage, incomplete := []any{}, any(nil), any(nil)
	if status != "in_progress" {
		u := Usage(Responses)
		usage = object{
			"input_tokens": u.Prompt(), "output_tokens": u.Output, "total_tokens": u.Prompt() + u.Output,
			"input_tokens_details": object{"cached_tokens": u.CacheRead}, "output_tokens_details": object{"reasoning_tokens": u.Reasoning},
		}
	}
	switch {
	case status == "incomplete" && r.script == PlayFilter:
		incomplete = object{"reason": "content_filter"}
	case status == "incomplete":
		incomplete = object{"reason": "max_output_tokens"}
	}
	for _, item := range items {
		output = append(output, item)
	}
	return object{
		"id": "resp_1", "object": "response", "created_at": 1, "status": status, "background": false, "error": nil, "incomplete_details": incomplete,
		"instructions": nil, "max_output_tokens": nil, "max_tool_calls": nil, "model": r.model, "output": output, "parallel_tool_calls": true,
		"previous_response_id": nil, "prompt_cache_key": nil, "reasoning": object{"effort": nil, "summary": nil}, "safety_identifier": nil,
		"service_tier": "default", "store": false, "temperature": 1, "text": object{"format": object{"type": "text"}, "verbosity": "medium"},
		"tool_choice": "auto", "tools": []any{}, "top_logprobs": 0, "top_p": 1, "truncation": "disabled", "usage": usage, "user": nil, "metadata": object{},
	}
}

func responsesStatus(t turn) string {
	if t.cut || t.filtered {
		return "incomplete"
	}
	return "completed"
}
