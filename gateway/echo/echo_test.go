package echo_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"relay/gateway/echo"
)

func serve(t *testing.T, o echo.Options) string {
	t.Helper()
	o.Now = func() time.Time { return time.Unix(1764374400, 0) }
	server := httptest.NewServer(echo.Handler(o))
	t.Cleanup(server.Close)
	return server.URL
}

func do(t *testing.T, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

const ask = `{"model":"echo-mini","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"one"},` +
	`{"role":"user","content":[{"type":"text","text":"the quick"},{"type":"text","text":"brown fox"}]}]`

func TestComplete_RepeatsTheLastUserMessage(t *testing.T) {
	answer, text := do(t, "POST", serve(t, echo.Options{})+"/v1/chat/completions", ask+`}`)
	want := `{"id":"chatcmpl-echo-1","object":"chat.completion","created":1764374400,"model":"echo-mini","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"the quick brown fox","refusal":null},"logprobs":null,"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":7,"completion_tokens":4,"total_tokens":11}}`
	if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "application/json" || text != want {
		t.Errorf("got %d %s", answer.StatusCode, text)
	}
}

func TestComplete_StopsAtTheOutputLimit(t *testing.T) {
	url := serve(t, echo.Options{}) + "/v1/chat/completions"
	for limit, words := range map[string]string{
		`"max_tokens":2`: "the quick", `"max_completion_tokens":1`: "the", `"max_tokens":3,"max_completion_tokens":1`: "the", `"max_tokens":4`: "",
	} {
		_, text := do(t, "POST", url, ask+","+limit+"}")
		if words == "" {
			if !strings.Contains(text, `"finish_reason":"stop"`) {
				t.Errorf("%s: got %s", limit, text)
			}
			continue
		}
		if !strings.Contains(text, `"content":"`+words+`"`) || !strings.Contains(text, `"finish_reason":"length"`) {
			t.Errorf("%s: got %s", limit, text)
		}
	}
}

func TestComplete_StreamsAChunkAWordAndUsageWhenAsked(t *testing.T) {
	url := serve(t, echo.Options{Pause: time.Microsecond}) + "/v1/chat/completions"
	answer, text := do(t, "POST", url, ask+`,"stream":true,"stream_options":{"include_usage":true}}`)
	events := strings.Split(strings.TrimSuffix(text, "\n\n"), "\n\n")
	if answer.Header.Get("Content-Type") != "text/event-stream" || len(events) != 8 {
		t.Fatalf("got %d events of %s: %s", len(events), answer.Header.Get("Content-Type"), text)
	}
	said := ""
	for _, event := range events[:6] {
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &chunk); err != nil {
			t.Fatal(err)
		}
		said += chunk.Choices[0].Delta.Content
	}
	if said != "the quick brown fox" || !strings.Contains(events[5], `"finish_reason":"stop"`) {
		t.Errorf("said %q, ended with %s", said, events[5])
	}
	if !strings.Contains(events[6], `"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":4,"total_tokens":11}`) || events[7] != "data: [DONE]" {
		t.Errorf("ended with %s and %s", events[6], events[7])
	}
	if _, text = do(t, "POST", url, ask+`,"stream":true}`); strings.Contains(text, "usage") {
		t.Errorf("told usage that was not asked for: %s", text)
	}
}

func TestComplete_EndsWhenTheCallerHasGone(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	inner := echo.Handler(echo.Options{Pause: time.Hour})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(began)
		inner.ServeHTTP(w, r)
		close(ended)
	}))
	defer server.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/v1/chat/completions", strings.NewReader(ask+`,"stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-began
		hangUp()
	}()
	if answer, err := http.DefaultClient.Do(r); err == nil {
		answer.Body.Close()
		t.Error("an answer came before the first pause was over")
	}
	<-ended
}

