package strict

import "slices"

// The members that OpenAI knows of a response
// (https://platform.openai.com/docs/api-reference/responses/create). This one
// keeps nothing, as for organizations without data retention.
func responsesBody() rule {
	efforts := oneOf("none", "minimal", "low", "medium", "high", "xhigh")
	summary := oneOf("auto", "concise", "detailed")
	return rules{
		"model": filled, "input": textOr(filledList(responsesItem())), "instructions": nullOr(text), "stream": flag, "stream_options": rules{"include_obfuscation": flag}.has(),
		"store": flag, "include": list(text), "max_output_tokens": integer(16), "max_tool_calls": integer(1), "temperature": within(0, 2), "top_p": within(0, 1), "top_logprobs": integer(0),
		"tools": list(responsesTool()), "tool_choice": textOr(responsesChoice()), "parallel_tool_calls": flag, "text": rules{"format": responsesFormat(), "verbosity": oneOf("low", "medium", "high")}.has(),
		"reasoning": rules{"effort": efforts, "summary": summary}.has(), "metadata": anyObject, "user": text, "safety_identifier": text, "service_tier": text,
		"prompt_cache_key": text, "prompt_cache_retention": text, "truncation": text, "background": flag, "client_metadata": anyObject,
	}.has("model", "input")
}

// responsesItem is an item of the input. What only answers have, such as a
// status, is refused.
func responsesItem() rule {
	item := rules{"type": text}
	callID := like(`^.{1,64}$`)
	functionID, customID := like(`^fc_.{1,61}$`), like(`^ctc_.{1,60}$`)
	outputs := textOr(filledList(byName("type", inputParts())))
	items := rules{
		"message":   responsesMessage,
		"reasoning": item.and(rules{"id": like(`^rs_`), "summary": list(byName("type", rules{"summary_text": rules{"type": text, "text": text}.has("text")})), "encrypted_content": base64Text}).has("summary", "encrypted_content"),
		"function_call": item.and(rules{"id": functionID, "call_id": callID, "name": toolName, "arguments": argumentsText, "namespace": text}).
			has("call_id", "name", "arguments"),
		"function_call_output":    item.and(rules{"call_id": callID, "output": outputs}).has("call_id", "output"),
		"custom_tool_call":        item.and(rules{"id": customID, "call_id": callID, "name": toolName, "input": text, "namespace": text}).has("call_id", "name", "input"),
		"custom_tool_call_output": item.and(rules{"call_id": callID, "output": outputs}).has("call_id", "output"),
	}
	return func(c *checker, v any) {
		if objectOf(v)["type"] == nil {
			responsesMessage(c, v)
			return
		}
		byName("type", items)(c, v)
	}
}

func inputParts() rules {
	part := rules{"type": text}
	return rules{
		"input_text":  part.and(rules{"text": text}).has("text"),
		"input_image": part.and(rules{"image_url": nullOr(like(`^(https?://|data:image/(png|jpeg|gif|webp);base64,)`)), "file_id": nullOr(text), "detail": oneOf("auto", "low", "high", "original")}).has(),
		"input_file":  part.and(rules{"file_id": nullOr(text), "filename": text, "file_data": text, "file_url": text, "detail": text}).has(),
	}
}

// responsesMessage is a message: what the assistant has said in parts of output,
// everything else in parts of input.
func responsesMessage(c *checker, v any) {
	part := rules{"type": text}
	kinds := inputParts()
	if objectOf(v)["role"] == "assistant" {
		kinds = rules{"output_text": part.and(rules{"text": text, "annotations": list(anyObject), "logprobs": list(anyObject)}).has("text"), "refusal": part.and(rules{"refusal": text}).has("refusal")}
	}
	rules{
		"type": text, "role": oneOf("user", "assistant", "system", "developer"), "content": textOr(filledList(byName("type", kinds))), "id": like(`^msg_`), "phase": text,
	}.has("role", "content")(c, v)
}

