package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"relay/testdata/e2e/rig"
	"relay/testdata/e2e/strict"
)

// shape is one of OpenAI's, as its callers speak it.
type shape struct {
	own      string // the upstream that it is not foreign to
	path     string
	body     string // with the prompt, and members beside it
	whole    string // the schema of a whole answer
	think    string // members
	tools    string
	schema   string
	limit    string
	isEvents bool // a stream is of events with types
}

func shapes() []shape {
	const parameters = `{"type":"object","properties":{},"additionalProperties":true}`
	schema, err := json.Marshal(strict.Schema())
	if err != nil {
		panic(err) // it is JSON
	}
	return []shape{
		{
			own: strict.Chat, path: "/v1/chat/completions", whole: "CreateChatCompletionResponse",
			body:   `{"model":"MODEL","messages":[{"role":"user","content":"PROMPT"}],"stream":STREAM`,
			think:  `,"reasoning_effort":"low"`,
			tools:  `,"tools":[{"type":"function","function":{"name":"add","parameters":` + parameters + `}},{"type":"function","function":{"name":"weather","parameters":` + parameters + `}}]`,
			schema: `,"response_format":{"type":"json_schema","json_schema":{"name":"animal","strict":true,"schema":` + string(schema) + `}}`,
			limit:  `,"max_completion_tokens":100`,
		},
		{
			own: strict.Responses, path: "/v1/responses", whole: "Response", isEvents: true,
			body:   `{"model":"MODEL","input":"PROMPT","store":false,"include":["reasoning.encrypted_content"],"stream":STREAM`,
			think:  `,"reasoning":{"effort":"low","summary":"auto"}`,
			tools:  `,"tools":[{"type":"function","name":"add","parameters":` + parameters + `},{"type":"function","name":"weather","parameters":` + parameters + `}]`,
			schema: `,"text":{"format":{"type":"json_schema","name":"animal","strict":true,"schema":` + string(schema) + `}}`,
			limit:  `,"max_output_tokens":100`,
		},
	}
}

// scripts are what is asked for, each with the members that ask for it.
func (s shape) scripts() map[string]string {
	return map[string]string{
		strict.PlayText: "", strict.PlayTools: s.tools, strict.PlayReasoned: s.tools + s.think, strict.PlayReasoning: s.think,
		strict.PlayStructure: s.schema, strict.PlayLength: s.limit, strict.PlayRefuse: "",
	}
}

func TestTranslatedAnswersAreAsOpenAIsSchemasWantThem(t *testing.T) {
	schemas := readSchemas(t)
	relay, key := start(t)
	judged := map[string]int{}
	for _, s := range shapes() {
		for _, upstream := range strict.Shapes() {
			if upstream == s.own {
				continue
			}
			for script, members := range s.scripts() {
				for _, stream := range []string{"false", "true"} {
					t.Run(s.own+"/"+upstream+"/"+script+"/"+stream, func(t *testing.T) {
						fill := strings.NewReplacer("MODEL", upstream+"-mini", "PROMPT", "[script:"+script+"]", "STREAM", stream)
						status, answer := post(t, relay.URL+s.path, key, fill.Replace(s.body)+members+"}")
						s.judge(t, schemas, judged, status, stream == "true", answer)
					})
				}
			}
		}
	}
	if status, answer := post(t, relay.URL+"/v1/models", key, ""); status != http.StatusOK {
		t.Errorf("models: %d %s", status, answer)
	} else if err := schemas.check("ListModelsResponse", answer); err != nil {
		t.Errorf("models: %v in %s", err, answer)
	}
	t.Logf("judged: %v", judged)
}

func TestSchemas_RefuseWhatIsNoAnswer(t *testing.T) {
	schemas := readSchemas(t)
	for name, text := range map[string]string{
		"CreateChatCompletionResponse":       `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"x","refusal":null},"finish_reason":"end_turn","logprobs":null}]}`,
		"CreateChatCompletionStreamResponse": `{"id":"x","object":"chat.completion.chunk","created":1,"model":"m"}`,
		"Response":                           `{"id":"x","object":"response"}`,
		"ErrorResponse":                      `{"error":{"message":"x","type":"y"}}`,
	} {
		if schemas.check(name, []byte(text)) == nil {
			t.Errorf("%s takes %s", name, text)
		}
	}
	if schemas.event([]byte(`{"type":"response.output_text.delta","delta":"x"}`)) == nil || schemas.event([]byte(`{"type":"response.text"}`)) == nil {
		t.Error("events are taken that are none")
	}
}

// judge holds an answer against its schema, and a stream chunk by chunk.
func (s shape) judge(t *testing.T, schemas *schemas, judged map[string]int, status int, streamed bool, answer []byte) {
	t.Helper()
	check := func(name string, err error, text []byte) {
		judged[name]++
		if err != nil {
			t.Errorf("%s: %v in %s", name, err, text)
		}
	}
	switch {
	case status != http.StatusOK:
		check("ErrorResponse", schemas.check("ErrorResponse", answer), answer)
	case !streamed:
		check(s.whole, schemas.check(s.whole, answer), answer)
	default:
		events := 0
		for line := range bytes.Lines(answer) {
			data, is := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: "))
			if !is || string(data) == "[DONE]" {
				continue
			}
			events++
			if s.isEvents {
				check("ResponseStreamEvent", schemas.event(data), data)
			} else {
				check("CreateChatCompletionStreamResponse", schemas.check("CreateChatCompletionStreamResponse", data), data)
			}
		}
		if events == 0 {
			t.Errorf("the stream is %s", answer)
		}
	}
}

// start runs a relay in front of the strict providers.
func start(t *testing.T) (*rig.Relay, string) {
	t.Helper()
	server := httptest.NewServer(strict.New("mini"))
	t.Cleanup(server.Close)
	relay, err := rig.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := relay.Close(); err != nil {
			t.Error(err)
		}
	})
	key, err := strict.Connect(relay, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return relay, key
}

// post sends a body, or gets where there is none.
func post(t *testing.T, url, key, body string) (int, []byte) {
	t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{Timeout: 20 * time.Second}
	resp, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", url, err))
	}
	return resp.StatusCode, answer
}
