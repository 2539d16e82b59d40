package echo

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// messageRequest is what echo reads of a request for a message.
type messageRequest struct {
	Model     string    `json:"model"`
	System    content   `json:"system"`
	Messages  []message `json:"messages"`
	MaxTokens *int      `json:"max_tokens"`
	Stream    bool      `json:"stream"`
}

// assistantMessage is a whole message, or how a stream begins one.
type assistantMessage struct {
	ID           string       `json:"id"`
	Type         string       `json:"type"`
	Role         string       `json:"role"`
	Model        string       `json:"model"`
	Content      []block      `json:"content"`
	StopReason   *string      `json:"stop_reason"`
	StopSequence *string      `json:"stop_sequence"`
	Usage        messageUsage `json:"usage"`
}

type block struct {
	Type string  `json:"type"`
	Text *string `json:"text"`
}

type messageUsage struct {
	Input         int `json:"input_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	Output        int `json:"output_tokens"`
}

func (h *handler) createMessage(w http.ResponseWriter, r *http.Request) {
	q, err := readMessageRequest(w, r)
	if err != nil {
		refuse(w, r, http.StatusBadRequest, "invalid_request", err.Error())
		return
	}
	if !h.serves(q.Model) {
		refuseModel(w, r, q.Model)
		return
	}
	words, cut := reply(q.Messages, q.MaxTokens)
	reason := "end_turn"
	if cut {
		reason = "max_tokens"
	}
	n := h.answers.Add(1)
	w.Header().Set("Request-Id", fmt.Sprintf("req_echo_%d", n))
	m := assistantMessage{
		ID: fmt.Sprintf("msg_echo_%d", n), Type: "message", Role: "assistant", Model: q.Model, Content: []block{},
		Usage: messageUsage{Input: Tokens(string(q.System)) + tokensOf(q.Messages)},
	}
	if q.Stream {
		s := messageStream{h.newEvents(w, r)}
		s.play(m, words, reason)
		return
	}
	text := strings.Join(words, " ")
	m.Content, m.StopReason, m.Usage.Output = []block{{"text", &text}}, &reason, len(words)
	answer(w, http.StatusOK, m)
}

func readMessageRequest(w http.ResponseWriter, r *http.Request) (q messageRequest, err error) {
	if err := readBody(w, r, &q); err != nil {
		return q, err
	}
	switch {
	case q.Model == "":
		return q, errors.New("model: Field required")
	case len(q.Messages) == 0:
		return q, errors.New("messages: at least one message is required")
	case q.MaxTokens == nil:
		return q, errors.New("max_tokens: Field required")
	case *q.MaxTokens < 1:
		return q, errors.New("max_tokens: must be at least 1")
	}
	return q, nil
}

// messageStream streams a message.
type messageStream struct{ *events }

// streamEvent has the members of every event of a message's stream. Each event
// has those that it needs.
type streamEvent struct {
	Type         string            `json:"type"`
	Message      *assistantMessage `json:"message,omitempty"`
	Index        *int              `json:"index,omitempty"`
	ContentBlock *block            `json:"content_block,omitempty"`
	Delta        any               `json:"delta,omitempty"`
	Usage        *outputUsage      `json:"usage,omitempty"`
}

type outputUsage struct {
	Output int `json:"output_tokens"`
}

type stopDelta struct {
	StopReason   string  `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
}

// play sends the message's beginning with its input, an event a word, and its
// end with its output.
func (s *messageStream) play(m assistantMessage, words []string, reason string) {
	index, empty := 0, ""
	s.tell(streamEvent{Type: "message_start", Message: &m})
	s.tell(streamEvent{Type: "content_block_start", Index: &index, ContentBlock: &block{"text", &empty}})
	s.tell(streamEvent{Type: "ping"})
	for i, word := range words {
		s.tell(streamEvent{Type: "content_block_delta", Index: &index, Delta: block{"text_delta", spaced(i, word)}})
	}
	s.tell(streamEvent{Type: "content_block_stop", Index: &index})
	s.tell(streamEvent{Type: "message_delta", Delta: stopDelta{StopReason: reason}, Usage: &outputUsage{len(words)}})
	s.tell(streamEvent{Type: "message_stop"})
}

func (s *messageStream) tell(e streamEvent) { s.send(e.Type, e) }
