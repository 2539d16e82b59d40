package sdk_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func openAI(key string, options ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{option.WithBaseURL(relay.url + "/v1"), option.WithAPIKey(key), option.WithMaxRetries(0)}, options...)...)
}

func prompt(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello there")},
	}
}

func TestOpenAI_Whole(t *testing.T) {
	client := openAI(relay.keys["open"])
	answer, err := client.Chat.Completions.New(background(t), prompt("echo-mini"))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Choices[0].Message.Content != "hello there" || answer.Usage.TotalTokens != 4 {
		t.Errorf("got %q with %d tokens", answer.Choices[0].Message.Content, answer.Usage.TotalTokens)
	}
}

func TestOpenAI_Streamed(t *testing.T) {
	client := openAI(relay.keys["open"])
	for _, wanted := range []bool{false, true} {
		params := prompt("echo-mini")
		if wanted {
			params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
		}
		stream := client.Chat.Completions.NewStreaming(background(t), params)
		var whole openai.ChatCompletionAccumulator
		for stream.Next() {
			whole.AddChunk(stream.Current())
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		if got := whole.Choices[0].Message.Content; got != "hello there" {
			t.Errorf("got %q", got)
		}
		if (whole.Usage.TotalTokens == 4) != wanted {
			t.Errorf("usage %d tokens, asked for: %v", whole.Usage.TotalTokens, wanted)
		}
	}
}

func TestOpenAI_ToolsPassThrough(t *testing.T) {
	client := openAI(relay.keys["open"])
	params := prompt("echo-mini")
	params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
		Name:       "add",
		Parameters: openai.FunctionParameters{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "integer"}}},
	})}
	answer, err := client.Chat.Completions.New(background(t), params)
	if err != nil {
		t.Fatal(err)
	}
	calls := answer.Choices[0].Message.ToolCalls
	if len(calls) != 1 || calls[0].Function.Name != "add" || calls[0].Function.Arguments != `{"a":17,"b":25}` || answer.Choices[0].FinishReason != "tool_calls" {
		t.Errorf("got %+v", answer.Choices[0])
	}
}

func TestOpenAI_EmbeddingsAndModels(t *testing.T) {
	client := openAI(relay.keys["open"])
	vectors, err := client.Embeddings.New(background(t), openai.EmbeddingNewParams{Model: "echo-mini", Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("hello there")}})
	if err != nil || len(vectors.Data) != 1 || len(vectors.Data[0].Embedding) == 0 {
		t.Errorf("embeddings: %+v, %v", vectors, err)
	}
	page, err := client.Models.List(background(t))
	if err != nil || len(page.Data) != 2 {
		t.Errorf("models: %+v, %v", page, err)
	}
}

func TestOpenAI_ErrorsAreTyped(t *testing.T) {
	limited := openAI(relay.keys["limited-openai"])
	if _, err := limited.Chat.Completions.New(background(t), prompt("echo-mini")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		key, model string
		status     int
		text       string
	}{
		"401": {"sk-wr-unknown", "echo-mini", 401, "No valid relay key"},
		"403": {relay.keys["narrow"], "echo-mini", 403, `may not use model "echo-mini"`},
		"404": {relay.keys["open"], "echo-mni", 404, `No model "echo-mni"; this key may use`},
		"429": {relay.keys["limited-openai"], "echo-mini", 429, "Limit of key limited-openai: 1 of 1 requests in 1d used"},
	} {
		t.Run(name, func(t *testing.T) {
			client := openAI(c.key)
			_, err := client.Chat.Completions.New(background(t), prompt(c.model))
			var apiError *openai.Error
			if !errors.As(err, &apiError) || apiError.StatusCode != c.status || !strings.Contains(apiError.Message, c.text) {
				t.Errorf("got %v", err)
			}
		})
	}
}