func responsesTool() rule {
	tool := rules{"type": text}
	function := tool.and(rules{"name": toolName, "description": nullOr(text), "parameters": nullOr(objectSchema), "strict": nullOr(flag), "defer_loading": flag}).has("name")
	custom := tool.and(rules{"name": toolName, "description": text, "format": anyObject}).has("name")
	return byName("type", rules{
		"function": function, "custom": custom, "web_search": anyObject, "namespace": anyObject,
	})
}

func responsesChoice() rule {
	named := rules{"type": text, "name": toolName}.has("name")
	return byName("type", rules{"function": named, "custom": named, "allowed_tools": anyObject})
}

func responsesFormat() rule {
	format := rules{"type": text}
	return byName("type", rules{
		"text": format.has(), "json_object": format.has(),
		"json_schema": format.and(rules{"name": toolName, "schema": objectSchema, "strict": nullOr(flag), "description": nullOr(text)}).has("name", "schema"),
	})
}

func (s responses) check(r *request) *fault {
	if r.path != "/v1/responses" {
		return invalidAt("Invalid URL (POST " + r.path + ")")
	}
	c := &checker{}
	responsesBody()(c, r.body)
	if c.fault != nil {
		return c.fault
	}
	c.must(r.body["store"] == false, "this organization keeps no data: 'store' must be false", "store")
	c.must(slices.Contains(listOf(r.body["include"]), any("reasoning.encrypted_content")), "a gateway must ask for reasoning.encrypted_content", "include")
	if choice, is := r.body["tool_choice"].(string); is {
		c.must(slices.Contains([]string{"none", "auto", "required"}, choice), "Invalid value: '"+choice+"'", "tool_choice")
	}
	c.must(len(listOf(r.body["tools"])) > 0 || r.body["tool_choice"] == nil || r.body["tool_choice"] == "auto" || r.body["tool_choice"] == "none", "Tool choices are only allowed with tools.", "tool_choice")
	format := objectOf(objectOf(r.body["text"])["format"])
	strictSchema(c, format, "text", "format")
	for i, tool := range listOf(r.body["tools"]) {
		function := objectOf(tool)
		strictSchema(c, object{"strict": function["strict"], "schema": function["parameters"]}, "tools", i)
	}
	responsesTurns(c, s.issuer, listOf(r.body["input"]))
	return c.fault
}

// responsesTurns checks that calls have their results, and that reasoning comes
// as it was issued, just before what it led to.
func responsesTurns(c *checker, issued *issuer, input []any) {
	open := map[string]bool{}
	var reasoning []string // since the last item of another kind
	for i, v := range input {
		item := objectOf(v)
		id := textOf(item["call_id"])
		switch item["type"] {
		case "reasoning":
			encrypted := textOf(item["encrypted_content"])
			_, known := issued.standsFor(encrypted)
			c.must(known, "The encrypted content could not be verified.", "input", i, "encrypted_content")
			reasoning = append(reasoning, encrypted)
			c.must(i+1 < len(input), "Item of type 'reasoning' was provided without its required following item.", "input", i)
			continue
		case "function_call", "custom_tool_call":
			c.must(!open[id], "Duplicate item found with call_id "+id, "input", i, "call_id")
			open[id] = true
			led, known := issued.bound(id)
			first := i == 0 || textOf(objectOf(input[i-1])["type"]) != "function_call"
			c.must(len(reasoning) == 0 || known && first && slices.Equal(led, reasoning), "Item of type 'reasoning' was provided without its required following item.", "input", i)
			c.must(len(reasoning) > 0 || !first || item["id"] == nil || !known, "Item of type 'function_call' was provided without its required 'reasoning' item.", "input", i)
		case "function_call_output", "custom_tool_call_output":
			c.must(open[id], "No tool call found for function call output with call_id "+id+".", "input", i)
			delete(open, id)
		}
		if item["type"] != "function_call" {
			c.must(len(reasoning) == 0 || item["role"] == "assistant", "Item of type 'reasoning' was provided without its required following item.", "input", i)
		}
		reasoning = nil
	}
	for id := range open {
		c.must(false, "No tool output found for function call "+id+".", "input")
	}
}
