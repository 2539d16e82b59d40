package echo

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// maxBody bounds a request body, in bytes.
const maxBody = 32 << 20

// chatRequest is what echo reads of a chat completion request.
type chatRequest struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   bool      `json:"stream"`
	N        *int      `json:"n"`

	MaxTokens           *int `json:"max_tokens"`
	MaxCompletionTokens *int `json:"max_completion_tokens"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
	Refusal *string `json:"refusal"` // in answers: always null
}

// content is the text of a message, written as a string or as parts.
type content string

// UnmarshalJSON joins the text of parts by spaces. Other parts count nothing.
func (c *content) UnmarshalJSON(b []byte) error {
	if b[0] != '[' {
		return json.Unmarshal(b, (*string)(c))
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.Text
	}
	*c = content(strings.Join(texts, " "))
	return nil
}

// readBody decodes a request's body.
func readBody(w http.ResponseWriter, r *http.Request, q any) error {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(q); err != nil {
		return errors.New("We could not parse the JSON body of your request: " + err.Error() + ".")
	}
	return nil
}

func readChat(w http.ResponseWriter, r *http.Request) (q chatRequest, err error) {
	if err := readBody(w, r, &q); err != nil {
		return q, err
	}
	switch limit := q.limit(); {
	case q.Model == "":
		return q, errors.New("you must provide a model parameter")
	case len(q.Messages) == 0:
		return q, errors.New("'messages' must hold at least one message")
	case q.N != nil && *q.N != 1:
		return q, errors.New("'n' must be 1: echo gives one choice")
	case limit != nil && *limit < 1:
		return q, errors.New("the output limit must be at least 1")
	}
	return q, nil
}

// limit returns the most tokens that the answer may have; nil is no limit.
func (q *chatRequest) limit() *int {
	if q.MaxCompletionTokens != nil {
		return q.MaxCompletionTokens
	}
	return q.MaxTokens
}

// tokensOf counts the words of all messages.
func tokensOf(messages []message) int {
	n := 0
	for _, m := range messages {
		n += Tokens(string(m.Content))
	}
	return n
}

// reply returns the words of the last user message, as many as the limit lets
// through, and whether that cuts them; nil is no limit.
func reply(messages []message, limit *int) (words []string, cut bool) {
	for _, m := range messages {
		if m.Role == "user" {
			words = strings.Fields(string(m.Content))
		}
	}
	if limit != nil && *limit < len(words) {
		return words[:*limit], true
	}
	return words, false
}

// Tokens returns how many tokens echo counts in a text: its words.
func Tokens(text string) int { return len(strings.Fields(text)) }
