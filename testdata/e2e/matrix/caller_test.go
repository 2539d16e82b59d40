package matrix_test

import (
	"context"
	"encoding/json"
	"net/http"

	"relay/testdata/e2e/strict"
)

// caller is an SDK, and how it says what the others say in their words.
type caller struct {
	name string
	// shape is that of the upstream to which what it sends goes up unchanged;
	// empty: there is none.
	shape string
	// begin starts a conversation with a prompt.
	begin func(s setup, q question) conversation
	// failure reads the SDK's own error; a status of 0 says that it is none.
	failure func(error) failure
	// kinds are what its shape calls errors.
	kinds kinds
	// filtered is what it makes of an answer that the provider's filter has ended.
	filtered string
	// tells is what of the numbers of tokens its shape can tell.
	tells func(strict.Tokens) strict.Tokens
	// keeps says that opaque parts of answers come back with the next request.
	keeps bool
	// only, unless nil, are the behaviours that it is tested with.
	only []string
}

// setup is what a conversation is made with.
type setup struct {
	url, key, model string
	http            *http.Client
}

// question is what a caller asks for.
type question struct {
	prompt   string
	streamed bool
	tools    bool   // the tools are on offer
	bare     bool   // a tool that takes nothing is
	named    string // the one that must be called
	think    bool
	image    []byte // a PNG
	schema   map[string]any
	most     int64 // tokens of the answer; 0: as many as there is reason for

	// piece is called for every piece of text of a stream; nil: nobody wants to know.
	piece func()
	// forgetful callers send back only what they know by name.
	forgetful bool
}

func (q *question) said() {
	if q.piece != nil {
		q.piece()
	}
}

// maxTokens is what shapes that want a limit are told.
func (q *question) maxTokens() int64 {
	if q.most > 0 {
		return q.most
	}
	return 4000
}

// conversation is one of an SDK's own.
type conversation interface {
	// next asks for the next answer and adds it to what has been said.
	next(ctx context.Context) (answer, error)
	// result adds the result of a call of the last answer.
	result(c call, text string)
	// say adds what the user says.
	say(text string)
	// move goes on with another model.
	move(model string)
}

// answer is what an SDK made of an answer.
type answer struct {
	text, reasoning string
	calls           []call
	stop            string // stop, length, filter or calls
	tokens          strict.Tokens
	pieces          int // of text, in a stream
}

// call is a call of a tool.
type call struct {
	id, name  string
	arguments string // JSON
}

// failure is what an SDK says of an error.
type failure struct {
	status  int
	kind    string // what its shape calls such errors; empty where it does not
	code    string // likewise
	message string
}

// kinds are what a shape calls errors of the statuses 400, 429 and 502.
type kinds [3]string

// of returns the kind for a status.
func (k kinds) of(status int) string {
	switch status {
	case 400:
		return k[0]
	case 429:
		return k[1]
	}
	return k[2]
}

// tool is a tool on offer.
type tool struct {
	name, about string
	schema      map[string]any
}

// offered are the tools of a question.
func (q *question) offered() []tool {
	if q.bare {
		return []tool{{strict.Now, "Tells the time.", map[string]any{"type": "object", "properties": map[string]any{}, "required": []string{}}}}
	}
	if q.tools {
		return tools()
	}
	return nil
}

func tools() []tool {
	integer, text := map[string]any{"type": "integer"}, map[string]any{"type": "string"}
	parameters := func(required []string, properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": required}
	}
	return []tool{
		{strict.Add, "Adds two integers.", parameters([]string{"a", "b"}, map[string]any{"a": integer, "b": integer})},
		{strict.Weather, "Tells the weather.", parameters([]string{"city"}, map[string]any{"city": text, "days": map[string]any{"type": "array", "items": integer}})},
	}
}

// resultOf is what a tool says.
func resultOf(name string) string {
	return map[string]string{strict.Add: strict.AddResult, strict.Weather: strict.WeatherResult, strict.Now: strict.NowResult}[name]
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of what SDKs have read there is always JSON
	}
	return string(text)
}
