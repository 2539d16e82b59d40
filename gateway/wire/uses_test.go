package wire_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
)

// usesNamed are the names of what requests use, for tables.
func usesNamed() map[string]wire.Uses {
	return map[string]wire.Uses{
		"tools": wire.UsesTools, "parallel": wire.UsesParallelTools, "vision": wire.UsesVision, "hears": wire.UsesAudioInput,
		"speaks": wire.UsesAudioOutput, "draws": wire.UsesImageOutput, "thinks": wire.UsesReasoning, "json": wire.UsesJSONMode,
		"schema": wire.UsesSchema, "cache": wire.UsesPromptCache, "stream": wire.UsesStream,
	}
}

func usesOf(names string) (uses wire.Uses) {
	for name := range strings.FieldsSeq(names) {
		uses |= usesNamed()[name]
	}
	return uses
}

func inspect(t *testing.T, body string, paths map[string]int) wire.Inspection {
	t.Helper()
	if err := wire.Scan([]byte(body), &wire.Members{}); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return wire.Inspect([]byte(body), paths)
}

func testUses(t *testing.T, cases map[string]string) {
	t.Helper()
	for members, want := range cases {
		if got := inspect(t, "{"+members+"}", nil).Uses; got != usesOf(want) {
			t.Errorf("{%s} uses %b, want %s, %b", members, got, want, usesOf(want))
		}
	}
}

func TestInspect_FindsToolsInEveryShape(t *testing.T) {
	testUses(t, map[string]string{
		`"tools":[]`: "", `"tools":null`: "", `"functions":[]`: "", `"mcp_servers":[]`: "", `"tools":{"definitions":[]}`: "",
		`"tool_choice":"auto","parallel_tool_calls":true`:                       "",
		`"tools":[{"type":"function","function":{"name":"f"}}]`:                 "tools parallel",
		`"tools":[{"name":"f","input_schema":{}}]`:                              "tools parallel",
		`"tools":[{"functionDeclarations":[{"name":"f"}]}]`:                     "tools parallel",
		`"tools":[{"google_search":{}}]`:                                        "tools parallel",
		`"tools":{"functionDeclarations":[{"name":"f"}]}`:                       "tools parallel",
		`"tools":{"definitions":[{"name":"f"}],"choice":"auto"}`:                "tools parallel",
		`"tools":[{"type":"web_search"}]`:                                       "tools parallel",
		`"tools":[{"type":"image_generation"}]`:                                 "tools parallel draws",
		`"tools":[{"type":"namespace","tools":[{"name":"f"}]}]`:                 "tools parallel",
		`"input":[{"type":"additional_tools","tools":[{"name":"f"}]}]`:          "tools parallel",
		`"functions":[{"name":"f"}]`:                                            "tools parallel",
		`"mcp_servers":[{"url":"https://x"}]`:                                   "tools parallel",
		`"web_search_options":{}`:                                               "tools parallel",
		`"tools":[],"tools":[{"name":"f"}],"tools":[]`:                          "tools parallel",
		`"\u0074ools":[{"name":"f"}]`:                                           "tools parallel",
		`"TOOLS":[{"name":"f"}]`:                                                "tools parallel",
		`"tool\u017f":[{"name":"f"}]`:                                           "tools parallel",
		`"tools":[{"name":"f"}],"parallel_tool_calls":false`:                    "tools",
		`"parallelToolCalls":false,"tools":[{"name":"f"}]`:                      "tools",
		`"parallel_tool_calls":false,"tools":[{}],"parallel_tool_calls":true`:   "tools parallel",
		`"parallel_tool_calls":null,"tools":[{}]`:                               "tools parallel",
		`"tools":[{}],"tool_choice":{"disable_parallel_tool_use":true}`:         "tools",
		`"tools":[{}],"tool_choice":{"disable_parallel_tool_use":false}`:        "tools parallel",
		`"tools":{"definitions":[{}],"parallel":false}`:                         "tools",
		`"extensions":{"gemini":{"tools":[{"codeExecution":{}}]}}`:              "tools parallel",
		`"extra_body":{"tools":[{}]}`:                                           "tools parallel",
		`"messages":[{"role":"assistant","tool_calls":[{"function":{}}]}]`:      "",
		`"tools":[{"function":{"parameters":{"properties":{"image_url":{}}}}}]`: "tools parallel",
	})
}

