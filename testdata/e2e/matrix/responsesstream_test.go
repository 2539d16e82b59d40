package matrix_test

import (
	"errors"

	"github.com/openai/openai-go/v3/responses"
)

// streamedResponse is what the events of a stream tell beside its last.
type streamedResponse struct {
	text, arguments, summary string
	pieces, number           int
	items                    int
	last                     *responses.Response
}

func (s *streamedResponse) add(event responses.ResponseStreamEventUnion, q *question) error {
	if int(event.SequenceNumber) != s.number {
		return errors.New("the event is out of sequence: " + event.RawJSON())
	}
	s.number++
	switch event := event.AsAny().(type) {
	case responses.ResponseTextDeltaEvent:
		s.text += event.Delta
		s.pieces++
		q.said()
	case responses.ResponseFunctionCallArgumentsDeltaEvent:
		s.arguments += event.Delta
	case responses.ResponseReasoningSummaryTextDeltaEvent:
		s.summary += event.Delta
	case responses.ResponseOutputItemDoneEvent:
		s.items++
	case responses.ResponseCompletedEvent:
		s.last = &event.Response
	case responses.ResponseIncompleteEvent:
		s.last = &event.Response
	case responses.ResponseErrorEvent:
		return errors.New(event.Message)
	case responses.ResponseFailedEvent:
		return errors.New(event.Response.Error.Message)
	}
	return nil
}

// agrees compares what was streamed with the response that ends the stream.
func (s *streamedResponse) agrees() error {
	arguments, summary := "", ""
	for _, item := range s.last.Output {
		switch item := item.AsAny().(type) {
		case responses.ResponseFunctionToolCall:
			arguments += item.Arguments
		case responses.ResponseReasoningItem:
			for _, part := range item.Summary {
				summary += part.Text
			}
		}
	}
	if s.text != s.last.OutputText() || s.arguments != arguments || s.summary != summary || s.items != len(s.last.Output) {
		return errors.New("the pieces of the stream are not those of its response " + s.last.RawJSON())
	}
	return nil
}
