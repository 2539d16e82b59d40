package strict

import (
	"encoding/json"
	"slices"
	"strings"
)

// The members that OpenAI knows of a chat completion
// (https://platform.openai.com/docs/api-reference/chat/create).
func chatBody() rule {
	effort := oneOf("none", "minimal", "low", "medium", "high", "xhigh")
	return rules{
		"model": filled, "messages": filledList(chatMessage()), "stream": flag, "stream_options": rules{"include_usage": flag, "include_obfuscation": flag}.has(),
		"max_tokens": integer(1), "max_completion_tokens": integer(1), "temperature": within(0, 2), "top_p": within(0, 1), "n": integer(1), "seed": integer(-1 << 62),
		"frequency_penalty": within(-2, 2), "presence_penalty": within(-2, 2), "stop": textOr(list(text)), "logprobs": flag, "top_logprobs": integer(0), "logit_bias": anyObject,
		"tools": filledList(chatTool()), "tool_choice": textOr(chatChoice()), "parallel_tool_calls": flag, "response_format": chatFormat(), "reasoning_effort": effort,
		"user": text, "safety_identifier": text, "store": flag, "metadata": anyObject, "service_tier": text, "prompt_cache_key": text, "prompt_cache_retention": text,
		"verbosity": oneOf("low", "medium", "high"), "modalities": list(text), "audio": anyObject, "prediction": anyObject, "web_search_options": anyObject,
	}.has("model", "messages")
}

func chatMessage() rule {
	parts := func(kinds rules) rule { return textOr(filledList(byName("type", kinds))) }
	said := rules{"type": text, "text": text}.has("text")
	user := rules{
		"text":        said,
		"image_url":   rules{"type": text, "image_url": rules{"url": like(`^(https?://|data:image/(png|jpeg|gif|webp);base64,)`), "detail": oneOf("auto", "low", "high")}.has("url")}.has("image_url"),
		"input_audio": rules{"type": text, "input_audio": rules{"data": base64Text, "format": oneOf("wav", "mp3")}.has("data", "format")}.has("input_audio"),
		"file":        rules{"type": text, "file": rules{"file_data": text, "file_id": text, "filename": text}.has()}.has("file"),
	}
	onlyText := rules{"text": said}
	name := rules{"role": text, "name": text}
	system := name.and(rules{"content": parts(onlyText)}).has("content")
	return byName("role", rules{
		"system": system, "developer": system,
		"user": name.and(rules{"content": parts(user)}).has("content"),
		"assistant": name.and(rules{
			"content": nullOr(parts(rules{"text": said, "refusal": rules{"type": text, "refusal": text}.has("refusal")})), "refusal": nullOr(text),
			"tool_calls": filledList(chatCall()), "reasoning_content": text, "audio": nullOr(anyObject),
		}).has(),
		"tool": rules{"role": text, "content": parts(onlyText), "tool_call_id": filled}.has("content", "tool_call_id"),
	})
}

// chatCall is a call in a message of the assistant. OpenAI takes ids of up to 40
// characters.
func chatCall() rule {
	id := like(`^.{1,40}$`)
	return byName("type", rules{
		"function": rules{"id": id, "type": text, "function": rules{"name": toolName, "arguments": argumentsText}.has("name", "arguments")}.has("id", "function"),
		"custom":   rules{"id": id, "type": text, "custom": rules{"name": toolName, "input": text}.has("name", "input")}.has("id", "custom"),
	})
}

func toolName(c *checker, v any) { like(`^[a-zA-Z0-9_-]{1,64}$`)(c, v) }

// argumentsText is a JSON object as text, or nothing.
func argumentsText(c *checker, v any) {
	if text(c, v); v == "" {
		return
	}
	decoded, err := decode([]byte(textOf(v)))
	_, is := decoded.(object)
	c.must(err == nil && is, "the arguments are no JSON object")
}

func chatTool() rule {
	function := rules{"name": toolName, "description": text, "parameters": objectSchema, "strict": nullOr(flag)}.has("name")
	return byName("type", rules{
		"function": rules{"type": text, "function": function}.has("function"),
		"custom":   rules{"type": text, "custom": rules{"name": toolName, "description": text, "format": anyObject}.has("name")}.has("custom"),
	})
}

func chatChoice() rule {
	named := rules{"name": toolName}.has("name")
	return byName("type", rules{
		"function": rules{"type": text, "function": named}.has("function"), "custom": rules{"type": text, "custom": named}.has("custom"),
		"allowed_tools": rules{"type": text, "allowed_tools": anyObject}.has("allowed_tools"),
	})
}