func TestInspect_FindsMediaInEveryShape(t *testing.T) {
	chat := func(part string) string { return `"messages":[{"role":"user","content":[` + part + `]}]` }
	google := func(part string) string { return `"contents":[{"parts":[` + part + `]}]` }
	testUses(t, map[string]string{
		chat(`{"type":"text","text":"an image_url"}`):                                                      "",
		chat(`{"type":"image_url","image_url":{"url":"https://x"}}`):                                       "vision",
		chat(`{"type":"text","text":"x","image_url":"https://x"}`):                                         "vision",
		chat(`{"type":"text","type":"image_url"}`):                                                         "vision",
		chat(`{"type":"\u0069mage_url"}`):                                                                  "vision",
		chat(`{"type":"video_url","video_url":{"url":"x"}}`):                                               "vision",
		chat(`{"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}}`):                        "hears",
		chat(`{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBE"}}`):                    "vision",
		chat(`{"type":"file","file":{"file_id":"file-1"}}`):                                                "vision",
		chat(`{"type":"file","file":{"file_data":"data:text/plain;base64,aGk=","filename":"a.txt"}}`):      "",
		chat(`{"type":"file","file":{"file_data":"data:audio/wav;base64,UklG"}}`):                          "hears",
		chat(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}`):         "vision",
		chat(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"A"}}`):   "vision",
		chat(`{"type":"document","source":{"type":"url","url":"https://x"}}`):                              "vision",
		chat(`{"type":"document","source":{"type":"file","file_id":"f"}}`):                                 "vision",
		chat(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"hi"}}`):         "",
		chat(`{"type":"document","source":{"type":"content","content":[{"type":"text","text":"hi"}]}}`):    "",
		chat(`{"type":"document","source":{"type":"content","content":[{"type":"image"}]}}`):               "vision",
		chat(`{"type":"search_result","source":"https://x","content":[{"type":"text","text":"hi"}]}`):      "",
		chat(`{"type":"tool_result","content":[{"type":"image","source":{}}]}`):                            "vision",
		chat(`{"type":"tool_use","input":{"type":"image","image_url":"x","images":["x"]}}`):                "",
		`"messages":[{"role":"assistant","audio":{"id":"a"}}]`:                                             "hears",
		`"messages":[{"role":"assistant","audio":null,"content":"hi"}]`:                                    "",
		`"messages":[{"role":"user","content":"hi","images":["iVBOR"]}]`:                                   "vision",
		`"messages":[{"role":"user","content":"hi","images":[]}]`:                                          "",
		`"messages":[{"tool_calls":[{"function":{"arguments":{"images":["x"]}}}]}]`:                        "",
		`"prompt":"hi","images":["iVBOR"]`:                                                                 "vision",
		`"prompt":{"id":"p","variables":{"photo":{"type":"input_image","file_id":"f"},"name":"x"}}`:        "vision",
		`"input":[{"role":"user","content":[{"type":"input_image","image_url":"https://x"}]}]`:             "vision",
		`"input":[{"role":"user","content":[{"type":"input_file","file_url":"https://x"}]}]`:               "vision",
		`"input":[{"role":"user","content":[{"type":"input_file","file_data":"data:text/csv;base64,A"}]}]`: "",
		`"input":[{"type":"function_call_output","output":[{"type":"input_image","image_url":"x"}]}]`:      "vision",
		`"input":[{"type":"computer_call_output","output":{"type":"computer_screenshot"}}]`:                "vision",
		`"input":[{"type":"function_call","arguments":"{\"image_url\":1}"}]`:                               "",
		`"input":[{"content":[{"type":"audio","data":"UklG","media_type":"audio/wav"}]}]`:                  "hears",
		`"input":[{"image":"https://x"},{"text":"hi"}]`:                                                    "vision",
		`"input":["hi",[1,2,3]]`: "",
		google(`{"text":"hi"}`):  "",
		google(`{"inlineData":{"mimeType":"image/png","data":"AA=="}}`):                               "vision",
		google(`{"inline_data":{"mime_type":"audio/wav","data":"AA=="}}`):                             "hears",
		google(`{"inlineData":{"mimeType":"text/plain","data":"AA=="}}`):                              "",
		google(`{"inlineData":{"mimeType":"text/plain","mimeType":"image/png"}}`):                     "vision",
		google(`{"fileData":{"mimeType":"application/pdf","fileUri":"https://x"}}`):                   "vision",
		google(`{"fileData":{"fileUri":"https://youtu.be/x"}}`):                                       "vision hears",
		google(`{"functionResponse":{"name":"f","response":{"image_url":"x","inlineData":{"a":1}}}}`): "",
		google(`{"functionResponse":{"name":"f","parts":[{"inlineData":{"mimeType":"image/png"}}]}}`): "vision",
		google(`{"functionCall":{"name":"f","args":{"type":"image"}}}`):                               "",
		`"systemInstruction":{"parts":[{"inlineData":{"mimeType":"image/png"}}]}`:                     "vision",
		`"requests":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png"}}]}}]`:                "vision",
		`"modalities":["text"]`: "", `"modalities":["text","audio"]`: "speaks", `"audio":{"voice":"alloy"}`: "speaks",
		`"modalities":["image","text"]`:                          "draws",
		`"generationConfig":{"responseModalities":["TEXT"]}`:     "",
		`"generationConfig":{"responseModalities":["AUDIO"]}`:    "speaks",
		`"generation_config":{"response_modalities":["IMAGE"]}`:  "draws",
		`"generationConfig":{"responseModalities":[3]}`:          "speaks draws",
		`"generationConfig":{"speechConfig":{"voiceConfig":{}}}`: "speaks",
	})
}

