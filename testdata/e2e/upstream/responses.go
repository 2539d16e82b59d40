package upstream

import (
	"net/http"

	"relay/testdata/e2e/reply"
)

// responses is OpenAI's Responses.
type responses struct{}

func (responses) authorized(h http.Header) bool { return chat{}.authorized(h) }

func (responses) models() any { return openAIModels("responses-mini") }

func (responses) check(r *request) string {
	switch {
	case r.path != "/v1/responses":
		return "no such path: " + r.path
	case r.model() != "responses-mini":
		return "no such model: " + r.model()
	case r.body["input"] == nil:
		return "no input"
	}
	return ""
}

func (responses) refuse(_ int, message string) any { return openAIError(message) }

func (responses) cost(*request) Spent { return chat{}.cost(&request{}) }

const responsesResult = `"function_call_output"`

func (p responses) answer(w http.ResponseWriter, r *request) {
	item := p.message(said(r.hasResult(responsesResult)))
	if r.wantsCall(responsesResult) {
		item = p.call()
	}
	if !r.flag("stream") {
		reply.JSON(w, http.StatusOK, p.response("completed", item))
		return
	}
	e := &responseEvents{Stream: reply.NewStream(w, "text/event-stream")}
	e.send("response.created", object{"response": p.response("in_progress", nil)})
	e.send("response.in_progress", object{"response": p.response("in_progress", nil)})
	if item["type"] == "function_call" {
		e.playCall(item)
	} else {
		e.playMessage(item, said(r.hasResult(responsesResult)))
	}
	e.send("response.completed", object{"response": p.response("completed", item)})
}

func (responses) message(text string) object {
	return object{"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": []any{outputText(text)}}
}

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func (responses) call() object {
	return object{"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "call_1", "name": "add", "arguments": wholeArguments()}
}

func (responses) response(status string, item object) object {
	output, usage := []any{}, any(nil)
	if item != nil {
		output = append(output, item)
		usage = object{
			"input_tokens": 30, "output_tokens": 7, "total_tokens": 37,
			"input_tokens_details": object{"cached_tokens": 10}, "output_tokens_details": object{"reasoning_tokens": 3},
		}
	}
	return object{
		"id": "resp_1", "object": "response", "created_at": 1, "status": status, "background": false, "error": nil, "incomplete_details": nil,
		"instructions": nil, "max_output_tokens": nil, "max_tool_calls": nil, "model": "responses-mini", "output": output, "parallel_tool_calls": true,
		"previous_response_id": nil, "prompt_cache_key": nil, "reasoning": object{"effort": nil, "summary": nil}, "safety_identifier": nil,
		"service_tier": "default", "store": false, "temperature": 1, "text": object{"format": object{"type": "text"}, "verbosity": "medium"},
		"tool_choice": "auto", "tools": []any{}, "top_logprobs": 0, "top_p": 1, "truncation": "disabled", "usage": usage, "user": nil, "metadata": object{},
	}
}

// responseEvents are the events of a stream, which are numbered.
type responseEvents struct {
	*reply.Stream
	number int
}

func (e *responseEvents) send(name string, members object) {
	members["type"], members["sequence_number"] = name, e.number
	e.number++
	e.Event(name, members)
}

func (e *responseEvents) playMessage(item object, text string) {
	e.send("response.output_item.added", object{"output_index": 0, "item": object{"id": "msg_1", "type": "message", "status": "in_progress", "role": "assistant", "content": []any{}}})
	at := func(members object) object {
		members["item_id"], members["output_index"], members["content_index"] = "msg_1", 0, 0
		return members
	}
	e.send("response.content_part.added", at(object{"part": outputText("")}))
	for _, piece := range pieces(text) {
		e.send("response.output_text.delta", at(object{"delta": piece, "logprobs": []any{}}))
	}
	e.send("response.output_text.done", at(object{"text": text, "logprobs": []any{}}))
	e.send("response.content_part.done", at(object{"part": outputText(text)}))
	e.send("response.output_item.done", object{"output_index": 0, "item": item})
}

func (e *responseEvents) playCall(item object) {
	at := func(members object) object {
		members["item_id"], members["output_index"] = "fc_1", 0
		return members
	}
	e.send("response.output_item.added", object{"output_index": 0, "item": object{"id": "fc_1", "type": "function_call", "status": "in_progress", "call_id": "call_1", "name": "add", "arguments": ""}})
	for _, piece := range arguments() {
		e.send("response.function_call_arguments.delta", at(object{"delta": piece}))
	}
	e.send("response.function_call_arguments.done", at(object{"arguments": wholeArguments(), "name": "add"}))
	e.send("response.output_item.done", object{"output_index": 0, "item": item})
}
