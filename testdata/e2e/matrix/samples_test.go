package matrix_test

import (
	"strings"

	"relay/testdata/e2e/strict"
)

// sample is a body that holds a parameter, as one shape writes it. Its members
// stand beside those that say the prompt.
type sample struct {
	shape  string
	row    string // of the table
	member string // as X-Relay-Dropped-Params names it, where it is ignored
	json   string // the members, or of a said the conversation, in place of the prompt
	said   bool
}

func samples() []sample {
	chat := func(row, json string) sample {
		member, _, _ := strings.Cut(strings.TrimPrefix(json, `"`), `"`)
		return sample{strict.Chat, row, member, json, false}
	}
	const tools = `"tools":[{"type":"function","function":{"name":"add","parameters":{"type":"object"}}}],`
	return []sample{
		chat("temperature", `"temperature":0.5`), chat("top_p", `"top_p":0.9`), chat("top_k", `"top_k":5`), chat("min_p", `"min_p":0.1`), chat("max_tokens", `"max_tokens":50`),
		chat("stop", `"stop":["END"]`), chat("seed", `"seed":7`), chat("frequency_penalty", `"frequency_penalty":0.5`), chat("presence_penalty", `"presence_penalty":0.5`),
		chat("n", `"n":2`), chat("logprobs", `"logprobs":true`), chat("logit_bias", `"logit_bias":{"1":2}`),
		chat("prediction", `"prediction":{"type":"content","content":"x"}`), chat("user", `"user":"u1"`), chat("safety_identifier", `"safety_identifier":"s1"`), chat("metadata", `"metadata":{"a":"b"}`),
		chat("store", `"store":true`), chat("service_tier", `"service_tier":"flex"`), chat("prompt_cache_key", `"prompt_cache_key":"k"`), chat("prompt_cache_retention", `"prompt_cache_retention":"24h"`),
		chat("verbosity", `"verbosity":"low"`), chat("web_search_options", `"web_search_options":{}`), chat("json_object output", `"response_format":{"type":"json_object"}`),
		chat("num_ctx", `"num_ctx":4096`), chat("keep_alive", `"keep_alive":"5m"`), chat("reasoning.effort", `"reasoning_effort":"low"`),
		{strict.Chat, "audio output", "", `"modalities":["text","audio"],"audio":{"voice":"alloy","format":"wav"}`, false},
		{strict.Chat, "tool_choice required", "", tools + `"tool_choice":"required"`, false},
		{strict.Chat, "tool_choice by name", "", tools + `"tool_choice":{"type":"function","function":{"name":"add"}}`, false},
		{strict.Chat, "parallel_tool_calls", "parallel_tool_calls", tools + `"parallel_tool_calls":false`, false},
		{strict.Responses, "previous_response_id", "", `"previous_response_id":"resp_1"`, false},
		{strict.Responses, "background", "", `"background":true`, false},
		{strict.Responses, "truncation", "truncation", `"truncation":"auto"`, false},
		{strict.Responses, "max_tool_calls", "max_tool_calls", `"max_tool_calls":3`, false},
		{strict.Responses, "tools that the provider runs", "", `"tools":[{"type":"web_search"}]`, false},
		{strict.Messages, "tools that the provider runs", "", `"tools":[{"type":"web_search_20250305","name":"web_search"}]`, false},
		{strict.Messages, "mcp_servers", "", `"mcp_servers":[{"type":"url","url":"https://mcp.example","name":"m"}]`, false},
		{strict.Messages, "context_management", "context_management", `"context_management":{"edits":[]}`, false},
		{strict.Messages, "top_k", "top_k", `"top_k":5`, false},
		{strict.Messages, "tool_choice by name", "", `"tools":[{"name":"add","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"add"}`, false},
		{strict.Gemini, "safetySettings", "safetySettings", `"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]`, false},
		{strict.Gemini, "cachedContent", "", `"cachedContent":"cachedContents/1"`, false},
		{strict.Gemini, "labels", "labels", `"labels":{"a":"b"}`, false},
		{strict.Ollama, "keep_alive", "keep_alive", `"keep_alive":"5m"`, false},
		{strict.Ollama, "num_ctx", "options.num_ctx", `"options":{"num_ctx":4096}`, false},
		{strict.Ollama, "repeat_penalty", "options.repeat_penalty", `"options":{"repeat_penalty":1.1}`, false},
	}
}