func chatFormat() rule {
	schema := rules{"name": toolName, "schema": objectSchema, "strict": nullOr(flag), "description": text}.has("name")
	return byName("type", rules{
		"text": rules{"type": text}.has(), "json_object": rules{"type": text}.has(), "json_schema": rules{"type": text, "json_schema": schema}.has("json_schema"),
	})
}

func (s chat) check(r *request) *fault {
	if r.path != "/v1/chat/completions" {
		return invalidAt("Invalid URL (POST " + r.path + ")")
	}
	c := &checker{}
	chatBody()(c, r.body)
	if c.fault != nil {
		return c.fault
	}
	chatTogether(c, r.body)
	chatTurns(c, listOf(r.body["messages"]))
	for i, m := range listOf(r.body["messages"]) {
		if thoughts := objectOf(m)["reasoning_content"]; thoughts != nil && !s.hasTold(textOf(thoughts)) {
			return &fault{unknown, []any{"messages", i, "reasoning_content"}, ""}
		}
	}
	return c.fault
}

// chatTogether checks members that go together or exclude each other.
func chatTogether(c *checker, body object) {
	has := func(name string) bool { return body[name] != nil }
	c.must(has("tools") || !has("tool_choice"), "'tool_choice' is only allowed when 'tools' are specified.", "tool_choice")
	c.must(has("tools") || !has("parallel_tool_calls"), "'parallel_tool_calls' is only allowed when 'tools' are specified.", "parallel_tool_calls")
	c.must(isTrue(body["stream"]) || !has("stream_options"), "The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
	c.must(!isTrue(body["stream"]) || isTrue(objectOf(body["stream_options"])["include_usage"]), "a gateway must ask for the usage of a stream", "stream_options")
	c.must(!has("max_tokens") || !has("max_completion_tokens"), "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", "max_tokens")
	c.must(!has("max_tokens") || !has("reasoning_effort"), "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens")
	c.must(len(listOf(body["stop"])) <= 4, "Expected an array with maximum length 4", "stop")
	if choice, is := body["tool_choice"].(string); is {
		c.must(slices.Contains([]string{"none", "auto", "required"}, choice), "Invalid value: '"+choice+"'", "tool_choice")
	}
	format := objectOf(body["response_format"])
	strictSchema(c, objectOf(format["json_schema"]), "response_format", "json_schema")
	for i, tool := range listOf(body["tools"]) {
		function := objectOf(objectOf(tool)["function"])
		strictSchema(c, object{"strict": function["strict"], "schema": function["parameters"]}, "tools", i, "function")
	}
	if format["type"] == "json_object" {
		all, _ := json.Marshal(body["messages"])
		c.must(strings.Contains(strings.ToLower(string(all)), "json"), "'messages' must contain the word 'json' in some form", "messages")
	}
}

// strictSchema checks what OpenAI wants of schemas that it holds its answers to
// (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas).
func strictSchema(c *checker, of object, path ...any) {
	schema := objectOf(of["schema"])
	if !isTrue(of["strict"]) || schema["type"] != "object" {
		return
	}
	c.must(schema["additionalProperties"] == false, "'additionalProperties' is required to be supplied and to be false.", path...)
	for name, property := range objectOf(schema["properties"]) {
		c.must(slices.Contains(listOf(schema["required"]), any(name)), "'required' is required to include every key in properties. Missing '"+name+"'.", path...)
		strictSchema(c, object{"strict": true, "schema": property}, path...)
	}
}

// chatTurns checks that the messages after calls bring their results.
func chatTurns(c *checker, messages []any) {
	open := map[string]bool{}
	for i, m := range messages {
		message := objectOf(m)
		if message["role"] == "tool" {
			id := textOf(message["tool_call_id"])
			c.must(open[id], "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.", "messages", i)
			delete(open, id)
			continue
		}
		c.must(len(open) == 0, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.", "messages", i)
		calls := listOf(message["tool_calls"])
		c.must(message["role"] != "assistant" || message["content"] != nil || len(calls) > 0, "content is required unless there are tool_calls", "messages", i, "content")
		for _, call := range calls {
			id := textOf(objectOf(call)["id"])
			c.must(!open[id], "two calls have one id", "messages", i, "tool_calls")
			open[id] = true
		}
	}
	c.must(len(open) == 0, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.", "messages")
}
