package matrix_test

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"relay/testdata/e2e/strict"
)

func openAIResponses() caller {
	c := openAIChat()
	c.name, c.shape, c.begin = "openai-go-responses", strict.Responses, beginResponses
	return c
}

// responding is a conversation by Responses, of which the provider keeps nothing.
type responding struct {
	question
	client openai.Client
	params responses.ResponseNewParams
}

func beginResponses(s setup, q question) conversation {
	c := &responding{q, openAI(s), responses.ResponseNewParams{Model: s.model, Instructions: openai.String("Be kind."), Store: openai.Bool(false)}}
	c.params.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	content := responses.ResponseInputMessageContentListParam{responses.ResponseInputContentParamOfInputText(q.prompt)}
	if q.image != nil {
		url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(q.image)
		content = append(content, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{ImageURL: openai.String(url), Detail: "auto"}})
	}
	c.add(responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser))
	for _, t := range q.offered() {
		function := responses.FunctionToolParam{Name: t.name, Description: openai.String(t.about), Parameters: t.schema, Strict: openai.Bool(false)}
		c.params.Tools = append(c.params.Tools, responses.ToolUnionParam{OfFunction: &function})
	}
	if q.named != "" {
		c.params.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: q.named}
	}
	if q.think {
		c.params.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffortLow, Summary: "auto"}
	}
	if q.schema != nil {
		schema := responses.ResponseFormatTextJSONSchemaConfigParam{Name: "animal", Schema: q.schema, Strict: openai.Bool(true)}
		c.params.Text.Format.OfJSONSchema = &schema
	}
	if q.most > 0 {
		c.params.MaxOutputTokens = openai.Int(q.most)
	}
	return c
}

func (c *responding) add(items ...responses.ResponseInputItemUnionParam) {
	c.params.Input.OfInputItemList = append(c.params.Input.OfInputItemList, items...)
}

func (c *responding) next(ctx context.Context) (answer, error) {
	r, pieces, err := c.ask(ctx)
	if err != nil {
		return answer{}, err
	}
	a := answer{text: r.OutputText(), pieces: pieces, stop: responseStop(r)}
	for _, item := range r.Output {
		switch item := item.AsAny().(type) {
		case responses.ResponseReasoningItem:
			said := responses.ResponseReasoningItemParam{ID: item.ID, Summary: []responses.ResponseReasoningItemSummaryParam{}}
			if item.EncryptedContent != "" && !c.forgetful {
				said.EncryptedContent = openai.String(item.EncryptedContent)
			}
			for _, part := range item.Summary {
				a.reasoning += part.Text
				said.Summary = append(said.Summary, responses.ResponseReasoningItemSummaryParam{Text: part.Text})
			}
			if item.EncryptedContent != "" && !c.forgetful {
				c.add(responses.ResponseInputItemUnionParam{OfReasoning: &said})
			}
		case responses.ResponseFunctionToolCall:
			a.calls = append(a.calls, call{item.CallID, item.Name, item.Arguments})
			c.add(responses.ResponseInputItemParamOfFunctionCall(item.Arguments, item.CallID, item.Name))
		case responses.ResponseOutputMessage:
			c.add(responses.ResponseInputItemParamOfMessage(textOf(item), responses.EasyInputMessageRoleAssistant))
		}
	}
	if len(a.calls) > 0 && a.stop == "stop" {
		a.stop = "calls"
	}
	usage := r.Usage
	a.tokens = strict.Tokens{
		Input: usage.InputTokens - usage.InputTokensDetails.CachedTokens, CacheRead: usage.InputTokensDetails.CachedTokens,
		Output: usage.OutputTokens, Reasoning: usage.OutputTokensDetails.ReasoningTokens,
	}
	return a, nil
}

func textOf(m responses.ResponseOutputMessage) string {
	text := ""
	for _, part := range m.Content {
		text += part.Text
	}
	return text
}

func responseStop(r *responses.Response) string {
	switch {
	case r.Status == "completed":
		return "stop"
	case r.Status == "incomplete" && r.IncompleteDetails.Reason == "max_output_tokens":
		return "length"
	case r.Status == "incomplete" && r.IncompleteDetails.Reason == "content_filter":
		return "filter"
	}
	return string(r.Status) + " " + r.IncompleteDetails.Reason
}

func (c *responding) ask(ctx context.Context) (*responses.Response, int, error) {
	if !c.streamed {
		r, err := c.client.Responses.New(ctx, c.params)
		return r, 0, err
	}
	events := c.client.Responses.NewStreaming(ctx, c.params)
	defer events.Close()
	var told streamedResponse
	for events.Next() {
		if err := told.add(events.Current(), &c.question); err != nil {
			return nil, 0, err
		}
	}
	if err := events.Err(); err != nil {
		return nil, 0, err
	}
	if told.last == nil {
		return nil, 0, errors.New("the stream ends without a response")
	}
	return told.last, told.pieces, told.agrees()
}

func (c *responding) result(of call, text string) {
	c.add(responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
		CallID: openai.String(of.id), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String(text)},
	}})
}

func (c *responding) say(text string) {
	c.add(responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser))
}

func (c *responding) move(model string) { c.params.Model = model }
