package matrix_test

import (
	"context"
	"errors"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"relay/testdata/e2e/strict"
)

// anthropicMessagesV1 is the generation before, which sends its key and version
// otherwise.
func anthropicMessagesV1() caller {
	c := anthropicMessages()
	c.name, c.begin, c.only = "anthropic-sdk-go-v1", beginMessagesV1, []string{"text", "tools"}
	return c
}

type messagingV1 struct {
	question
	client  anthropic.Client
	params  anthropic.MessageNewParams
	results []anthropic.ContentBlockParamUnion
}

func beginMessagesV1(s setup, q question) conversation {
	client := anthropic.NewClient(option.WithBaseURL(s.url), option.WithAPIKey(s.key), option.WithHTTPClient(s.http), option.WithMaxRetries(0))
	c := &messagingV1{question: q, client: client, params: anthropic.MessageNewParams{Model: s.model, MaxTokens: q.maxTokens()}}
	c.params.Messages = []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(q.prompt))}
	for _, t := range q.offered() {
		schema := anthropic.ToolInputSchemaParam{Properties: t.schema["properties"], Required: t.schema["required"].([]string)}
		c.params.Tools = append(c.params.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{Name: t.name, Description: anthropic.String(t.about), InputSchema: schema}})
	}
	return c
}

func (c *messagingV1) next(ctx context.Context) (answer, error) {
	if c.results != nil {
		c.params.Messages = append(c.params.Messages, anthropic.NewUserMessage(c.results...))
		c.results = nil
	}
	message, pieces, err := c.ask(ctx)
	if err != nil {
		return answer{}, err
	}
	a := answer{pieces: pieces, stop: map[anthropic.StopReason]string{"end_turn": "stop", "tool_use": "calls"}[message.StopReason]}
	for _, block := range message.Content {
		switch block := block.AsAny().(type) {
		case anthropic.TextBlock:
			a.text += block.Text
		case anthropic.ToolUseBlock:
			a.calls = append(a.calls, call{block.ID, block.Name, string(block.Input)})
		}
	}
	usage := message.Usage
	a.tokens = strict.Tokens{Input: usage.InputTokens, CacheRead: usage.CacheReadInputTokens, CacheCreation: usage.CacheCreationInputTokens, Output: usage.OutputTokens}
	c.params.Messages = append(c.params.Messages, message.ToParam())
	return a, nil
}

func (c *messagingV1) ask(ctx context.Context) (*anthropic.Message, int, error) {
	if !c.streamed {
		message, err := c.client.Messages.New(ctx, c.params)
		return message, 0, err
	}
	events := c.client.Messages.NewStreaming(ctx, c.params)
	defer events.Close()
	var whole anthropic.Message
	pieces := 0
	for events.Next() {
		event := events.Current()
		if err := whole.Accumulate(event); err != nil {
			return nil, 0, errors.Join(errors.New("accumulate"), err)
		}
		if event.Type == "content_block_delta" && event.Delta.Type == "text_delta" {
			pieces++
		}
	}
	return &whole, pieces, events.Err()
}

func (c *messagingV1) result(of call, text string) {
	c.results = append(c.results, anthropic.NewToolResultBlock(of.id, text, false))
}

func (c *messagingV1) say(text string) {
	c.results = append(c.results, anthropic.NewTextBlock(text))
}

func (c *messagingV1) move(model string) { c.params.Model = model }
