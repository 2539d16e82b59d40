package sdk_test

import (
	"errors"
	"strings"
	"testing"

	anthropicv1 "github.com/anthropics/anthropic-sdk-go"
	optionv1 "github.com/anthropics/anthropic-sdk-go/option"
)

func clientV1(key string) anthropicv1.Client {
	return anthropicv1.NewClient(optionv1.WithBaseURL(relay.url), optionv1.WithAPIKey(key), optionv1.WithMaxRetries(0))
}

func messageV1(model string) anthropicv1.MessageNewParams {
	return anthropicv1.MessageNewParams{
		Model: anthropicv1.Model(model), MaxTokens: 100,
		Messages: []anthropicv1.MessageParam{anthropicv1.NewUserMessage(anthropicv1.NewTextBlock("hello there"))},
	}
}

func TestAnthropicV1_Whole(t *testing.T) {
	client := clientV1(relay.keys["open"])
	answer, err := client.Messages.New(background(t), messageV1("echo-mini"))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Content[0].Text != "hello there" || answer.Usage.OutputTokens != 2 {
		t.Errorf("got %+v", answer)
	}
}

func TestAnthropicV1_Streamed(t *testing.T) {
	client := clientV1(relay.keys["open"])
	stream := client.Messages.NewStreaming(background(t), messageV1("echo-mini"))
	var whole anthropicv1.Message
	for stream.Next() {
		if err := whole.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if whole.Content[0].Text != "hello there" || whole.Usage.OutputTokens != 2 || whole.StopReason != "end_turn" {
		t.Errorf("got %+v", whole)
	}
}

func TestAnthropicV1_ToolsPassThrough(t *testing.T) {
	client := clientV1(relay.keys["open"])
	params := messageV1("echo-mini")
	params.Tools = []anthropicv1.ToolUnionParam{{OfTool: &anthropicv1.ToolParam{
		Name:        "add",
		InputSchema: anthropicv1.ToolInputSchemaParam{Properties: map[string]any{"a": map[string]any{"type": "integer"}}},
	}}}
	answer, err := client.Messages.New(background(t), params)
	if err != nil {
		t.Fatal(err)
	}
	call := answer.Content[0]
	if call.Type != "tool_use" || call.Name != "add" || string(call.Input) != `{"a":17,"b":25}` || answer.StopReason != "tool_use" {
		t.Errorf("got %+v", answer)
	}
}

func TestAnthropicV1_ErrorsAreTyped(t *testing.T) {
	for name, c := range map[string]struct {
		key, model string
		status     int
		text       string
	}{
		"401": {"sk-wr-unknown", "echo-mini", 401, "No valid relay key"},
		"403": {relay.keys["narrow"], "echo-mini", 403, "may not use model"},
		"404": {relay.keys["open"], "echo-mni", 404, "this key may use"},
		"429": {relay.keys["limited-v1"], "echo-mini", 429, "Limit of key limited-v1: 1 of 1 requests in 1d used"},
	} {
		t.Run(name, func(t *testing.T) {
			client := clientV1(c.key)
			if name == "429" {
				if _, err := client.Messages.New(background(t), messageV1(c.model)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := client.Messages.New(background(t), messageV1(c.model))
			var apiError *anthropicv1.Error
			if !errors.As(err, &apiError) || apiError.StatusCode != c.status || !strings.Contains(apiError.Error(), c.text) {
				t.Errorf("got %v", err)
			}
		})
	}
}