func TestInspect_FindsWhatIsAskedOfThoughtsAndFormats(t *testing.T) {
	testUses(t, map[string]string{
		`"reasoning_effort":"low"`: "thinks", `"reasoning_effort":"none"`: "", `"reasoning_effort":null`: "",
		`"reasoning":{"effort":"high"}`: "thinks", `"reasoning":{"effort":"none"}`: "", `"reasoning":{}`: "",
		`"reasoning":{"summary":"auto"}`: "thinks", `"reasoning":{"exclude":true}`: "", `"reasoning":{"max_tokens":100}`: "thinks",
		`"reasoning":{"enabled":false}`: "", `"reasoning":{"enabled":true}`: "thinks", `"reasoning":{"budget_tokens":-1}`: "thinks",
		`"thinking":{"type":"enabled","budget_tokens":2000}`: "thinks", `"thinking":{"type":"disabled"}`: "",
		`"thinking":{"type":"disabled","type":"adaptive"}`: "thinks", `"output_config":{"effort":"low"}`: "thinks",
		`"think":true`: "thinks", `"think":"low"`: "thinks", `"think":false`: "", `"think":""`: "",
		`"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}`:             "",
		`"generationConfig":{"thinkingConfig":{"thinkingBudget":"0"}}`:           "",
		`"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}`:            "thinks",
		`"generation_config":{"thinking_config":{"thinking_level":"LOW"}}`:       "thinks",
		`"generationConfig":{"thinkingConfig":{"includeThoughts":true}}`:         "thinks",
		`"extra_body":{"google":{"thinking_config":{"thinking_budget":5}}}`:      "thinks",
		`"chat_template_kwargs":{"enable_thinking":true}`:                        "thinks",
		`"chat_template_kwargs":{"enable_thinking":false}`:                       "",
		`"extensions":{"anthropic":{"thinking":{"type":"enabled"}}}`:             "thinks",
		`"response_format":{"type":"text"}`:                                      "",
		`"response_format":{"type":"json_object"}`:                               "json",
		`"response_format":{"type":"json_schema","json_schema":{"schema":{}}}`:   "schema",
		`"response_format":{"type":"json_object","schema":{"type":"object"}}`:    "json schema",
		`"response_format":"b64_json"`:                                           "",
		`"text":{"format":{"type":"json_object"}}`:                               "json",
		`"text":{"format":{"type":"json_schema","schema":{}},"verbosity":"low"}`: "schema",
		`"text":{"format":{"type":"text"}}`:                                      "",
		`"output":{"format":{"type":"json_schema","schema":{}}}`:                 "schema",
		`"output_config":{"format":{"type":"json_schema","schema":{}}}`:          "schema",
		`"format":"json"`:                                                                               "json",
		`"format":{"type":"object"}`:                                                                    "schema",
		`"format":{"type":"object"},"format":"json"`:                                                    "json schema",
		`"generationConfig":{"responseMimeType":"application/json"}`:                                    "json",
		`"generationConfig":{"response_mime_type":"text/plain"}`:                                        "",
		`"generationConfig":{"responseMimeType":"text/x.enum"}`:                                         "schema",
		`"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT"}}`: "schema",
		`"generationConfig":{"responseSchema":{"type":"OBJECT"}},"generationConfig":{"responseMimeType":"application/json"}`:        "json schema",
		`"generationConfig":{"_responseJsonSchema":{"type":"object"}}`:                                                              "schema",
		`"generationConfig":{"responseFormat":{"text":{"mimeType":"application/json","schema":{"type":"object"}},"audio":{"a":1}}}`: "schema speaks",
		`"stream_format":"sse"`: "stream", `"stream_format":"audio"`: "",
	})
}

