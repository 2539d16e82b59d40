// Package contract tests what every Go client must see of relay, whichever shape
// it speaks.
package contract

import (
	"context"
	"net/http"
	"sync"
)

// Client is one way to call relay. Its functions make a client with what Setup
// says, and change nothing else of its defaults.
type Client struct {
	Name  string // under which its calls are booked
	Model string
	Input int64 // tokens that answers report; 0: 30

	Whole    func(context.Context, Setup) (Answer, error)
	Streamed func(context.Context, Setup) (Answer, error)
	// Tools offers the tool add, answers its call with 42 and returns the call
	// and the text that follows.
	Tools func(ctx context.Context, s Setup, streamed bool) (Called, error)

	// Failure reads the SDK's own error; a status of 0 says that it is none. An
	// SDK that drops what a 401 says leaves its message empty.
	Failure func(error) (status int, message string)
	Retries Retries
}

// Setup is what a call is made with.
type Setup struct {
	URL    string // of the inference listener, without a slash at its end
	Key    string
	Model  string
	Prompt string // which names the client to the upstream
	HTTP   *http.Client
}

// Answer is what an SDK made of an answer.
type Answer struct {
	Text          string
	Input, Output int64
	Pieces        int // of a stream
}

// Called is the call of a tool, with its arguments as JSON without spaces, and
// the text that follows on its result.
type Called struct{ Name, Arguments, Text string }

// Retries are the statuses of the attempts of one call that meets a limit over a
// second, one over a day, a budget, a model that no key serves, and an account
// with too much in hand.
type Retries struct{ Short, Long, Budget, Unserved, Overloaded []int }

// Patient are those of SDKs that retry twice unless they are told not to.
func Patient() Retries {
	return Retries{Short: []int{429, 200}, Long: []int{429}, Budget: []int{429}, Unserved: []int{503, 503, 503}, Overloaded: []int{503, 200}}
}

// Single are those of SDKs that never retry.
func Single() Retries {
	return Retries{Short: []int{429}, Long: []int{429}, Budget: []int{429}, Unserved: []int{503}, Overloaded: []int{503}}
}

// wire notes the status of every request that goes over it.
type wire struct {
	mu       sync.Mutex
	statuses []int
	refused  func() // called before the SDK learns of a refusal; nil: nothing
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	status := 0
	if err == nil {
		status = resp.StatusCode
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.statuses = append(w.statuses, status)
	if status >= 400 && w.refused != nil {
		w.refused()
	}
	return resp, err
}

func (w *wire) seen() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]int(nil), w.statuses...)
}

func client(w *wire) *http.Client { return &http.Client{Transport: w} }
