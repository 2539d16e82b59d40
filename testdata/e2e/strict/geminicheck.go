package strict

import (
	"slices"
	"strings"
)

// The members that Google knows of generateContent
// (https://ai.google.dev/api/generate-content).
func geminiBody() rule {
	config := rules{
		"stopSequences": list(text), "responseMimeType": oneOf("text/plain", "application/json", "text/x.enum"), "responseSchema": googleSchema, "responseJsonSchema": anyObject,
		"responseModalities": list(text), "candidateCount": integer(1), "maxOutputTokens": integer(1), "temperature": within(0, 2), "topP": within(0, 1), "topK": integer(1), "seed": integer(-1 << 31),
		"presencePenalty": within(-2, 2), "frequencyPenalty": within(-2, 2), "responseLogprobs": flag, "logprobs": integer(0), "speechConfig": anyObject, "mediaResolution": text, "imageConfig": anyObject,
		"thinkingConfig": rules{"includeThoughts": flag, "thinkingBudget": integer(-1), "thinkingLevel": oneOf("MINIMAL", "LOW", "MEDIUM", "HIGH", "minimal", "low", "medium", "high")}.has(),
	}
	choice := rules{"mode": oneOf("AUTO", "ANY", "NONE", "VALIDATED"), "allowedFunctionNames": list(text)}.has()
	return rules{
		"contents": filledList(geminiContent), "systemInstruction": rules{"role": text, "parts": filledList(geminiPart())}.has("parts"), "generationConfig": config.has(),
		"tools": list(geminiTool()), "toolConfig": rules{"functionCallingConfig": choice, "retrievalConfig": anyObject}.has(), "safetySettings": list(anyObject), "cachedContent": text,
		"serviceTier": text, "store": flag,
	}.has("contents")
}

func geminiContent(c *checker, v any) {
	rules{"role": oneOf("user", "model"), "parts": filledList(geminiPart())}.has("role", "parts")(c, v)
}

// geminiPart is a part: exactly one kind of data, and what may go with it.
func geminiPart() rule {
	given := like(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)
	kinds := rules{
		"text": filled, "inlineData": rules{"mimeType": like(`^[a-z]+/[a-z0-9.+-]+$`), "data": base64Text}.has("mimeType", "data"),
		"fileData": rules{"mimeType": text, "fileUri": filled}.has("fileUri"), "functionCall": rules{"id": text, "name": given, "args": anyObject}.has("name"),
		"functionResponse": rules{"id": text, "name": given, "response": anyObject, "parts": list(anyObject)}.has("name", "response"),
		"executableCode":   anyObject, "codeExecutionResult": anyObject,
	}
	whole := kinds.and(rules{"thought": flag, "thoughtSignature": filled, "videoMetadata": anyObject, "mediaResolution": anyObject}).has()
	return func(c *checker, v any) {
		whole(c, v)
		n := 0
		for name := range objectOf(v) {
			if kinds[name] != nil {
				n++
			}
		}
		c.must(n == 1, "required oneof field 'data' must have one initialized field", "data")
	}
}

