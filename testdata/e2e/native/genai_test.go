package native_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"google.golang.org/genai"

	"relay/testdata/e2e/contract"
)

func gemini(ctx context.Context, s contract.Setup) (*genai.Models, error) {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: s.Key, Backend: genai.BackendGeminiAPI, HTTPClient: s.HTTP, HTTPOptions: genai.HTTPOptions{BaseURL: s.URL},
	})
	if err != nil {
		return nil, err
	}
	return client.Models, nil
}

func TestGenAI_GenerateContent(t *testing.T) {
	contract.Run(t, relay, contract.Client{
		Name: "go-genai", Model: "gemini-mini", Retries: contract.Single(),
		Failure: func(err error) (int, string) {
			var e genai.APIError
			if !errors.As(err, &e) {
				return 0, ""
			}
			return e.Code, e.Message
		},
		Whole: func(ctx context.Context, s contract.Setup) (contract.Answer, error) {
			return generated(ctx, s, generate)
		},
		Streamed: func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return generated(ctx, s, stream) },
		Tools: func(ctx context.Context, s contract.Setup, streamed bool) (contract.Called, error) {
			if streamed {
				return called(ctx, s, stream)
			}
			return called(ctx, s, generate)
		},
	})
}

// content is what an answer, or the chunks of one, hold.
type content struct {
	text   string
	pieces int
	calls  []*genai.FunctionCall
	usage  *genai.GenerateContentResponseUsageMetadata
}

func (c *content) add(response *genai.GenerateContentResponse) {
	if text := response.Text(); text != "" {
		c.text += text
		c.pieces++
	}
	c.calls = append(c.calls, response.FunctionCalls()...)
	c.usage = response.UsageMetadata
}

type generating func(context.Context, *genai.Models, string, []*genai.Content, *genai.GenerateContentConfig) (content, error)

func generate(ctx context.Context, models *genai.Models, model string, contents []*genai.Content, config *genai.GenerateContentConfig) (content, error) {
	response, err := models.GenerateContent(ctx, model, contents, config)
	if err != nil {
		return content{}, err
	}
	var c content
	c.add(response)
	c.pieces = 0 // of no stream
	return c, nil
}

func stream(ctx context.Context, models *genai.Models, model string, contents []*genai.Content, config *genai.GenerateContentConfig) (content, error) {
	var c content
	for response, err := range models.GenerateContentStream(ctx, model, contents, config) {
		if err != nil {
			return c, err
		}
		c.add(response)
	}
	return c, nil
}

func generated(ctx context.Context, s contract.Setup, do generating) (contract.Answer, error) {
	models, err := gemini(ctx, s)
	if err != nil {
		return contract.Answer{}, err
	}
	c, err := do(ctx, models, s.Model, genai.Text(s.Prompt), nil)
	if err != nil {
		return contract.Answer{}, err
	}
	output := c.usage.CandidatesTokenCount + c.usage.ThoughtsTokenCount
	return contract.Answer{Text: c.text, Input: int64(c.usage.PromptTokenCount), Output: int64(output), Pieces: c.pieces}, nil
}

func called(ctx context.Context, s contract.Setup, do generating) (contract.Called, error) {
	models, err := gemini(ctx, s)
	if err != nil {
		return contract.Called{}, err
	}
	integer := &genai.Schema{Type: genai.TypeInteger}
	parameters := &genai.Schema{Type: genai.TypeObject, Properties: map[string]*genai.Schema{"a": integer, "b": integer}}
	config := &genai.GenerateContentConfig{Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "add", Parameters: parameters}}}}}
	contents := genai.Text(s.Prompt)
	first, err := do(ctx, models, s.Model, contents, config)
	if err != nil {
		return contract.Called{}, err
	}
	call := first.calls[0]
	arguments, err := json.Marshal(call.Args)
	if err != nil {
		return contract.Called{}, err
	}
	result := &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: call.ID, Name: call.Name, Response: map[string]any{"output": 42}}}
	contents = append(contents,
		genai.NewContentFromParts([]*genai.Part{{FunctionCall: call}}, genai.RoleModel),
		genai.NewContentFromParts([]*genai.Part{result}, genai.RoleUser))
	last, err := do(ctx, models, s.Model, contents, config)
	return contract.Called{Name: call.Name, Arguments: string(arguments), Text: last.text}, err
}

func TestGenAI_EmbeddingsTokensAndModels(t *testing.T) {
	ctx := contract.Background(t)
	s := contract.Setup{URL: relay.URL, Key: contract.Key(t, relay, "go-genai-others"), HTTP: http.DefaultClient}
	models, err := gemini(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	contents := genai.Text(contract.Prompt("go-genai-others"))
	vectors, err := models.EmbedContent(ctx, "gemini-embed", contents, nil)
	if err != nil || len(vectors.Embeddings) != 1 || len(vectors.Embeddings[0].Values) != 3 {
		t.Errorf("embeddings: %+v, %v", vectors, err)
	}
	counted, err := models.CountTokens(ctx, "gemini-mini", contents, nil)
	if err != nil || counted.TotalTokens != 30 {
		t.Errorf("tokens: %+v, %v", counted, err)
	}
	names := map[string]bool{}
	for model, err := range models.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		names[model.Name] = true
	}
	if !names["models/gemini-mini"] {
		t.Errorf("models: %v", names)
	}
}