// conversations are samples of what is said and not of members.
func conversations() []sample {
	said := func(shape, row, member, json string) sample { return sample{shape, row, member, json, true} }
	const png = `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`
	const pdf = `JVBERi0xLjQKJSVFT0YK`
	chat := func(part string) string {
		return `[{"role":"user","content":[{"type":"text","text":PROMPT},` + part + `]}]`
	}
	response := func(part string) string {
		return `[{"role":"user","content":[{"type":"input_text","text":PROMPT},` + part + `]}]`
	}
	message := func(part string) string {
		return `[{"role":"user","content":[{"type":"text","text":PROMPT}` + part + `]}]`
	}
	content := func(part string) string { return `[{"role":"user","parts":[{"text":PROMPT},` + part + `]}]` }
	return []sample{
		said(strict.Chat, "images as base64", "", chat(`{"type":"image_url","image_url":{"url":"data:image/png;base64,`+png+`"}}`)),
		said(strict.Chat, "images by address", "", chat(`{"type":"image_url","image_url":{"url":"https://a.example/x.png"}}`)),
		said(strict.Chat, "documents as base64", "", chat(`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,`+pdf+`"}}`)),
		said(strict.Chat, "documents by file id", "", chat(`{"type":"file","file":{"file_id":"file-1"}}`)),
		said(strict.Chat, "audio input", "", chat(`{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}`)),
		said(strict.Chat, "system messages within the conversation", "", `[{"role":"user","content":PROMPT},{"role":"system","content":"Be brief."},{"role":"user","content":"Go on."}]`),
		said(strict.Chat, "custom tools", "", `[{"role":"user","content":PROMPT}],"tools":[{"type":"custom","custom":{"name":"shell","description":"Runs."}}]`),
		said(strict.Responses, "images by address", "", response(`{"type":"input_image","detail":"auto","image_url":"https://a.example/x.png"}`)),
		said(strict.Responses, "images by file id", "", response(`{"type":"input_image","detail":"auto","file_id":"file-1"}`)),
		said(strict.Responses, "documents as base64", "", response(`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,`+pdf+`"}`)),
		said(strict.Responses, "documents by address", "", response(`{"type":"input_file","file_url":"https://a.example/x.pdf"}`)),
		said(strict.Responses, "custom tools", "", `PROMPT,"tools":[{"type":"custom","name":"shell","description":"Runs."}]`),
		said(strict.Responses, "reasoning.summary", "reasoning.summary", `PROMPT,"reasoning":{"summary":"auto"}`),
		said(strict.Messages, "images as base64", "", message(`,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+png+`"}}`)),
		said(strict.Messages, "images by address", "", message(`,{"type":"image","source":{"type":"url","url":"https://a.example/x.png"}}`)),
		said(strict.Messages, "documents as base64", "", message(`,{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"`+pdf+`"}}`)),
		said(strict.Messages, "documents by address", "", message(`,{"type":"document","source":{"type":"url","url":"https://a.example/x.pdf"}}`)),
		said(strict.Messages, "cache_control", "cache_control", `[{"role":"user","content":[{"type":"text","text":PROMPT,"cache_control":{"type":"ephemeral"}}]}]`),
		said(strict.Messages, "reasoning.budget_tokens", "", message("")+`,"thinking":{"type":"enabled","budget_tokens":2048}`),
		said(strict.Messages, "prefilled answer", "prefilled answer", `[{"role":"user","content":PROMPT},{"role":"assistant","content":"Hel"}]`),
		said(strict.Messages, "media in tool results", "", message("")[:len(message(""))-1]+`,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"look","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+png+`"}}]}]}],
			"tools":[{"name":"look","input_schema":{"type":"object"}}]`),
		said(strict.Gemini, "images as base64", "", content(`{"inlineData":{"mimeType":"image/png","data":"`+png+`"}}`)),
		said(strict.Gemini, "documents as base64", "", content(`{"inlineData":{"mimeType":"application/pdf","data":"`+pdf+`"}}`)),
		said(strict.Gemini, "audio input", "", content(`{"inlineData":{"mimeType":"audio/wav","data":"UklGRg=="}}`)),
		said(strict.Ollama, "images as base64", "", `[{"role":"user","content":PROMPT,"images":["`+png+`"]}]`),
	}
}
