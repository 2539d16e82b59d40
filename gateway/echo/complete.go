package echo

import (
	"fmt"
	"net/http"
	"strings"
)

// completion is a whole chat completion, or one chunk of a stream.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index        int      `json:"index"`
	Message      *message `json:"message,omitempty"`
	Delta        *delta   `json:"delta,omitempty"`
	Logprobs     *string  `json:"logprobs"`
	FinishReason *string  `json:"finish_reason"`
}

type delta struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func (h *handler) complete(w http.ResponseWriter, r *http.Request) {
	q, err := readChat(w, r)
	if err != nil {
		refuse(w, r, http.StatusBadRequest, "invalid_request", err.Error())
		return
	}
	if !h.serves(q.Model) {
		refuseModel(w, r, q.Model)
		return
	}
	words, cut := reply(q.Messages, q.limit())
	reason := "stop"
	if cut {
		reason = "length"
	}
	c := completion{
		ID:      fmt.Sprintf("chatcmpl-echo-%d", h.answers.Add(1)),
		Created: h.options.Now().Unix(),
		Model:   q.Model,
	}
	prompt := tokensOf(q.Messages)
	counted := usage{prompt, len(words), prompt + len(words)}
	if q.Stream {
		s := chunks{h.newEvents(w, r), c}
		s.play(words, reason)
		if q.StreamOptions.IncludeUsage {
			s.tell(&counted)
		}
		s.end()
		return
	}
	text := content(strings.Join(words, " "))
	c.Object, c.Usage = "chat.completion", &counted
	c.Choices = []choice{{Message: &message{Role: "assistant", Content: text}, FinishReason: &reason}}
	answer(w, http.StatusOK, c)
}

// chunks streams a completion.
type chunks struct {
	*events
	chunk completion
}

// play sends the role, a chunk a word, and the reason why it ends.
func (s *chunks) play(words []string, reason string) {
	s.chunk.Object = "chat.completion.chunk"
	empty := ""
	s.choose(choice{Delta: &delta{Role: "assistant", Content: &empty}})
	for i, word := range words {
		s.choose(choice{Delta: &delta{Content: spaced(i, word)}})
	}
	s.choose(choice{Delta: &delta{}, FinishReason: &reason})
}

// tell sends the chunk that has usage and no choice.
func (s *chunks) tell(u *usage) {
	s.chunk.Usage = u
	s.choose()
}

func (s *chunks) end() { s.write("", "[DONE]") }

func (s *chunks) choose(choices ...choice) {
	s.chunk.Choices = append([]choice{}, choices...)
	s.send("", s.chunk)
}

// spaced returns a word of an answer with the space before it.
func spaced(index int, word string) *string {
	if index > 0 {
		word = " " + word
	}
	return &word
}
