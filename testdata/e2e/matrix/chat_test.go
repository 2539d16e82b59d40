package matrix_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/shared"

	"relay/testdata/e2e/strict"
)

func openAIChat() caller {
	return caller{
		name: "openai-go-chat", shape: strict.Chat, begin: beginChat, failure: openAIFailure, keeps: true, filtered: "filter",
		kinds: kinds{"invalid_request_error", "rate_limit_exceeded", "upstream_error"},
		tells: func(t strict.Tokens) strict.Tokens {
			return strict.Tokens{Input: t.Input + t.CacheCreation, CacheRead: t.CacheRead, Output: t.Output, Reasoning: t.Reasoning}
		},
	}
}

func openAI(s setup) openai.Client {
	return openai.NewClient(option.WithBaseURL(s.url+"/v1"), option.WithAPIKey(s.key), option.WithHTTPClient(s.http), option.WithMaxRetries(0))
}

func openAIFailure(err error) failure {
	var e *openai.Error
	if !errors.As(err, &e) {
		return failure{}
	}
	return failure{e.StatusCode, e.Type, e.Code, e.Message}
}

// chatting is a conversation by chat completions.
type chatting struct {
	question
	client openai.Client
	params openai.ChatCompletionNewParams
}

func beginChat(s setup, q question) conversation {
	c := &chatting{q, openAI(s), openai.ChatCompletionNewParams{Model: s.model}}
	content := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart(q.prompt)}
	if q.image != nil {
		url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(q.image)
		content = append(content, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: url}))
	}
	c.params.Messages = []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be kind."), openai.UserMessage(content)}
	for _, t := range q.offered() {
		c.params.Tools = append(c.params.Tools, openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: t.name, Description: openai.String(t.about), Parameters: t.schema}))
	}
	if q.named != "" {
		c.params.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: q.named})
	}
	if q.think {
		c.params.ReasoningEffort = shared.ReasoningEffortLow
	}
	if q.schema != nil {
		schema := shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "animal", Schema: q.schema, Strict: openai.Bool(true)}
		c.params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: schema}
	}
	if q.most > 0 {
		c.params.MaxCompletionTokens = openai.Int(q.most)
	}
	return c
}

func (c *chatting) next(ctx context.Context) (answer, error) {
	whole, extra, pieces, err := c.ask(ctx)
	if err != nil {
		return answer{}, err
	}
	if len(whole.Choices) != 1 {
		return answer{}, errors.New("no choice in " + whole.RawJSON())
	}
	message := whole.Choices[0].Message
	a := answer{text: message.Content, reasoning: extra.reasoning, pieces: pieces, stop: chatStop(whole.Choices[0].FinishReason)}
	for _, t := range message.ToolCalls {
		a.calls = append(a.calls, call{t.ID, t.Function.Name, t.Function.Arguments})
	}
	usage := whole.Usage
	a.tokens = strict.Tokens{
		Input: usage.PromptTokens - usage.PromptTokensDetails.CachedTokens, CacheRead: usage.PromptTokensDetails.CachedTokens,
		Output: usage.CompletionTokens, Reasoning: usage.CompletionTokensDetails.ReasoningTokens,
	}
	said := message.ToParam()
	if len(extra.details) > 0 && !c.forgetful {
		said.OfAssistant.SetExtraFields(map[string]any{"reasoning_details": extra.details})
	}
	c.params.Messages = append(c.params.Messages, said)
	return a, nil
}

func chatStop(reason string) string {
	switch reason {
	case "tool_calls":
		return "calls"
	case "content_filter":
		return "filter"
	}
	return reason
}

// unnamed is what the SDK has no names for.
type unnamed struct {
	reasoning string
	details   []json.RawMessage
}

func (u *unnamed) add(fields map[string]respjson.Field) {
	var text string
	if json.Unmarshal([]byte(fields["reasoning_content"].Raw()), &text) == nil {
		u.reasoning += text
	}
	var details []json.RawMessage
	if json.Unmarshal([]byte(fields["reasoning_details"].Raw()), &details) == nil {
		u.details = append(u.details, details...)
	}
}

func (c *chatting) ask(ctx context.Context) (whole *openai.ChatCompletion, extra unnamed, pieces int, err error) {
	if !c.streamed {
		whole, err = c.client.Chat.Completions.New(ctx, c.params)
		if err == nil && len(whole.Choices) > 0 {
			extra.add(whole.Choices[0].Message.JSON.ExtraFields)
		}
		return whole, extra, 0, err
	}
	c.params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	events := c.client.Chat.Completions.NewStreaming(ctx, c.params)
	defer events.Close()
	var all openai.ChatCompletionAccumulator
	for events.Next() {
		chunk := events.Current()
		if !all.AddChunk(chunk) {
			return nil, extra, 0, errors.New("the SDK cannot add the chunk " + chunk.RawJSON())
		}
		if len(chunk.Choices) == 0 {
			continue
		}
		extra.add(chunk.Choices[0].Delta.JSON.ExtraFields)
		if chunk.Choices[0].Delta.Content != "" {
			pieces++
			c.said()
		}
	}
	return &all.ChatCompletion, extra, pieces, events.Err()
}

func (c *chatting) result(of call, text string) {
	c.params.Messages = append(c.params.Messages, openai.ToolMessage(text, of.id))
}

func (c *chatting) say(text string) {
	c.params.Messages = append(c.params.Messages, openai.UserMessage(text))
}

func (c *chatting) move(model string) { c.params.Model = model }
