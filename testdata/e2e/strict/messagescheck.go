package strict

import (
	"encoding/json"
	"slices"
	"strings"
)

// The members that Anthropic knows of a message
// (https://docs.claude.com/en/api/messages). A beta has system messages within the
// conversation.
func messagesBody(systemWithin bool) rule {
	thinking := byName("type", rules{
		"enabled":  rules{"type": text, "budget_tokens": integer(1024), "display": text}.has("budget_tokens"),
		"adaptive": rules{"type": text, "display": text}.has(), "disabled": rules{"type": text}.has(),
	})
	format := byName("type", rules{"json_schema": rules{"type": text, "schema": objectSchema}.has("schema")})
	return rules{
		"model": filled, "max_tokens": integer(1), "messages": filledList(messagesMessage(systemWithin)), "system": textOr(filledList(byName("type", rules{"text": textBlock()}))), "stream": flag,
		"temperature": within(0, 1), "top_p": within(0, 1), "top_k": integer(0), "stop_sequences": list(filled), "metadata": rules{"user_id": nullOr(text)}.has(),
		"tools": list(messagesTool()), "tool_choice": messagesChoice(), "thinking": thinking, "service_tier": oneOf("auto", "standard_only"),
		"output_config": rules{"effort": oneOf("low", "medium", "high", "xhigh", "max"), "format": format}.has(), "cache_control": cacheControl(), "inference_geo": text,
		"context_management": anyObject, "container": text, "speed": text, "diagnostics": anyObject,
	}.has("model", "max_tokens", "messages")
}

func cacheControl() rule {
	return rules{"type": oneOf("ephemeral"), "ttl": oneOf("5m", "1h")}.has("type")
}

func textBlock() rule {
	return rules{"type": text, "text": filled, "cache_control": nullOr(cacheControl()), "citations": nullOr(list(anyObject))}.has("text")
}

func mediaBlocks() rules {
	block := rules{"type": text, "cache_control": nullOr(cacheControl())}
	base := rules{"type": text, "media_type": oneOf("image/jpeg", "image/png", "image/gif", "image/webp"), "data": base64Text}.has("media_type", "data")
	url := rules{"type": text, "url": like(`^https?://`)}.has("url")
	file := rules{"type": text, "file_id": text}.has("file_id")
	pdf := rules{"type": text, "media_type": oneOf("application/pdf"), "data": base64Text}.has("media_type", "data")
	plain := rules{"type": text, "media_type": oneOf("text/plain"), "data": text}.has("media_type", "data")
	return rules{
		"text":  textBlock(),
		"image": block.and(rules{"source": byName("type", rules{"base64": base, "url": url, "file": file})}).has("source"),
		"document": block.and(rules{
			"source": byName("type", rules{"base64": pdf, "url": url, "file": file, "text": plain}), "title": nullOr(text), "context": nullOr(text), "citations": nullOr(anyObject),
		}).has("source"),
	}
}

func messagesMessage(systemWithin bool) rule {
	block := rules{"type": text, "cache_control": nullOr(cacheControl())}
	id := like(`^[a-zA-Z0-9_-]+$`)
	user := mediaBlocks().and(rules{
		"tool_result": block.and(rules{"tool_use_id": id, "content": textOr(list(byName("type", mediaBlocks()))), "is_error": flag}).has("tool_use_id"),
	})
	assistant := rules{
		"text": textBlock(), "thinking": rules{"type": text, "thinking": text, "signature": base64Text}.has("thinking", "signature"),
		"redacted_thinking": rules{"type": text, "data": base64Text}.has("data"),
		"tool_use":          block.and(rules{"id": id, "name": toolName, "input": anyObject, "caller": anyObject}).has("id", "name", "input"),
	}
	message := func(kinds rules) rule {
		return rules{"role": text, "content": textOr(filledList(byName("type", kinds)))}.has("content")
	}
	roles := rules{"user": message(user), "assistant": message(assistant)}
	if systemWithin {
		roles["system"] = message(rules{"text": textBlock()})
	}
	return byName("role", roles)
}

func messagesTool() rule {
	own := rules{
		"type": oneOf("custom"), "name": toolName, "description": text, "input_schema": objectSchema, "cache_control": nullOr(cacheControl()), "strict": flag,
		"eager_input_streaming": nullOr(flag), "defer_loading": flag, "allowed_callers": list(text), "input_examples": list(anyObject),
	}.has("name", "input_schema")
	return func(c *checker, v any) {
		if kind := objectOf(v)["type"]; kind == nil || kind == "custom" {
			own(c, v)
		}
	}
}

func messagesChoice() rule {
	some := rules{"type": text, "disable_parallel_tool_use": flag}
	return byName("type", rules{"auto": some.has(), "any": some.has(), "none": rules{"type": text}.has(), "tool": some.and(rules{"name": toolName}).has("name")})
}

func (s messages) check(r *request) *fault {
	c := &checker{}
	version := r.Header.Get("Anthropic-Version")
	switch {
	case r.path != "/v1/messages":
		return invalidAt("no such path: " + r.path)
	case version != "2023-06-01" && version != "2026-10-21":
		return invalidAt("anthropic-version: header is required, not " + version)
	}
	messagesBody(strings.Contains(r.Header.Get("Anthropic-Beta"), "mid-conversation-system"))(c, r.body)
	if c.fault != nil {
		return c.fault
	}
	if version == "2026-10-21" {
		for _, name := range []string{"temperature", "top_p", "top_k"} {
			c.must(r.body[name] == nil, "sampling parameters are not supported in this version of the API", name)
		}
	}
	messagesTogether(c, r.body)
	messagesTurns(c, s.issuer, r.body)
	return c.fault
}

// messagesTogether checks members that go together or exclude each other.
func messagesTogether(c *checker, body object) {
	thinking, choice := objectOf(body["thinking"]), objectOf(body["tool_choice"])
	c.must(len(listOf(body["tools"])) > 0 || choice["type"] == nil || choice["type"] == "none", "tool_choice may only be specified while providing tools.", "tool_choice")
	var names []string
	for _, tool := range listOf(body["tools"]) {
		names = append(names, textOf(objectOf(tool)["name"]))
	}
	slices.Sort(names)
	c.must(len(slices.Compact(slices.Clone(names))) == len(names), "Tool names must be unique.", "tools")
	if choice["type"] == "tool" {
		c.must(slices.Contains(names, textOf(choice["name"])), "Tool '"+textOf(choice["name"])+"' not found in provided tools", "tool_choice")
	}
	if thinking["type"] != "enabled" && thinking["type"] != "adaptive" {
		return
	}
	c.must(thinking["type"] == "adaptive" || numberOf(thinking["budget_tokens"]) < numberOf(body["max_tokens"]), "`max_tokens` must be greater than `thinking.budget_tokens`.", "max_tokens")
	c.must(body["temperature"] == nil || isOne(body["temperature"]), "`temperature` may only be set to 1 when thinking is enabled.", "temperature")
	c.must(body["top_k"] == nil, "`top_k` must be unset when thinking is enabled.", "top_k")
	c.must(choice["type"] != "any" && choice["type"] != "tool", "Thinking may not be enabled when tool_choice forces tool use.", "tool_choice")
}

func isOne(v any) bool {
	n, _ := v.(json.Number)
	f, err := n.Float64()
	return err == nil && f == 1
}