func TestHandler_RefusesInOpenAIForm(t *testing.T) {
	url := serve(t, echo.Options{Key: "sk-up"})
	key := []string{"Authorization", "Bearer sk-up"}
	for _, c := range []struct {
		method, path, body string
		header             []string
		status             int
		code               string
	}{
		{"GET", "/v1/models", "", nil, 401, "invalid_api_key"},
		{"POST", "/v1/chat/completions", ask + "}", []string{"Authorization", "Bearer wrong"}, 401, "invalid_api_key"},
		{"POST", "/v1/chat/completions", ask + "}", []string{"Authorization", "Basic sk-up"}, 401, "invalid_api_key"},
		{"POST", "/v1/chat/completions", ask + "}", []string{"X-Api-Key", "wrong"}, 401, "invalid_api_key"},
		{"POST", "/v1/chat/completions", `{"model":`, key, 400, "invalid_request"},
		{"POST", "/v1/chat/completions", `{"messages":[{}]}`, key, 400, "invalid_request"},
		{"POST", "/v1/chat/completions", `{"model":"echo-mini"}`, key, 400, "invalid_request"},
		{"POST", "/v1/chat/completions", ask + `,"n":2}`, key, 400, "invalid_request"},
		{"POST", "/v1/chat/completions", ask + `,"max_tokens":0}`, key, 400, "invalid_request"},
		{"POST", "/v1/chat/completions", `{"model":"echo-mini","messages":[{"content":7}]}`, key, 400, "invalid_request"},
		{"POST", "/v1/chat/completions", strings.Replace(ask, "mini", "maxi", 1) + "}", key, 404, "model_not_found"},
		{"POST", "/v1/embeddings", `{"model":"echo-mini"}`, key, 400, "invalid_request"},
		{"POST", "/v1/embeddings", `{"model":"echo-mini","input":["a",""]}`, key, 400, "invalid_request"},
		{"POST", "/v1/embeddings", `{"model":"echo-mini","input":{}}`, key, 400, "invalid_request"},
		{"POST", "/v1/embeddings", `{"model":"echo-mini","input":"a","dimensions":0}`, key, 400, "invalid_request"},
		{"POST", "/v1/embeddings", `{"model":"echo-mini","input":"a","encoding_format":"hex"}`, key, 400, "invalid_request"},
		{"POST", "/v1/embeddings", `{"input":"a"}`, key, 400, "invalid_request"},
		{"POST", "/v1/embeddings", `{"model":"none","input":"a"}`, key, 404, "model_not_found"},
		{"GET", "/v1/embeddings", "", key, 405, "method_not_allowed"},
		{"GET", "/v1/models/none", "", key, 404, "model_not_found"},
		{"GET", "/v1/other", "", key, 404, "not_found"},
		{"GET", "/v1/chat/completions", "", key, 405, "method_not_allowed"},
		{"POST", "/v1/models", "", key, 405, "method_not_allowed"},
	} {
		answer, text := do(t, c.method, url+c.path, c.body, c.header...)
		var body struct {
			Error struct{ Message, Type, Code string }
		}
		if err := json.Unmarshal([]byte(text), &body); err != nil || answer.StatusCode != c.status || body.Error.Code != c.code {
			t.Errorf("%s %s: got %d %s", c.method, c.path, answer.StatusCode, text)
		}
		if body.Error.Message == "" || strings.Contains(text, "sk-up") {
			t.Errorf("%s %s: message %q", c.method, c.path, body.Error.Message)
		}
	}
}

func TestHandler_TakesTheKeyInEitherHeader(t *testing.T) {
	url := serve(t, echo.Options{Key: "sk-up"})
	for _, header := range [][]string{
		{"Authorization", "Bearer sk-up"}, {"Authorization", "bearer sk-up"}, {"X-Api-Key", "sk-up"}, {"X-Api-Key", "sk-up", "Authorization", "Basic x"},
	} {
		for path, body := range map[string]string{"/v1/chat/completions": ask + "}", "/v1/messages": askMessage + "}", "/v1/embeddings": `{"model":"echo-mini","input":"a"}`} {
			if answer, text := do(t, "POST", url+path, body, header...); answer.StatusCode != 200 {
				t.Errorf("%s with %v: got %d %s", path, header, answer.StatusCode, text)
			}
		}
	}
}

func TestModels_AreListedAndShown(t *testing.T) {
	_, list := do(t, "GET", serve(t, echo.Options{})+"/v1/models", "")
	mini := `{"id":"echo-mini","object":"model","created":1764374400,"owned_by":"echo"}`
	if want := `{"object":"list","data":[` + mini + "," + strings.Replace(mini, "mini", "large", 1) + `]}`; list != want {
		t.Errorf("got %s", list)
	}
	_, shown := do(t, "GET", serve(t, echo.Options{Models: []string{"lab/coder:7b"}})+"/v1/models/lab/coder:7b", "")
	if !strings.Contains(shown, `"id":"lab/coder:7b"`) {
		t.Errorf("got %s", shown)
	}
}

func TestTokens_AreWords(t *testing.T) {
	if got := echo.Tokens(" the  quick\nbrown "); got != 3 {
		t.Errorf("got %d", got)
	}
}
