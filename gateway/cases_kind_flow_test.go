package gateway_test

import (
	"encoding/json"
	"slices"
	"strings"

	"relay/gateway/gatewaytest"
)

// flow is how a stream is cut into events, and what its shape has beside them.
type flow struct {
	contentType    string
	before, behind string   // what stands around a document that is an event
	ends           string   // with which the first event of answer ends, and nothing in it does
	label          string   // names an event of content; empty: none has a name
	terminal       string   // which the last event holds, and no other; an error has none
	filler         string   // what may stand between two events and says nothing
	alive          string   // what fills silences; empty: the shape has nothing for that
	begins         bool     // in a silence before the first event, the answer begins
	tellsInput     bool     // the first event of answer tells the input
	lineEnds       []string // in which its lines may end

	// read are the events as a client reads them that has got so much.
	read func(stream string) []string
	// short is a stream of few bytes, of 7 tokens and 3, with a filler in it.
	short func() string
}

func chatFlow() flow {
	f := eventsFlow(doneEvent)
	f.terminal = "[DONE]"
	f.short = func() string {
		return gatewaytest.Data(`{"choices":[{"index":0,"delta":{"content":"é"}}]}`) + ": c\n\n" +
			gatewaytest.Data(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`) +
			gatewaytest.Data(`{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}`) + doneEvent
	}
	return f
}

// eventsFlow is what event streams have in common.
func eventsFlow(terminal string) flow {
	return flow{
		contentType: "text/event-stream", before: "data: ", behind: "\n\n", ends: "\n\n", terminal: terminal, filler: ": c\n\n",
		alive: ": keep-alive\n\n", begins: true, lineEnds: []string{"LF", "CRLF", "CR"}, read: readEvents,
	}
}

func messagesFlow() flow {
	f := eventsFlow("message_stop")
	f.alive, f.tellsInput = "event: ping\ndata: {\"type\": \"ping\"}\n\n", true
	f.label = "event: content_block_delta\n"
	f.short = func() string {
		return "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":7}}}\n\n" +
			": c\n\nevent: content_block_delta\ndata: {\"d\":\"é\"}\n\n" +
			"event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\n" +
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	}
	return f
}

func responsesFlow() flow {
	f := eventsFlow("response.completed")
	f.label = "event: response.output_text.delta\n"
	f.short = func() string {
		return "event: response.created\ndata: {\"type\":\"response.created\"}\n\n" +
			": c\n\nevent: response.output_text.delta\ndata: {\"d\":\"é\"}\n\n" +
			"event: response.completed\ndata: {\"response\":{\"status\":\"completed\",\"usage\":{\"input_tokens\":7,\"output_tokens\":3}}}\n\n"
	}
	return f
}

// geminiFlow has no terminal event: its last one tells why it is the last. Its
// clients know no comments but blank lines.
func geminiFlow() flow {
	f := eventsFlow(`"finishReason"`)
	f.behind, f.ends, f.alive, f.tellsInput = "\r\n\r\n", "\r\n\r\n", "\n\n", true
	f.short = func() string {
		return gatewaytest.Data(`{"candidates":[{"content":{"parts":[{"text":"é"}]}}]}`) + ": c\n\n" +
			gatewaytest.Data(`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}`)
	}
	return f
}

// arrayFlow can neither be begun before there is an element nor hold anything
// beside them: an error is an element, and the end of the array.
func arrayFlow() flow {
	return flow{
		contentType: "application/json", before: ",\n", behind: "", ends: `"modelVersion":"m"}`, terminal: `"finishReason"`, filler: " \n",
		tellsInput: true, lineEnds: []string{"LF", "CRLF", "CR"}, read: readElements,
		short: func() string {
			return "[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"é\"}]}}]}\n \n,\n" +
				`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}` + "\n]"
		},
	}
}

// linesFlow begins in a silence, but has no line that says nothing.
func linesFlow() flow {
	return flow{
		contentType: "application/x-ndjson", before: "", behind: "\n", ends: "\n", terminal: `"done":true`, filler: "\n",
		begins: true, lineEnds: []string{"LF", "CRLF"}, read: readLines,
		short: func() string {
			return "{\"message\":{\"content\":\"é\"},\"done\":false}\n\n" +
				"{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":7,\"eval_count\":3}\n"
		},
	}
}

// event is a document as an event that is not the first.
func (f flow) event(document string) string { return f.before + document + f.behind }

// first is a document as the first event.
func (f flow) first(document string) string {
	return strings.Replace(f.event(document), ",\n", "[", 1)
}

// failing is an error of the upstream's as an event that is not the first, or as
// a stream of its own.
func (f flow) failing(document string) string {
	if f.contentType == "text/event-stream" {
		return "event: error\ndata: " + document + "\n\n"
	}
	return f.event(document)
}

// failingFirst is an error as the first event of a stream.
func (f flow) failingFirst(document string) string {
	return strings.Replace(f.failing(document), ",\n", "[", 1)
}

// unfilled is a stream without what fills its silences. Blank lines come with the
// line ends of the stream.
func (f flow) unfilled(stream string) string {
	switch f.alive {
	case "":
		return stream
	case "\n\n":
		stream = strings.TrimLeft(stream, "\n")
		for _, filled := range []string{"\r\n\r\n\r\n\r\n", "\r\n\r\n\n\n"} {
			for strings.Contains(stream, filled) {
				stream = strings.ReplaceAll(stream, filled, "\r\n\r\n")
			}
		}
		return stream
	}
	return strings.ReplaceAll(stream, f.alive, "")
}

// filled is how many silences of a stream have been filled.
func (f flow) filled(stream string) int {
	switch f.alive {
	case "":
		return 0
	case "\n\n":
		stream = strings.ReplaceAll(stream, "\r\n", "\n")
		blocks := strings.Split(stream, f.alive)
		return len(slices.DeleteFunc(blocks[:len(blocks)-1], func(block string) bool { return block != "" }))
	}
	return strings.Count(stream, f.alive)
}

// much is 16 bytes of which a stream may have any number.
func (f flow) much() string {
	switch f.contentType {
	case "application/json":
		return `,{"a":"bbbbbbb"}`
	case "application/x-ndjson":
		return `{"a":"bbbbbbb"}` + "\n"
	}
	return `data: {"a":"b"}` + "\n"
}

// spellings are the ways to end the lines of the flow.
func (f flow) spellings() map[string]func(string) string {
	all := map[string]func(string) string{}
	for _, name := range f.lineEnds {
		all[name] = lineEnds()[name]
	}
	return all
}

// lineEnds are all ways to end lines.
func lineEnds() map[string]func(string) string {
	return map[string]func(string) string{
		"LF":   func(s string) string { return s },
		"CRLF": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"CR":   func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
	}
}

// readEvents are the whole events of an event stream: name and data.
func readEvents(stream string) (events []string) {
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream)
	blocks := strings.Split(stream, "\n\n")
	for _, block := range blocks[:len(blocks)-1] {
		name, data := "", ""
		for line := range strings.SplitSeq(block, "\n") {
			if value, found := strings.CutPrefix(line, "event:"); found {
				name = strings.TrimSpace(value)
			}
			if value, found := strings.CutPrefix(line, "data:"); found {
				data += strings.TrimPrefix(value, " ")
			}
		}
		if data != "" {
			events = append(events, name+" "+data)
		}
	}
	return events
}

// readElements are the whole elements of an array, and the bracket that ends it.
func readElements(stream string) (elements []string) {
	d := json.NewDecoder(strings.NewReader(stream))
	if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
		return nil
	}
	for d.More() {
		var element json.RawMessage
		if d.Decode(&element) != nil {
			return elements
		}
		elements = append(elements, " "+string(element))
	}
	if _, err := d.Token(); err == nil {
		elements = append(elements, " ]")
	}
	return elements
}

// readLines are the whole lines that say something.
func readLines(stream string) (lines []string) {
	whole := strings.Split(stream, "\n")
	for _, line := range whole[:len(whole)-1] {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, " "+line)
		}
	}
	return lines
}

// sent is what a caller gets of the answer, whole.
func (k kind) sent() string {
	texts := k.answer(7, 3)
	if k.name == "chat stream" {
		return texts[0] + texts[1] + doneEvent // without the usage chunk
	}
	return strings.Join(texts, "")
}

// rest of a stream after its opening.
func (k kind) closing() gatewaytest.Script {
	return gatewaytest.Join(gatewaytest.Chunk(k.answer(7, 3)[1:]...), gatewaytest.LastChunk())
}

// opening is the head of the answer and, of a stream, its first event.
func (k kind) opening() gatewaytest.Script {
	if !k.streamed {
		return gatewaytest.Head(200, "Content-Type: application/json", "Transfer-Encoding: chunked")
	}
	return gatewaytest.Join(k.head(), gatewaytest.Chunk(k.answer(7, 3)[0]))
}

// part is the first half of what the upstream says next.
func (k kind) part() string {
	if !k.streamed {
		text := k.answer(7, 3)[0]
		return text[:len(text)/2]
	}
	return k.answer(7, 3)[1][:20]
}
