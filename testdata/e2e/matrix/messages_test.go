package matrix_test

import (
	"context"
	"encoding/base64"
	"errors"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"relay/testdata/e2e/strict"
)

func anthropicMessages() caller {
	return caller{
		name: "anthropic-sdk-go-v2", shape: strict.Messages, begin: beginMessages, keeps: true, filtered: "filter",
		kinds: kinds{"invalid_request_error", "rate_limit_error", "api_error"},
		failure: func(err error) failure {
			var e *anthropic.Error
			if !errors.As(err, &e) {
				return failure{}
			}
			return failure{e.StatusCode, string(e.Type()), "", e.Message}
		},
		tells: func(t strict.Tokens) strict.Tokens { t.Reasoning = 0; return t },
	}
}

// messaging is a conversation by Anthropic's messages.
type messaging struct {
	question
	client  anthropic.Client
	params  anthropic.MessageNewParams
	results []anthropic.ContentBlockParamUnion // that the next turn begins with
}

func beginMessages(s setup, q question) conversation {
	client := anthropic.NewClient(option.WithBaseURL(s.url), option.WithAPIKey(s.key), option.WithHTTPClient(s.http), option.WithMaxRetries(0))
	params := anthropic.MessageNewParams{Model: s.model, MaxTokens: q.maxTokens(), System: []anthropic.TextBlockParam{{Text: "Be kind."}}}
	c := &messaging{question: q, client: client, params: params}
	content := []anthropic.ContentBlockParamUnion{anthropic.NewTextBlock(q.prompt)}
	if q.image != nil {
		content = append(content, anthropic.NewImageBlockBase64("image/png", base64.StdEncoding.EncodeToString(q.image)))
	}
	c.params.Messages = []anthropic.MessageParam{anthropic.NewUserMessage(content...)}
	for _, t := range q.offered() {
		schema := anthropic.ToolInputSchemaParam{Properties: t.schema["properties"], Required: t.schema["required"].([]string)}
		c.params.Tools = append(c.params.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{Name: t.name, Description: anthropic.String(t.about), InputSchema: schema}})
	}
	if q.named != "" {
		c.params.ToolChoice = anthropic.ToolChoiceParamOfTool(q.named)
	}
	if q.think {
		c.params.Thinking = anthropic.ThinkingConfigParamOfEnabled(2000)
	}
	if q.schema != nil {
		c.params.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: q.schema}
	}
	return c
}

func (c *messaging) next(ctx context.Context) (answer, error) {
	if c.results != nil {
		c.params.Messages = append(c.params.Messages, anthropic.NewUserMessage(c.results...))
		c.results = nil
	}
	message, pieces, err := c.ask(ctx)
	if err != nil {
		return answer{}, err
	}
	a := answer{pieces: pieces, stop: messagesStop(message.StopReason)}
	for _, block := range message.Content {
		switch block := block.AsAny().(type) {
		case anthropic.TextBlock:
			a.text += block.Text
		case anthropic.ThinkingBlock:
			a.reasoning += block.Thinking
		case anthropic.ToolUseBlock:
			a.calls = append(a.calls, call{block.ID, block.Name, string(block.Input)})
		}
	}
	usage := message.Usage
	a.tokens = strict.Tokens{Input: usage.InputTokens, CacheRead: usage.CacheReadInputTokens, CacheCreation: usage.CacheCreationInputTokens, Output: usage.OutputTokens}
	c.params.Messages = append(c.params.Messages, message.ToParam())
	return a, nil
}

func messagesStop(reason anthropic.StopReason) string {
	switch reason {
	case anthropic.StopReasonEndTurn:
		return "stop"
	case anthropic.StopReasonMaxTokens:
		return "length"
	case anthropic.StopReasonToolUse:
		return "calls"
	case anthropic.StopReasonRefusal:
		return "filter"
	}
	return string(reason)
}

func (c *messaging) ask(ctx context.Context) (*anthropic.Message, int, error) {
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
			return nil, 0, err
		}
		if event.Type == "content_block_delta" && event.Delta.Type == "text_delta" {
			pieces++
			c.said()
		}
	}
	return &whole, pieces, events.Err()
}

func (c *messaging) result(of call, text string) {
	c.results = append(c.results, anthropic.NewToolResultBlock(of.id, text, false))
}

func (c *messaging) say(text string) {
	c.results = append(c.results, anthropic.NewTextBlock(text))
}

func (c *messaging) move(model string) { c.params.Model = model }
