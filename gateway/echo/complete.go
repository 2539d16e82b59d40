package echo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// completion is a whole answer, or one chunk of a stream.
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
	q, err := readRequest(w, r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request", err.Error())
		return
	}
	if !h.serves(q.Model) {
		refuseModel(w, q.Model)
		return
	}
	words, reason := q.reply()
	c := completion{
		ID:      fmt.Sprintf("chatcmpl-echo-%d", h.answers.Add(1)),
		Created: h.options.Now().Unix(),
		Model:   q.Model,
	}
	counted := usage{q.promptTokens(), len(words), q.promptTokens() + len(words)}
	if q.Stream {
		s := stream{w: w, r: r, pause: h.options.Pause, chunk: c}
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

// stream writes chunks until the caller has gone.
type stream struct {
	w     http.ResponseWriter
	r     *http.Request
	pause time.Duration
	chunk completion
	gone  bool
}

// play sends the role, a chunk a word, and the reason why it ends.
func (s *stream) play(words []string, reason string) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.chunk.Object = "chat.completion.chunk"
	empty := ""
	s.send(choice{Delta: &delta{Role: "assistant", Content: &empty}})
	for i, word := range words {
		if i > 0 {
			word = " " + word
		}
		s.send(choice{Delta: &delta{Content: &word}})
	}
	s.send(choice{Delta: &delta{}, FinishReason: &reason})
}

// tell sends the chunk that has usage and no choice.
func (s *stream) tell(u *usage) {
	s.chunk.Usage = u
	s.send()
}

func (s *stream) end() { s.event([]byte("[DONE]")) }

func (s *stream) send(choices ...choice) {
	s.chunk.Choices = append([]choice{}, choices...)
	text, err := json.Marshal(s.chunk)
	if err != nil {
		s.gone = true
		return
	}
	s.event(text)
}

func (s *stream) event(data []byte) {
	if s.wait(); s.gone {
		return
	}
	if _, err := fmt.Fprintf(s.w, "data: %s\n\n", data); err != nil {
		s.gone = true
		return
	}
	s.gone = http.NewResponseController(s.w).Flush() != nil
}

// wait pauses before a chunk, no longer than the caller is there.
func (s *stream) wait() {
	if s.pause <= 0 || s.gone {
		return
	}
	timer := time.NewTimer(s.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.r.Context().Done():
		s.gone = true
	}
}
