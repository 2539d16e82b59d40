package strict

import (
	"fmt"
	"slices"
	"strings"

	"relay/testdata/e2e/reply"
)

// asked is what a request asks for, whichever shape it has.
type asked struct {
	shape  string
	script string
	cell   string
	model  string
	stream bool

	think    bool // reasoning is wanted
	told     bool // and its text or a summary
	inclined bool // both are what the model does anyway where the script is about them
	tools    []string
	one      bool     // parallel calls are not wanted
	named    string   // the tool that must be called
	never    bool     // tools must not be called
	results  []result // of tools, in order
	images   []image
	schema   object // of the answer; nil: none was asked for
	asTool   string // the tool whose arguments are the answer by the schema
}

type result struct{ name, text string }

type image struct {
	mediaType string
	bytes     []byte
}

// turn is what is answered.
type turn struct {
	thoughts []string // pieces of what is told of them; nil: nothing is
	calls    []Call
	text     []string // pieces
	cut      bool     // the limit of output was met
	filtered bool     // the provider's filter was
}

// play returns the answer to a request, or what is wrong with the request where
// the script wants to see something in it.
func (q *asked) play() (turn, string) {
	t := turn{text: pieces(Text)}
	if q.told || q.inclined && (q.script == PlayReasoning || q.script == PlayReasoned) {
		t.thoughts = pieces(Thoughts)
	}
	switch q.script {
	case PlayTools, PlayReasoned:
		return q.playTools(t)
	case PlayCommand:
		return q.playCommand(t)
	case PlayImage:
		if len(q.images) != 1 {
			return t, fmt.Sprintf("there are %d images in it", len(q.images))
		}
		t.text = pieces(Saw(q.images[0].mediaType, q.images[0].bytes))
	case PlayStructure:
		return q.playStructure(t)
	case PlayBare:
		if len(q.results) > 0 {
			return t, q.wrongResult()
		}
		t.text, t.calls = nil, []Call{{Now, ""}}
	case PlayLength:
		t.cut = true
	case PlayFilter:
		t.filtered = true
	}
	return t, ""
}

func (q *asked) playTools(t turn) (turn, string) {
	if len(q.results) > 0 {
		t.text = pieces(Sum)
		return t, q.wrongResult()
	}
	if q.never {
		return t, ""
	}
	if t.text = nil; q.script == PlayTools {
		t.text = []string{Preface}
	}
	for _, call := range Calls() {
		if slices.Contains(q.tools, call.Name) && (q.named == "" || q.named == call.Name) && (!q.one || len(t.calls) == 0) {
			t.calls = append(t.calls, call)
		}
	}
	if len(t.calls) == 0 {
		return t, "no tool is on offer"
	}
	return t, ""
}

func (q *asked) playCommand(t turn) (turn, string) {
	if len(q.results) > 0 {
		t.text = pieces(Done)
		if said := q.results[len(q.results)-1].text; !strings.Contains(said, Printed) {
			return t, fmt.Sprintf("the command has printed %q", said)
		}
		return t, ""
	}
	if len(q.tools) == 0 {
		return t, "" // agents ask for more than one thing
	}
	for _, call := range commands() {
		if slices.Contains(q.tools, call.Name) {
			t.text, t.calls = nil, []Call{call}
			return t, ""
		}
	}
	return t, fmt.Sprintf("no tool runs commands: %q", q.tools)
}

// wrongResult says which result is not what the tool is called for.
func (q *asked) wrongResult() string {
	want := map[string]string{Add: AddResult, Weather: WeatherResult, Now: NowResult}
	for _, r := range q.results {
		if want[r.name] == "" || !strings.Contains(r.text, want[r.name]) {
			return fmt.Sprintf("the result of %q is %q", r.name, r.text)
		}
	}
	return ""
}

func (q *asked) playStructure(t turn) (turn, string) {
	if q.schema == nil {
		return t, "no schema is asked for"
	}
	answer := string(reply.Encoded(Instance(q.schema)))
	if t.text = pieces(answer); q.asTool != "" {
		t.text, t.calls = nil, []Call{{q.asTool, answer}}
	}
	return t, ""
}

// pieces cuts a text as a provider streams it: word by word.
func pieces(text string) []string { return strings.SplitAfter(text, " ") }

// argumentsOf reads the arguments of a call.
func argumentsOf(call Call) any {
	if call.Arguments == "" {
		return object{}
	}
	arguments, err := decode([]byte(call.Arguments))
	if err != nil {
		panic(err) // the scripts write JSON
	}
	return arguments
}

// thirds cuts the arguments of a call into three.
func thirds(arguments string) []string {
	runes := []rune(arguments)
	a, b := len(runes)/3, 2*len(runes)/3
	return []string{string(runes[:a]), string(runes[a:b]), string(runes[b:])}
}