func geminiTool() rule {
	declaration := rules{
		"name": like(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`), "description": text, "parameters": googleSchema, "parametersJsonSchema": anyObject, "behavior": text, "response": anyObject, "responseJsonSchema": anyObject,
	}.has("name")
	return rules{"functionDeclarations": filledList(declaration), "googleSearch": anyObject, "codeExecution": anyObject, "urlContext": anyObject}.has()
}

// googleSchema is Google's own subset of JSON Schema
// (https://ai.google.dev/api/caching#Schema).
func googleSchema(c *checker, v any) {
	rules{
		"type":   oneOf("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL", "string", "number", "integer", "boolean", "array", "object", "null"),
		"format": text, "title": text, "description": text, "nullable": flag, "enum": list(text), "maxItems": anything, "minItems": anything, "properties": googleProperties, "required": list(text),
		"minProperties": anything, "maxProperties": anything, "minLength": anything, "maxLength": anything, "pattern": text, "example": anything, "anyOf": list(googleSchema),
		"propertyOrdering": list(text), "default": anything, "items": googleSchema, "minimum": number, "maximum": number,
	}.has()(c, v)
}

func googleProperties(c *checker, v any) {
	anyObject(c, v)
	for name, property := range objectOf(v) {
		c.at(name, property, googleSchema)
	}
}

func (s gemini) check(r *request) *fault {
	_, verb, found := strings.Cut(strings.TrimPrefix(r.path, "/v1beta/models/"), ":")
	switch {
	case !found || verb != "generateContent" && verb != "streamGenerateContent":
		return invalidAt("no such path: " + r.path)
	case r.URL.Query().Has("key"):
		return invalidAt("a key in the URL")
	}
	c := &checker{}
	geminiBody()(c, r.body)
	if c.fault != nil {
		return c.fault
	}
	geminiTogether(c, r.body)
	geminiTurns(c, s.issuer, listOf(r.body["contents"]))
	return c.fault
}

func geminiTogether(c *checker, body object) {
	config := objectOf(body["generationConfig"])
	thinking := objectOf(config["thinkingConfig"])
	schema := config["responseSchema"] != nil || config["responseJsonSchema"] != nil
	c.must(config["responseSchema"] == nil || config["responseJsonSchema"] == nil, "only one of response_schema and response_json_schema may be set", "generationConfig")
	c.must(!schema || config["responseMimeType"] == "application/json", "response_schema needs a response_mime_type of application/json", "generationConfig")
	c.must(thinking["thinkingBudget"] == nil || thinking["thinkingLevel"] == nil, "You can only set only one of thinking budget and thinking level.", "generationConfig", "thinkingConfig")
	c.must(len(listOf(config["stopSequences"])) <= 5, "at most 5 stop sequences", "generationConfig", "stopSequences")
	calling := objectOf(objectOf(body["toolConfig"])["functionCallingConfig"])
	c.must(calling["allowedFunctionNames"] == nil || calling["mode"] == "ANY" || calling["mode"] == "VALIDATED", "allowed_function_names should only be set when mode is ANY or VALIDATED", "toolConfig")
	var declared []string
	for i, t := range listOf(body["tools"]) {
		for k, d := range listOf(objectOf(t)["functionDeclarations"]) {
			declaration := objectOf(d)
			declared = append(declared, textOf(declaration["name"]))
			c.must(declaration["parameters"] == nil || declaration["parametersJsonSchema"] == nil, "only one of parameters and parameters_json_schema may be set", "tools", i, "functionDeclarations", k)
		}
	}
	for _, name := range listOf(calling["allowedFunctionNames"]) {
		c.must(slices.Contains(declared, textOf(name)), "allowed_function_names has a name that is not declared", "toolConfig")
	}
}

// Placeholders are what Google lets pass for a signature of calls that it has not
// made (https://ai.google.dev/gemini-api/docs/thought-signatures).
func Placeholders() []string {
	return []string{"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"}
}

// geminiTurns checks the order of contents, and that of calls since the last
// prompt the first of each turn has its signature.
func geminiTurns(c *checker, issued *issuer, contents []any) {
	c.must(textOf(objectOf(contents[0])["role"]) == "user", "Please ensure that the conversation begins with a user turn.", "contents", 0)
	prompt := lastPrompt(contents)
	var open []object
	for i, v := range contents {
		content := objectOf(v)
		calls, responses := partsWith(content, "functionCall"), partsWith(content, "functionResponse")
		at := []any{"contents", i}
		if content["role"] == "model" {
			c.must(len(responses) == 0 && len(open) == 0, "Please ensure that function response turn comes immediately after a function call turn.", at...)
			open = calls
			geminiSignatures(c, issued, calls, i > prompt, at)
			continue
		}
		c.must(len(calls) == 0, "Please ensure that function call turns are the model's.", at...)
		c.must(len(responses) == len(open), "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.", at...)
		for k, part := range responses {
			called := k < len(open) && slices.ContainsFunc(open, func(call object) bool {
				return answers(objectOf(part["functionResponse"]), objectOf(call["functionCall"]))
			})
			c.must(called, "Please ensure that the function response has the name and id of a function call.", at...)
		}
		open = nil
	}
	c.must(len(open) == 0, "Please ensure that function calls are answered.", "contents")
}

func answers(response, call object) bool {
	return response["name"] == call["name"] && (response["id"] == nil || call["id"] == nil || response["id"] == call["id"])
}

func partsWith(content object, name string) []object {
	var found []object
	for _, p := range listOf(content["parts"]) {
		if objectOf(p)[name] != nil {
			found = append(found, objectOf(p))
		}
	}
	return found
}

// lastPrompt is the index of the last content in which the user says something.
func lastPrompt(contents []any) int {
	for i := len(contents) - 1; i >= 0; i-- {
		content := objectOf(contents[i])
		if content["role"] == "user" && len(partsWith(content, "functionResponse")) == 0 {
			return i
		}
	}
	return -1
}

func geminiSignatures(c *checker, issued *issuer, calls []object, current bool, at []any) {
	for k, part := range calls {
		signature := textOf(part["thoughtSignature"])
		stands, known := issued.standsFor(signature)
		name := textOf(objectOf(part["functionCall"])["name"])
		switch {
		case signature != "" && !known:
			c.must(k == 0 && slices.Contains(Placeholders(), signature), "Thought signature is not valid.", at...)
		case signature != "":
			c.must(stands == name, "Thought signature is not valid: it belongs to another part.", at...)
		default:
			c.must(k > 0 || !current, "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Function call `"+name+"`.", at...)
		}
	}
}
