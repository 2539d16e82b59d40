package sdk_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	anthropicv1 "github.com/anthropics/anthropic-sdk-go"
	optionv1 "github.com/anthropics/anthropic-sdk-go/option"

	"relay/testdata/e2e/contract"
)

func clientV1(s contract.Setup) anthropicv1.Client {
	return anthropicv1.NewClient(optionv1.WithBaseURL(s.URL), optionv1.WithAPIKey(s.Key), optionv1.WithHTTPClient(s.HTTP))
}

func TestAnthropicV1_Messages(t *testing.T) {
	contract.Run(t, relay, contract.Client{
		Name: "go-anthropic-v1", Model: "messages-mini", Input: 20, Retries: patient(529),
		Failure: func(err error) (int, string) {
			var e *anthropicv1.Error
			if !errors.As(err, &e) {
				return 0, ""
			}
			return e.StatusCode, e.Error()
		},
		Whole:    func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return sayV1(ctx, s, createV1) },
		Streamed: func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return sayV1(ctx, s, streamV1) },
		Tools: func(ctx context.Context, s contract.Setup, streamed bool) (contract.Called, error) {
			if streamed {
				return toolsV1(ctx, s, streamV1)
			}
			return toolsV1(ctx, s, createV1)
		},
	})
}

// creatingV1 makes a message, and says in how many pieces of text it came.
type creatingV1 func(context.Context, anthropicv1.Client, anthropicv1.MessageNewParams) (*anthropicv1.Message, int, error)

func createV1(ctx context.Context, client anthropicv1.Client, params anthropicv1.MessageNewParams) (*anthropicv1.Message, int, error) {
	message, err := client.Messages.New(ctx, params)
	return message, 0, err
}

func streamV1(ctx context.Context, client anthropicv1.Client, params anthropicv1.MessageNewParams) (*anthropicv1.Message, int, error) {
	events := client.Messages.NewStreaming(ctx, params)
	var whole anthropicv1.Message
	pieces := 0
	for events.Next() {
		event := events.Current()
		if err := whole.Accumulate(event); err != nil {
			return nil, 0, err
		}
		if event.Type == "content_block_delta" {
			pieces++
		}
	}
	return &whole, pieces, events.Err()
}

func paramsV1(s contract.Setup) anthropicv1.MessageNewParams {
	return anthropicv1.MessageNewParams{
		Model: anthropicv1.Model(s.Model), MaxTokens: 100,
		Messages: []anthropicv1.MessageParam{anthropicv1.NewUserMessage(anthropicv1.NewTextBlock(s.Prompt))},
	}
}

func sayV1(ctx context.Context, s contract.Setup, do creatingV1) (contract.Answer, error) {
	message, pieces, err := do(ctx, clientV1(s), paramsV1(s))
	if err != nil {
		return contract.Answer{}, err
	}
	return contract.Answer{Text: message.Content[0].Text, Input: message.Usage.InputTokens, Output: message.Usage.OutputTokens, Pieces: pieces}, nil
}

func toolsV1(ctx context.Context, s contract.Setup, do creatingV1) (contract.Called, error) {
	client, params := clientV1(s), paramsV1(s)
	params.Tools = []anthropicv1.ToolUnionParam{{OfTool: &anthropicv1.ToolParam{Name: "add", InputSchema: anthropicv1.ToolInputSchemaParam{Properties: properties()}}}}
	first, _, err := do(ctx, client, params)
	if err != nil {
		return contract.Called{}, err
	}
	call := first.Content[0].AsToolUse()
	params.Messages = append(params.Messages, first.ToParam(), anthropicv1.NewUserMessage(anthropicv1.NewToolResultBlock(call.ID, "42", false)))
	last, _, err := do(ctx, client, params)
	if err != nil {
		return contract.Called{}, err
	}
	return contract.Called{Name: call.Name, Arguments: string(call.Input), Text: last.Content[0].Text}, nil
}

func TestAnthropicV1_CountsTokensAndListsModelsForNothing(t *testing.T) {
	s := contract.Setup{URL: relay.URL, Key: contract.Key(t, relay, "go-anthropic-v1-free"), Model: "messages-mini", Prompt: contract.Prompt("go-anthropic-v1"), HTTP: http.DefaultClient}
	client := clientV1(s)
	counted, err := client.Messages.CountTokens(contract.Background(t), anthropicv1.MessageCountTokensParams{Model: anthropicv1.Model(s.Model), Messages: paramsV1(s).Messages})
	if err != nil || counted.InputTokens != 30 {
		t.Errorf("tokens: %+v, %v", counted, err)
	}
	models := client.Models.ListAutoPaging(contract.Background(t), anthropicv1.ModelListParams{})
	names := map[string]bool{}
	for models.Next() {
		names[models.Current().ID] = true
	}
	if err := models.Err(); err != nil || !names["messages-mini"] {
		t.Errorf("models: %v, %v", names, err)
	}
}
