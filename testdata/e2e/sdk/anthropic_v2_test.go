package sdk_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	anthropicv2 "github.com/anthropics/anthropic-sdk-go/v2"
	optionv2 "github.com/anthropics/anthropic-sdk-go/v2/option"

	"relay/testdata/e2e/contract"
)

func clientV2(s contract.Setup) anthropicv2.Client {
	return anthropicv2.NewClient(optionv2.WithBaseURL(s.URL), optionv2.WithAPIKey(s.Key), optionv2.WithHTTPClient(s.HTTP))
}

func TestAnthropicV2_Messages(t *testing.T) {
	contract.Run(t, relay, contract.Client{
		Name: "go-anthropic-v2", Model: "messages-mini", Input: 20, Retries: patient(529),
		Failure: func(err error) (int, string) {
			var e *anthropicv2.Error
			if !errors.As(err, &e) {
				return 0, ""
			}
			return e.StatusCode, e.Error()
		},
		Whole:    func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return sayV2(ctx, s, createV2) },
		Streamed: func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return sayV2(ctx, s, streamV2) },
		Tools: func(ctx context.Context, s contract.Setup, streamed bool) (contract.Called, error) {
			if streamed {
				return toolsV2(ctx, s, streamV2)
			}
			return toolsV2(ctx, s, createV2)
		},
	})
}

// creatingV2 makes a message, and says in how many pieces of text it came.
type creatingV2 func(context.Context, anthropicv2.Client, anthropicv2.MessageNewParams) (*anthropicv2.Message, int, error)

func createV2(ctx context.Context, client anthropicv2.Client, params anthropicv2.MessageNewParams) (*anthropicv2.Message, int, error) {
	message, err := client.Messages.New(ctx, params)
	return message, 0, err
}

func streamV2(ctx context.Context, client anthropicv2.Client, params anthropicv2.MessageNewParams) (*anthropicv2.Message, int, error) {
	events := client.Messages.NewStreaming(ctx, params)
	var whole anthropicv2.Message
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

func paramsV2(s contract.Setup) anthropicv2.MessageNewParams {
	return anthropicv2.MessageNewParams{
		Model: anthropicv2.Model(s.Model), MaxTokens: 100,
		Messages: []anthropicv2.MessageParam{anthropicv2.NewUserMessage(anthropicv2.NewTextBlock(s.Prompt))},
	}
}

func sayV2(ctx context.Context, s contract.Setup, do creatingV2) (contract.Answer, error) {
	message, pieces, err := do(ctx, clientV2(s), paramsV2(s))
	if err != nil {
		return contract.Answer{}, err
	}
	return contract.Answer{Text: message.Content[0].Text, Input: message.Usage.InputTokens, Output: message.Usage.OutputTokens, Pieces: pieces}, nil
}

func toolsV2(ctx context.Context, s contract.Setup, do creatingV2) (contract.Called, error) {
	client, params := clientV2(s), paramsV2(s)
	params.Tools = []anthropicv2.ToolUnionParam{{OfTool: &anthropicv2.ToolParam{Name: "add", InputSchema: anthropicv2.ToolInputSchemaParam{Properties: properties()}}}}
	first, _, err := do(ctx, client, params)
	if err != nil {
		return contract.Called{}, err
	}
	call := first.Content[0].AsToolUse()
	params.Messages = append(params.Messages, first.ToParam(), anthropicv2.NewUserMessage(anthropicv2.NewToolResultBlock(call.ID, "42", false)))
	last, _, err := do(ctx, client, params)
	if err != nil {
		return contract.Called{}, err
	}
	return contract.Called{Name: call.Name, Arguments: string(call.Input), Text: last.Content[0].Text}, nil
}

func TestAnthropicV2_CountsTokensAndListsModelsForNothing(t *testing.T) {
	s := contract.Setup{URL: relay.URL, Key: contract.Key(t, relay, "go-anthropic-v2-free"), Model: "messages-mini", Prompt: contract.Prompt("go-anthropic-v2"), HTTP: http.DefaultClient}
	client := clientV2(s)
	counted, err := client.Messages.CountTokens(contract.Background(t), anthropicv2.MessageCountTokensParams{Model: anthropicv2.Model(s.Model), Messages: paramsV2(s).Messages})
	if err != nil || counted.InputTokens != 30 {
		t.Errorf("tokens: %+v, %v", counted, err)
	}
	models := client.Models.ListAutoPaging(contract.Background(t), anthropicv2.ModelListParams{})
	names := map[string]bool{}
	for models.Next() {
		names[models.Current().ID] = true
	}
	if err := models.Err(); err != nil || !names["messages-mini"] {
		t.Errorf("models: %v, %v", names, err)
	}
}
