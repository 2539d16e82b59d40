package sdk_test

import (
	"errors"
	"strings"
	"testing"

	anthropicv2 "github.com/anthropics/anthropic-sdk-go/v2"
	optionv2 "github.com/anthropics/anthropic-sdk-go/v2/option"
)

func clientV2(key string) anthropicv2.Client {
	return anthropicv2.NewClient(optionv2.WithBaseURL(relay.url), optionv2.WithAPIKey(key), optionv2.WithMaxRetries(0))
}

func messageV2(model string) anthropicv2.MessageNewParams {
	return anthropicv2.MessageNewParams{
		Model: anthropicv2.Model(model), MaxTokens: 100,
		Messages: []anthropicv2.MessageParam{anthropicv2.NewUserMessage(anthropicv2.NewTextBlock("hello there"))},
	}
}

func TestAnthropicV2_Whole(t *testing.T) {
	client := clientV2(relay.keys["open"])
	answer, err := client.Messages.New(background(t), messageV2("echo-mini"))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Content[0].Text != "hello there" || answer.Usage.OutputTokens != 2 {
		t.Errorf("got %+v", answer)
	}
}

func TestAnthropicV2_Streamed(t *testing.T) {
	client := clientV2(relay.keys["open"])
	stream := client.Messages.NewStreaming(background(t), messageV2("echo-mini"))
	var whole anthropicv2.Message
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

func TestAnthropicV2_ToolsPassThrough(t *testing.T) {
	client := clientV2(relay.keys["open"])
	params := messageV2("echo-mini")
	params.Tools = []anthropicv2.ToolUnionParam{{OfTool: &anthropicv2.ToolParam{
		Name:        "add",
		InputSchema: anthropicv2.ToolInputSchemaParam{Properties: map[string]any{"a": map[string]any{"type": "integer"}}},
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

func TestAnthropicV2_ErrorsAreTyped(t *testing.T) {
	for name, c := range map[string]struct {
		key, model string
		status     int
		text       string
	}{
		"401": {"sk-wr-unknown", "echo-mini", 401, "No valid relay key"},
		"403": {relay.keys["narrow"], "echo-mini", 403, "may not use model"},
		"404": {relay.keys["open"], "echo-mni", 404, "this key may use"},
		"429": {relay.keys["limited-v2"], "echo-mini", 429, "Limit of key limited-v2: 1 of 1 requests in 1d used"},
	} {
		t.Run(name, func(t *testing.T) {
			client := clientV2(c.key)
			if name == "429" {
				if _, err := client.Messages.New(background(t), messageV2(c.model)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := client.Messages.New(background(t), messageV2(c.model))
			var apiError *anthropicv2.Error
			if !errors.As(err, &apiError) || apiError.StatusCode != c.status || !strings.Contains(apiError.Error(), c.text) {
				t.Errorf("got %v", err)
			}
		})
	}
}
