package strict_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"relay/testdata/e2e/strict"
)

// post asks a provider and returns the status and body of its answer.
func post(t *testing.T, url, shape, path, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/"+shape+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	switch shape {
	case strict.Messages:
		request.Header.Set("X-Api-Key", strict.Key)
		request.Header.Set("Anthropic-Version", "2023-06-01")
	case strict.Gemini:
		request.Header.Set("X-Goog-Api-Key", strict.Key)
	case strict.Chat, strict.Responses:
		request.Header.Set("Authorization", "Bearer "+strict.Key)
	}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

var paths = map[string]string{
	strict.Chat: "/v1/chat/completions", strict.Responses: "/v1/responses", strict.Messages: "/v1/messages",
	strict.Gemini: "/v1beta/models/gemini-mini:generateContent", strict.Ollama: "/api/chat",
}

// refusal is a body that a provider refuses, and words of the refusal.
type refusal struct{ shape, name, body, words string }

func TestProviders_RefuseWhatTheirNamesakesDo(t *testing.T) {
	server := httptest.NewServer(strict.New("mini"))
	defer server.Close()
	for _, c := range refusals() {
		t.Run(c.shape+" "+c.name, func(t *testing.T) {
			status, answer := post(t, server.URL, c.shape, paths[c.shape], c.body)
			if status != http.StatusBadRequest || !strings.Contains(answer, c.words) {
				t.Errorf("got %d %s", status, answer)
			}
		})
	}
}

