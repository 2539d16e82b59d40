package native_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/ollama/ollama/api"

	"relay/testdata/e2e/contract"
	"relay/testdata/e2e/upstream"
)

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

func ollama(s contract.Setup) *api.Client {
	base, err := url.Parse(s.URL)
	if err != nil {
		panic(err) // relay has told it
	}
	if s.Key == "" {
		return api.NewClient(base, s.HTTP)
	}
	return api.NewClient(base, &http.Client{Transport: keyed{s.Key, s.HTTP.Transport}})
}

func TestOllama_Chat(t *testing.T) {
	contract.Run(t, relay, contract.Client{
		Name: "go-ollama", Model: "ollama-mini", Retries: contract.Single(),
		Failure: func(err error) (int, string) {
			var status api.StatusError
			var unauthorized api.AuthorizationError
			if errors.As(err, &unauthorized) {
				return unauthorized.StatusCode, "" // all it keeps
			}
			errors.As(err, &status)
			return status.StatusCode, status.ErrorMessage
		},
		Whole:    func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return said(ctx, s, false) },
		Streamed: func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return said(ctx, s, true) },
		Tools:    tools,
	})
}

func ask(s contract.Setup, streamed bool) *api.ChatRequest {
	return &api.ChatRequest{Model: s.Model, Stream: &streamed, Messages: []api.Message{{Role: "user", Content: s.Prompt}}}
}

// chat makes a call and joins its lines: the message, and the last one with how
// many there were.
func chat(ctx context.Context, s contract.Setup, request *api.ChatRequest) (message api.Message, last api.ChatResponse, lines int, err error) {
	err = ollama(s).Chat(ctx, request, func(line api.ChatResponse) error {
		message.Role = line.Message.Role
		message.Content += line.Message.Content
		message.ToolCalls = append(message.ToolCalls, line.Message.ToolCalls...)
		last = line
		lines++
		return nil
	})
	return message, last, lines, err
}

func said(ctx context.Context, s contract.Setup, streamed bool) (contract.Answer, error) {
	message, last, lines, err := chat(ctx, s, ask(s, streamed))
	if !streamed {
		lines--
	}
	return contract.Answer{Text: message.Content, Input: int64(last.PromptEvalCount), Output: int64(last.EvalCount), Pieces: lines}, err
}

func tools(ctx context.Context, s contract.Setup, streamed bool) (contract.Called, error) {
	request := ask(s, streamed)
	integer := api.ToolProperty{Type: api.PropertyType{"integer"}}
	properties := api.NewToolPropertiesMap()
	properties.Set("a", integer)
	properties.Set("b", integer)
	request.Tools = api.Tools{{Type: "function", Function: api.ToolFunction{Name: "add", Parameters: api.ToolFunctionParameters{Type: "object", Properties: properties}}}}
	first, _, _, err := chat(ctx, s, request)
	if err != nil {
		return contract.Called{}, err
	}
	call := first.ToolCalls[0].Function
	request.Messages = append(request.Messages, first, api.Message{Role: "tool", ToolName: call.Name, Content: "42"})
	last, _, _, err := chat(ctx, s, request)
	return contract.Called{Name: call.Name, Arguments: call.Arguments.String(), Text: last.Content}, err
}

// TestOllama_WithoutAKey is what Ollama's command does: it has no key to send.
func TestOllama_WithoutAKey(t *testing.T) {
	ctx := contract.Background(t)
	s := contract.Setup{URL: relay.URL, Model: "ollama-mini", Prompt: contract.Prompt("go-ollama-local"), HTTP: http.DefaultClient}
	client := ollama(s)
	if err := client.Heartbeat(ctx); err != nil {
		t.Error(err)
	}
	if _, err := client.Version(ctx); err != nil {
		t.Error(err)
	}
	text := ""
	err := client.Generate(ctx, &api.GenerateRequest{Model: s.Model, Prompt: s.Prompt}, func(line api.GenerateResponse) error {
		text += line.Response
		return nil
	})
	if err != nil || text != upstream.Text {
		t.Errorf("generate: %q, %v", text, err)
	}
	vectors, err := client.Embed(ctx, &api.EmbedRequest{Model: s.Model, Input: s.Prompt})
	if err != nil || len(vectors.Embeddings) != 1 {
		t.Errorf("embed: %+v, %v", vectors, err)
	}
	rows, err := relay.Usage("principal")
	if err != nil || rows["local"].Spent() != relay.Upstream.Spent("go-ollama-local") {
		t.Errorf("usage of local: %+v, %v", rows["local"], err)
	}
}

func TestOllama_ModelsAreListedAndShown(t *testing.T) {
	ctx := contract.Background(t)
	client := ollama(contract.Setup{URL: relay.URL, HTTP: http.DefaultClient})
	list, err := client.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(list.Models, func(m api.ListModelResponse) bool { return m.Name == "ollama-mini:latest" }) {
		t.Errorf("models: %+v", list.Models)
	}
	for _, request := range []*api.ShowRequest{{Model: "ollama-mini"}, {Name: "ollama-mini:latest"}} {
		shown, err := client.Show(ctx, request)
		if err != nil || !slices.Contains(shown.Capabilities, "tools") {
			t.Errorf("%+v: %+v, %v", request, shown, err)
		}
	}
	if _, err := client.ListRunning(ctx); err != nil {
		t.Error(err)
	}
	var refused api.StatusError
	err = client.Pull(ctx, &api.PullRequest{Model: "ollama-mini"}, func(api.ProgressResponse) error { return nil })
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusForbidden {
		t.Errorf("pull: %v", err)
	}
}