func TestInspect_FindsMarksOfPromptCaches(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"}`
	testUses(t, map[string]string{
		mark: "cache", `"system":[{"type":"text","text":"s",` + mark + `}]`: "cache",
		`"messages":[{"role":"user","content":[{"type":"text","text":"s",` + mark + `}]}]`: "cache",
		`"messages":[{"role":"user",` + mark + `,"content":"s"}]`:                          "cache",
		`"tools":[{"name":"f",` + mark + `}],"parallel_tool_calls":false`:                  "tools cache",
		`"tools":[{"function":{"name":"f",` + mark + `}}],"parallel_tool_calls":false`:     "tools cache",
		`"input":[{"content":[{"type":"input_text","prompt_cache_breakpoint":{"a":1}}]}]`:  "cache",
		`"prompt_cache_key":"k"`: "cache", `"prompt_cache_retention":"24h"`: "cache", `"cachedContent":"c"`: "cache",
		`"cache":{"instructions":true}`: "cache", `"cache":{"instructions":false,"tools":false}`: "", `"cache_control":null`: "",
	})
}

func TestInspect_FindsTheFirstOfThePathsInAnySpelling(t *testing.T) {
	paths := map[string]int{"maxtokens": 0, "options": -1, "options.numctx": 1, "generationconfig": -1, "generationconfig.thinkingconfig": -1, "generationconfig.thinkingconfig.thinkingbudget": 2}
	long := strings.Repeat("x", 5000)
	for members, want := range map[string]int{
		``: -1, `"max_tokens":1`: 0, `"maxTokens":1`: 0, `"\u006dax_tokens":1`: 0, `"MAX_TO\u212aEN\u017f":1`: 0, `"max_tokens":null`: -1,
		`"options":{"num_ctx":1}`: 1, `"options":{"num_ctx":null}`: -1, `"options":[{"num_ctx":1}]`: -1, `"options":null,"options":{"num_ctx":1}`: 1,
		`"options":{"num_ctx":1},"max_tokens":1`: 1, `"options.num_ctx":1`: -1, `"num_ctx":1`: -1, `"messages":[{"max_tokens":1}]`: -1,
		`"generation_config":{"thinking_config":{"thinking_budget":0}}`: 2, `"generationConfig":{"thinkingBudget":0}`: -1,
		`"extensions":{"anthropic":{"max_tokens":1}}`: 0, `"extensions":{"ollama":{"options":{"num_ctx":1}}}`: 1, `"extra_body":{"max_tokens":1}`: 0,
		`"requests":[{},{"max_tokens":1}]`: 0, `"` + long + `":1,"max_tokens":1`: 0, `"max_tokens` + long + `":1`: -1, `"` + strings.Repeat(`\u0078`, 3000) + `":1`: -1,
		`"extra_body":{"google":{"max_tokens":1}}`: 0, `"extra_body":{"extra_body":{"extra_body":{"max_tokens":1}}}`: -1,
	} {
		body := "{" + members + "}"
		got := inspect(t, body, paths)
		if got.Held != want {
			t.Errorf("%.80s: %d, want %d", body, got.Held, want)
		}
		if name := got.Name.Of([]byte(body)); (got.Held >= 0) != (len(name) > 2) {
			t.Errorf("%.80s: the name is %s", body, name)
		}
	}
}

func TestInspectOptions_ReadsOptionsWithinOptions(t *testing.T) {
	paths := map[string]int{"numpredict": 0}
	for header, want := range map[string]string{
		`{"num_predict":1}`: "held", `{"options":{"num_predict":1}}`: "held", `{"options":{"think":true,"format":"json"}}`: "thinks json",
		`{"think":"low"}`: "thinks", `{"num_ctx":5}`: "", `no JSON`: "", `{"think":true,`: "thinks", ``: "", `[1]`: "",
	} {
		got := wire.InspectOptions([]byte(header), paths)
		if held, uses := got.Held == 0, got.Uses; held != (want == "held") || uses != usesOf(want) {
			t.Errorf("%s: held %v, uses %b, want %s", header, held, uses, want)
		}
	}
}

// Objects within objects cost no more than their length, whatever they are called.
func TestInspect_ReadsNestedExtensionsInOnePass(t *testing.T) {
	for _, name := range []string{"extra_body", "extensions", "options", "requests", "content"} {
		body := strings.Repeat(`{"`+name+`":`, 120) + `{"tools":[1]}` + strings.Repeat("}", 120)
		inspect(t, body, map[string]int{"x": 0, "options": -1, "options.x": 1})
	}
}

func TestInspect_DoesNotAllocate(t *testing.T) {
	body := []byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"t\u0079pe":"image_url"}]}],"tools":[{"a":1}],"generationConfig":{"thinkingConfig":{"thinkingBudget":4}},"max_tokens":5}`)
	paths := map[string]int{"generationconfig": -1, "generationconfig.topk": 0, "maxtokens": 1}
	if n := testing.AllocsPerRun(100, func() { wire.Inspect(body, paths) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
