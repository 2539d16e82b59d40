package matrix_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"relay/testdata/e2e/strict"
)

// generate is Relay's own shape, over plain HTTP. Every upstream is foreign to it.
func generate() caller {
	return caller{
		name: "generate", begin: beginGenerate, keeps: true, filtered: "filter",
		kinds: kinds{"invalid_request_error", "rate_limit_exceeded", "upstream_error"},
		failure: func(err error) failure {
			var e *refused
			if !errors.As(err, &e) {
				return failure{}
			}
			return failure{e.status, e.Detail.Type, e.Detail.Code, e.Detail.Message}
		},
		tells: func(t strict.Tokens) strict.Tokens { return t },
	}
}

// generation is an answer, and what events say of one.
type generation struct {
	Status       string
	FinishReason string `json:"finish_reason"`
	Output       []item
	Usage        struct {
		Input, Output, Reasoning, Total int64
		CacheRead                       int64 `json:"cache_read"`
		CacheCreation                   int64 `json:"cache_creation"`
	}
}

// item is one of an answer, as it goes back with the next request.
type item map[string]any

// refused is an answer that is none.
type refused struct {
	status int
	Detail struct{ Type, Code, Message, Param string } `json:"error"`
}

func (r *refused) Error() string {
	return fmt.Sprintf("%d %s: %s", r.status, r.Detail.Code, r.Detail.Message)
}

// composing is a conversation by /v1/generate.
type composing struct {
	question
	setup
	body  map[string]any
	input []any
}

func beginGenerate(s setup, q question) conversation {
	c := &composing{question: q, setup: s, body: map[string]any{"model": s.model, "instructions": "Be kind.", "stream": q.streamed}}
	parts := []any{map[string]any{"type": "text", "text": q.prompt}}
	if q.image != nil {
		parts = append(parts, map[string]any{"type": "image", "data": base64.StdEncoding.EncodeToString(q.image), "media_type": "image/png"})
	}
	c.input = []any{map[string]any{"type": "message", "role": "user", "content": parts}}
	if tools := q.offered(); tools != nil {
		var definitions []any
		for _, t := range tools {
			definitions = append(definitions, map[string]any{"name": t.name, "description": t.about, "parameters": t.schema})
		}
		offered := map[string]any{"definitions": definitions}
		if q.named != "" {
			offered["choice"] = map[string]any{"name": q.named}
		}
		c.body["tools"] = offered
	}
	if q.think {
		c.body["reasoning"] = map[string]any{"effort": "low", "summary": "auto"}
	}
	if q.schema != nil {
		c.body["output"] = map[string]any{"format": map[string]any{"type": "json_schema", "name": "animal", "schema": q.schema, "strict": true}}
	}
	if q.most > 0 {
		c.body["sampling"] = map[string]any{"max_tokens": q.most}
	}
	return c
}

func (c *composing) next(ctx context.Context) (answer, error) {
	c.body["input"] = c.input
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/v1/generate", strings.NewReader(encoded(c.body)))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		raw, err := io.ReadAll(resp.Body)
		refusal := &refused{status: resp.StatusCode}
		return answer{}, errors.Join(err, json.Unmarshal(raw, refusal), refusal)
	}
	var a answer
	var g generation
	if c.streamed {
		g, err = c.events(resp.Body, &a)
	} else {
		err = json.NewDecoder(resp.Body).Decode(&g)
	}
	if err != nil {
		return answer{}, err
	}
	return a, c.read(g, &a)
}

// read makes an answer of a generation, and the input of the next request.
func (c *composing) read(g generation, a *answer) error {
	stops := map[string]string{"stop": "stop", "length": "length", "tool_calls": "calls", "content_filter": "filter", "refusal": "filter"}
	if a.stop = stops[g.FinishReason]; g.Status != "completed" && g.Status != "incomplete" {
		return errors.New("the status is " + g.Status)
	}
	for _, i := range g.Output {
		switch i["type"] {
		case "message":
			a.text += texts(i["content"])
		case "reasoning":
			a.reasoning += texts(i["summary"]) + texts(i["content"])
		case "function_call":
			a.calls = append(a.calls, call{i["call_id"].(string), i["name"].(string), i["arguments"].(string)})
		}
		if c.forgetful {
			delete(i, "opaque")
		}
		c.input = append(c.input, i)
	}
	u := g.Usage
	a.tokens = strict.Tokens{Input: u.Input, CacheRead: u.CacheRead, CacheCreation: u.CacheCreation, Output: u.Output, Reasoning: u.Reasoning}
	if want := u.Input + u.CacheRead + u.CacheCreation + u.Output; u.Total != want {
		return fmt.Errorf("the total is %d, not %d", u.Total, want)
	}
	return nil
}

// texts joins the texts of parts, or is the text itself.
func texts(content any) string {
	said, _ := content.(string)
	parts, _ := content.([]any)
	for _, p := range parts {
		part, _ := p.(map[string]any)
		text, _ := part["text"].(string)
		said += text
	}
	return said
}

func (c *composing) result(of call, text string) {
	content := []any{map[string]any{"type": "text", "text": text}}
	c.input = append(c.input, map[string]any{"type": "function_call_output", "call_id": of.id, "content": content})
}

func (c *composing) say(text string) {
	c.input = append(c.input, map[string]any{"type": "message", "role": "user", "content": text})
}

func (c *composing) move(model string) { c.body["model"] = model }
