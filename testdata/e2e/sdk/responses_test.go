package sdk_test

import (
	"context"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"relay/testdata/e2e/contract"
)

func TestOpenAI_Responses(t *testing.T) {
	contract.Run(t, relay, contract.Client{
		Name: "go-responses", Model: "responses-mini", Retries: contract.Patient(), Failure: openAIFailure,
		Whole: func(ctx context.Context, s contract.Setup) (contract.Answer, error) { return answer(ctx, s, respond) },
		Streamed: func(ctx context.Context, s contract.Setup) (contract.Answer, error) {
			return answer(ctx, s, respondStreamed)
		},
		Tools: func(ctx context.Context, s contract.Setup, streamed bool) (contract.Called, error) {
			if streamed {
				return responseTools(ctx, s, respondStreamed)
			}
			return responseTools(ctx, s, respond)
		},
	})
}

// responding makes a response, and says in how many pieces of text it came.
type responding func(context.Context, openai.Client, responses.ResponseNewParams) (*responses.Response, int, error)

func respond(ctx context.Context, client openai.Client, params responses.ResponseNewParams) (*responses.Response, int, error) {
	response, err := client.Responses.New(ctx, params)
	return response, 0, err
}

func respondStreamed(ctx context.Context, client openai.Client, params responses.ResponseNewParams) (*responses.Response, int, error) {
	events := client.Responses.NewStreaming(ctx, params)
	var last responses.Response
	pieces := 0
	for events.Next() {
		switch event := events.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			pieces++
		case responses.ResponseCompletedEvent:
			last = event.Response
		}
	}
	return &last, pieces, events.Err()
}

func responseParams(s contract.Setup) responses.ResponseNewParams {
	input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(s.Prompt, responses.EasyInputMessageRoleUser)}
	return responses.ResponseNewParams{Model: s.Model, Input: responses.ResponseNewParamsInputUnion{OfInputItemList: input}}
}

func answer(ctx context.Context, s contract.Setup, do responding) (contract.Answer, error) {
	r, pieces, err := do(ctx, openAI(s), responseParams(s))
	if err != nil {
		return contract.Answer{}, err
	}
	return contract.Answer{Text: r.OutputText(), Input: r.Usage.InputTokens, Output: r.Usage.OutputTokens, Pieces: pieces}, nil
}

func responseTools(ctx context.Context, s contract.Setup, do responding) (contract.Called, error) {
	client, params := openAI(s), responseParams(s)
	params.Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction("add", schema(), false)}
	first, _, err := do(ctx, client, params)
	if err != nil {
		return contract.Called{}, err
	}
	call := first.Output[0].AsFunctionCall()
	result := responses.ResponseInputItemFunctionCallOutputParam{CallID: openai.String(call.CallID), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("42")}}
	params.Input.OfInputItemList = append(params.Input.OfInputItemList,
		responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.CallID, call.Name),
		responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &result})
	last, _, err := do(ctx, client, params)
	if err != nil {
		return contract.Called{}, err
	}
	return contract.Called{Name: call.Name, Arguments: call.Arguments, Text: last.OutputText()}, nil
}
