package strict

import "slices"

// The members that Ollama knows of a chat
// (https://github.com/ollama/ollama/blob/main/docs/api.md), which alone are let
// through here.
func ollamaBody() rule {
	options := rules{
		"num_ctx": integer(1), "num_predict": integer(-2), "num_keep": integer(0), "num_batch": integer(1), "num_gpu": integer(0), "num_thread": integer(0), "temperature": within(0, 10),
		"top_p": within(0, 1), "top_k": integer(0), "min_p": within(0, 1), "typical_p": within(0, 1), "seed": integer(-1 << 62), "stop": list(text), "repeat_last_n": integer(-1),
		"repeat_penalty": number, "presence_penalty": number, "frequency_penalty": number,
	}.has()
	tool := rules{
		"type": oneOf("function"), "function": rules{"name": filled, "description": text, "parameters": objectSchema}.has("name", "parameters"),
	}.has("type", "function")
	return rules{
		"model": filled, "messages": filledList(ollamaMessage()), "stream": flag, "format": ollamaFormat, "options": nullOr(options), "keep_alive": anything, "tools": list(tool), "think": ollamaThink,
		"truncate": flag, "shift": flag, "logprobs": flag, "top_logprobs": integer(0),
	}.has("model", "messages", "stream")
}

func ollamaMessage() rule {
	call := rules{"id": text, "function": rules{"index": integer(0), "name": filled, "arguments": anyObject}.has("name", "arguments")}.has("function")
	said := rules{"role": text, "content": text, "images": list(base64Text)}
	return byName("role", rules{
		"system": said.has("content"), "user": said.has("content"),
		"assistant": said.and(rules{"thinking": text, "tool_calls": list(call)}).has("content"),
		"tool":      said.and(rules{"tool_name": filled, "tool_call_id": text}).has("content", "tool_name"),
	})
}

func ollamaFormat(c *checker, v any) {
	if _, is := v.(string); is {
		oneOf("json")(c, v)
		return
	}
	objectSchema(c, v)
}

func ollamaThink(c *checker, v any) {
	if _, is := v.(string); is {
		oneOf("high", "medium", "low")(c, v)
		return
	}
	flag(c, v)
}

func (ollama) check(r *request) *fault {
	if r.path != "/api/chat" {
		return invalidAt("no such path: " + r.path)
	}
	c := &checker{}
	ollamaBody()(c, r.body)
	if c.fault != nil {
		return c.fault
	}
	var open []string
	for i, m := range listOf(r.body["messages"]) {
		message := objectOf(m)
		if message["role"] == "tool" {
			name := textOf(message["tool_name"])
			k := slices.Index(open, name)
			c.must(k >= 0, "no call of "+name+" comes before its result", "messages", i)
			if k >= 0 {
				open = slices.Delete(open, k, k+1)
			}
			continue
		}
		c.must(len(open) == 0, "calls have no results", "messages", i)
		for _, call := range listOf(message["tool_calls"]) {
			open = append(open, textOf(objectOf(objectOf(call)["function"])["name"]))
		}
	}
	c.must(len(open) == 0, "calls have no results", "messages")
	return c.fault
}
