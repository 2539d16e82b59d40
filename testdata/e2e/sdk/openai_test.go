package sdk_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"relay/testdata/e2e/contract"
)

func openAI(s contract.Setup) openai.Client {
	return openai.NewClient(option.WithBaseURL(s.URL+"/v1"), option.WithAPIKey(s.Key), option.WithHTTPClient(s.HTTP))
}

func openAIFailure(err error) (int, string) {
	var e *openai.Error
	if !errors.As(err, &e) {
		return 0, ""
	}
	return e.StatusCode, e.Message
}

func TestOpenAI_ChatCompletions(t *testing.T) {
	contract.Run(t, relay, contract.Client{
		Name: "go-openai", Model: "chat-mini", Retries: contract.Patient(), Failure: openAIFailure,
		Whole:    func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return chat(ctx, s, complete) },
		Streamed: func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return chat(ctx, s, stream) },
		Tools: func(ctx context.Context, s contract.Setup, streamed bool) (contract.Called, error) {
			if streamed {
				return chatTools(ctx, s, stream)
			}
			return chatTools(ctx, s, complete)
		},
	})
}

// completing makes a completion, and says in how many pieces of text it came.
type completing func(context.Context, openai.Client, openai.ChatCompletionNewParams) (*openai.ChatCompletion, int, error)

func complete(ctx context.Context, client openai.Client, params openai.ChatCompletionNewParams) (*openai.ChatCompletion, int, error) {
	answer, err := client.Chat.Completions.New(ctx, params)
	return answer, 0, err
}

func stream(ctx context.Context, client openai.Client, params openai.ChatCompletionNewParams) (*openai.ChatCompletion, int, error) {
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	events := client.Chat.Completions.NewStreaming(ctx, params)
	var whole openai.ChatCompletionAccumulator
	pieces := 0
	for events.Next() {
		chunk := events.Current()
		whole.AddChunk(chunk)
		if len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
			pieces++
		}
	}
	return &whole.ChatCompletion, pieces, events.Err()
}

func chatParams(s contract.Setup) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: s.Model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(s.Prompt)}}
}

func chat(ctx context.Context, s contract.Setup, do completing) (contract.Answer, error) {
	answer, pieces, err := do(ctx, openAI(s), chatParams(s))
	if err != nil {
		return contract.Answer{}, err
	}
	return contract.Answer{Text: answer.Choices[0].Message.Content, Input: answer.Usage.PromptTokens, Output: answer.Usage.CompletionTokens, Pieces: pieces}, nil
}

func chatTools(ctx context.Context, s contract.Setup, do completing) (contract.Called, error) {
	client, params := openAI(s), chatParams(s)
	params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "add", Parameters: schema()})}
	first, _, err := do(ctx, client, params)
	if err != nil {
		return contract.Called{}, err
	}
	message := first.Choices[0].Message
	call := message.ToolCalls[0]
	params.Messages = append(params.Messages, message.ToParam(), openai.ToolMessage("42", call.ID))
	last, _, err := do(ctx, client, params)
	if err != nil {
		return contract.Called{}, err
	}
	return contract.Called{Name: call.Function.Name, Arguments: call.Function.Arguments, Text: last.Choices[0].Message.Content}, nil
}

func TestOpenAI_StreamsHaveNoUsageUnasked(t *testing.T) {
	s := contract.Setup{URL: relay.URL, Key: contract.Key(t, relay, "go-openai-plain"), Model: "chat-mini", Prompt: contract.Prompt("go-openai-plain"), HTTP: http.DefaultClient}
	client := openAI(s)
	events := client.Chat.Completions.NewStreaming(contract.Background(t), chatParams(s))
	chunks := 0
	for ; events.Next(); chunks++ {
		if chunk := events.Current(); len(chunk.Choices) == 0 || chunk.Usage.TotalTokens > 0 {
			t.Errorf("got %s", chunk.RawJSON())
		}
	}
	if err := events.Err(); err != nil || chunks == 0 {
		t.Errorf("%d chunks, %v", chunks, err)
	}
}

func TestOpenAI_EmbeddingsAndModels(t *testing.T) {
	client := openAI(contract.Setup{URL: relay.URL, Key: contract.Key(t, relay, "go-openai-others"), HTTP: http.DefaultClient})
	input := openai.EmbeddingNewParamsInputUnion{OfString: openai.String(contract.Prompt("go-openai-others"))}
	vectors, err := client.Embeddings.New(contract.Background(t), openai.EmbeddingNewParams{Model: "chat-embed", Input: input})
	if err != nil || len(vectors.Data) != 1 || len(vectors.Data[0].Embedding) != 3 {
		t.Errorf("embeddings: %+v, %v", vectors, err)
	}
	models := client.Models.ListAutoPaging(contract.Background(t))
	names := map[string]bool{}
	for models.Next() {
		names[models.Current().ID] = true
	}
	if err := models.Err(); err != nil || !names["chat-mini"] {
		t.Errorf("models: %v, %v", names, err)
	}
}