func refusals() []refusal {
	var all []refusal
	add := func(shape, before string, cases map[string][2]string) {
		for name, c := range cases {
			all = append(all, refusal{shape, name, strings.Replace(before, "…", c[0], 1), c[1]})
		}
	}
	tools := `"tools":[{"type":"function","function":{"name":"add","parameters":{"type":"object"}}}],`
	called := `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"add","arguments":"{}"}}]}`
	add(strict.Chat, `{"model":"m",…}`, map[string][2]string{
		"a member twice":           {`"messages":[{"role":"user","content":"hi","content":"ho"}]`, "twice"},
		"an unknown member":        {`"messages":[{"role":"user","content":"hi"}],"top_k":1`, "Unknown parameter: 'top_k'."},
		"of a message":             {`"messages":[{"role":"assistant","content":"hi","reasoning_content":"x"}]`, "Unknown parameter: 'messages[0].reasoning_content'."},
		"of a part":                {`"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{}}]}]`, "messages[0].content[0].cache_control"},
		"no messages":              {`"messages":[]`, "must not be empty"},
		"a call without a result":  {`"messages":[` + called + `,{"role":"user","content":"x"}]`, "must be followed by tool messages"},
		"a result without a call":  {`"messages":[{"role":"tool","tool_call_id":"c1","content":"x"}]`, "preceding message"},
		"arguments as an object":   {`"messages":[` + strings.Replace(called, `"{}"`, `{}`, 1) + `]`, "valid string"},
		"arguments cut off":        {`"messages":[` + strings.Replace(called, `"{}"`, `"{"`, 1) + `]`, "no JSON object"},
		"a choice among nothing":   {`"messages":[{"role":"user","content":"x"}],"tool_choice":"auto"`, "only allowed when 'tools'"},
		"no tools in the list":     {`"messages":[{"role":"user","content":"x"}],"tools":[]`, "must not be empty"},
		"options without a stream": {tools + `"messages":[{"role":"user","content":"x"}],"stream_options":{"include_usage":true}`, "only allowed when 'stream'"},
		"two limits":               {`"messages":[{"role":"user","content":"x"}],"max_tokens":1,"max_completion_tokens":1`, "at the same time"},
		"a loose strict schema":    {`"messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object"}}}`, "additionalProperties"},
	})
	add(strict.Responses, `{"model":"m","store":false,"include":["reasoning.encrypted_content"],…}`, map[string][2]string{
		"stop":                    {`"input":"x","stop":["a"]`, "Unknown parameter: 'stop'."},
		"a status":                {`"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}","status":"completed"}]`, "input[0].status"},
		"an unknown call":         {`"input":[{"type":"function_call_output","call_id":"c","output":"x"}]`, "No tool call found"},
		"a call without output":   {`"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]`, "No tool output found"},
		"foreign reasoning":       {`"input":[{"type":"reasoning","summary":[],"encrypted_content":"AAAA"},{"role":"user","content":"x"}]`, "could not be verified"},
		"reasoning in the clear":  {`"input":[{"type":"reasoning","summary":[{"type":"summary_text","text":"x"}]},{"role":"user","content":"x"}]`, "encrypted_content"},
		"output of a user":        {`"input":[{"role":"user","content":[{"type":"output_text","text":"x"}]}]`, "Invalid value: 'output_text'"},
		"a call with another id":  {`"input":[{"type":"function_call","id":"call_1","call_id":"c","name":"f","arguments":"{}"}]`, "^fc_"},
		"a choice without a tool": {`"input":"x","tool_choice":"required"`, "only allowed with tools"},
	})
	all = append(all, refusal{strict.Responses, "what is to be kept", `{"model":"m","input":"x"}`, "keeps no data"})
	user := `{"role":"user","content":"x"}`
	used := `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]}`
	add(strict.Messages, `{"model":"m",…}`, map[string][2]string{
		"no limit":               {`"messages":[` + user + `]`, "max_tokens: Field required"},
		"an unknown member":      {`"max_tokens":9,"messages":[` + user + `],"n":1`, "n: Extra inputs are not permitted"},
		"of a block":             {`"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"x","name":"y"}]}]`, "messages.0.content.0.name: Extra inputs"},
		"a system message":       {`"max_tokens":9,"messages":[{"role":"system","content":"x"},` + user + `]`, "Invalid value: 'system'"},
		"blank text":             {`"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]`, "non-whitespace"},
		"a blank message":        {`"max_tokens":9,"messages":[{"role":"user","content":""}]`, "non-whitespace"},
		"no blocks":              {`"max_tokens":9,"messages":[{"role":"user","content":[]}]`, "must not be empty"},
		"an id with a dot":       {`"max_tokens":9,"messages":[` + user + `,` + strings.Replace(used, "t1", "t.1", 1) + `]`, "should match pattern"},
		"a call without result":  {`"max_tokens":9,"messages":[` + user + `,` + used + `,` + user + `]`, "without `tool_result`"},
		"an id twice":            {`"max_tokens":9,"messages":[` + user + `,` + used + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]},` + used + `]`, "must be unique"},
		"text before results":    {`"max_tokens":9,"messages":[` + user + `,` + used + `,{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"t1"}]}]`, "must come first"},
		"a foreign signature":    {`"max_tokens":9,"messages":[` + user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"AAAA"}]}]`, "Invalid `signature`"},
		"no signature":           {`"max_tokens":9,"messages":[` + user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}]`, "signature: Field required"},
		"a small budget":         {`"max_tokens":2000,"messages":[` + user + `],"thinking":{"type":"enabled","budget_tokens":1000}`, "budget_tokens"},
		"a budget over the top":  {`"max_tokens":2000,"messages":[` + user + `],"thinking":{"type":"enabled","budget_tokens":2000}`, "must be greater than"},
		"warm thoughts":          {`"max_tokens":2000,"messages":[` + user + `],"temperature":0.5,"thinking":{"type":"enabled","budget_tokens":1024}`, "may only be set to 1"},
		"calls without thoughts": {`"max_tokens":2000,"messages":[` + user + `,` + used + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"}]}],"thinking":{"type":"enabled","budget_tokens":1024}`, "Expected `thinking`"},
		"forced thoughts":        {`"max_tokens":2000,"messages":[` + user + `],"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"},"thinking":{"type":"enabled","budget_tokens":1024}`, "forces tool use"},
	})
	fc := `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}…}]}`
	response := `{"role":"user","parts":[{"functionResponse":{"name":"NAME","response":{}}}]}`
	hi := `{"role":"user","parts":[{"text":"x"}]}`
	add(strict.Gemini, `{…}`, map[string][2]string{
		"an unknown member":     {`"contents":[` + hi + `],"model":"x"`, `Unknown name \"model\" at '': Cannot find field.`},
		"of a schema":           {`"contents":[` + hi + `],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","additionalProperties":false}}]}]`, `Unknown name \"additionalProperties\"`},
		"another role":          {`"contents":[{"role":"assistant","parts":[{"text":"x"}]}]`, "Invalid value"},
		"no parts":              {`"contents":[{"role":"user","parts":[]}]`, "must not be empty"},
		"a part of nothing":     {`"contents":[{"role":"user","parts":[{}]}]`, "must have one initialized field"},
		"an empty text":         {`"contents":[{"role":"user","parts":[{"text":""}]}]`, "non-whitespace"},
		"no media type":         {`"contents":[{"role":"user","parts":[{"inlineData":{"data":"AAAA"}}]}]`, "mimeType"},
		"another name":          {`"contents":[` + hi + `,` + strings.Replace(fc, "…", `,"thoughtSignature":"skip_thought_signature_validator"`, 1) + `,` + strings.Replace(response, "NAME", "g", 1) + `]`, "the name and id of a function call"},
		"no signature":          {`"contents":[` + hi + `,` + strings.Replace(fc, "…", ``, 1) + `,` + strings.Replace(response, "NAME", "f", 1) + `]`, "missing a thought_signature"},
		"a foreign signature":   {`"contents":[` + hi + `,` + strings.Replace(fc, "…", `,"thoughtSignature":"AAAA"`, 1) + `,` + strings.Replace(response, "NAME", "f", 1) + `]`, "not valid"},
		"a schema without JSON": {`"contents":[` + hi + `],"generationConfig":{"responseSchema":{"type":"OBJECT"}}`, "response_mime_type"},
	})
	add(strict.Ollama, `{"model":"m",…}`, map[string][2]string{
		"no word of a stream":  {`"messages":[{"role":"user","content":"x"}]`, "stream: missing"},
		"an unknown member":    {`"stream":false,"messages":[{"role":"user","content":"x"}],"max_tokens":1`, "max_tokens: unknown"},
		"content in parts":     {`"stream":false,"messages":[{"role":"user","content":[]}]`, "valid string"},
		"arguments as text":    {`"stream":false,"messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]`, "valid dictionary"},
		"no name of the tool":  {`"stream":false,"messages":[{"role":"tool","content":"x"}]`, "tool_name: missing"},
		"an unknown option":    {`"stream":false,"messages":[{"role":"user","content":"x"}],"options":{"max_tokens":1}`, "max_tokens: unknown"},
		"another way to think": {`"stream":false,"messages":[{"role":"user","content":"x"}],"think":"minimal"`, "Invalid value"},
	})
	return all
}

func TestProviders_TellOnlyOfWhatTheySaw(t *testing.T) {
	providers := strict.New("mini")
	server := httptest.NewServer(providers)
	defer server.Close()
	status, answer := post(t, server.URL, strict.Chat, paths[strict.Chat], `{"model":"m","messages":[{"role":"user","content":"[script:text] [cell:here]"}]}`)
	seen := providers.Seen("here")
	if status != http.StatusOK || len(seen) != 1 || seen[0].Fault != "" || seen[0].Shape != strict.Chat || len(providers.Seen("elsewhere")) != 0 {
		t.Errorf("got %d %s, seen %+v", status, answer, seen)
	}
}
