package matrix_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/ollama/ollama/api"

	"relay/testdata/e2e/strict"
)

// ollamaChat has no place for opaque parts.
func ollamaChat() caller {
	return caller{
		name: "ollama-api", shape: strict.Ollama, begin: beginOllama, filtered: "stop",
		failure: func(err error) failure {
			var e api.StatusError
			if !errors.As(err, &e) {
				return failure{}
			}
			return failure{e.StatusCode, "", "", e.ErrorMessage}
		},
		tells: func(t strict.Tokens) strict.Tokens { return strict.Tokens{Input: t.Prompt(), Output: t.Output} },
	}
}

// keyed adds the key that the client itself cannot be given.
type keyed struct {
	key  string
	next http.RoundTripper
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return k.next.RoundTrip(r)
}

// running is a conversation by Ollama's own chat.
type running struct {
	question
	client  *api.Client
	request api.ChatRequest
}

func beginOllama(s setup, q question) conversation {
	base, err := url.Parse(s.url)
	if err != nil {
		panic(err) // relay has told it
	}
	c := &running{question: q, client: api.NewClient(base, &http.Client{Transport: keyed{s.key, s.http.Transport}})}
	message := api.Message{Role: "user", Content: q.prompt}
	if q.image != nil {
		message.Images = []api.ImageData{q.image}
	}
	c.request = api.ChatRequest{Model: s.model, Stream: &c.streamed, Messages: []api.Message{{Role: "system", Content: "Be kind."}, message}}
	for _, t := range q.offered() {
		c.request.Tools = append(c.request.Tools, ollamaTool(t))
	}
	if q.think {
		c.request.Think = &api.ThinkValue{Value: true}
	}
	if q.schema != nil {
		c.request.Format = json.RawMessage(encoded(q.schema))
	}
	if q.most > 0 {
		c.request.Options = map[string]any{"num_predict": q.most}
	}
	return c
}

func ollamaTool(t tool) api.Tool {
	var parameters api.ToolFunctionParameters
	if err := json.Unmarshal([]byte(encoded(t.schema)), &parameters); err != nil {
		panic(err) // it is a schema
	}
	return api.Tool{Type: "function", Function: api.ToolFunction{Name: t.name, Description: t.about, Parameters: parameters}}
}

func (c *running) next(ctx context.Context) (answer, error) {
	var a answer
	said := api.Message{Role: "assistant"}
	err := c.client.Chat(ctx, &c.request, func(line api.ChatResponse) error {
		said.Content += line.Message.Content
		said.Thinking += line.Message.Thinking
		said.ToolCalls = append(said.ToolCalls, line.Message.ToolCalls...)
		if c.streamed && line.Message.Content != "" {
			a.pieces++
			c.said()
		}
		if line.Done {
			a.stop = line.DoneReason
			a.tokens = strict.Tokens{Input: int64(line.PromptEvalCount), Output: int64(line.EvalCount)}
		}
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	if a.stop == "" {
		return answer{}, errors.New("no line is the last")
	}
	a.text, a.reasoning = said.Content, said.Thinking
	for _, t := range said.ToolCalls {
		a.calls = append(a.calls, call{t.ID, t.Function.Name, encoded(t.Function.Arguments)})
	}
	if len(a.calls) > 0 && a.stop == "stop" {
		a.stop = "calls"
	}
	c.request.Messages = append(c.request.Messages, said)
	return a, nil
}

func (c *running) result(of call, text string) {
	c.request.Messages = append(c.request.Messages, api.Message{Role: "tool", ToolName: of.name, ToolCallID: of.id, Content: text})
}

func (c *running) say(text string) {
	c.request.Messages = append(c.request.Messages, api.Message{Role: "user", Content: text})
}

func (c *running) move(model string) { c.request.Model = model }
