package wire_test

import (
	"fmt"
	"io"
	"strings"

	"relay/gateway/wire"
	"relay/gateway/wire/chat"
)

// A forwarder writes the events of one read together, leaves out the usage
// that the caller did not ask for, and holds the terminal event back until
// the request has been settled.
func ExampleSplitter() {
	upstream := strings.NewReader("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n: still here\n\n" +
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\ndata:[DONE]\n\n")
	var (
		codec chat.Codec
		tap   wire.Tap
		s     wire.Splitter
		e     wire.Event
	)
	write := func(run wire.Range) {
		if run.Present() {
			fmt.Printf("write %q\n", s.Bytes(run))
		}
	}
	for ended := false; !ended && !tap.Done; {
		n, err := upstream.Read(s.Space())
		s.Filled(n)
		if ended = err == io.EOF; ended {
			s.End()
		}
		run := wire.Range{}
		for !tap.Done && s.Next(&e) {
			switch codec.ReadEvent(&tap, &e) {
			case wire.UsageOnly, wire.Terminal:
				write(run)
				run = wire.Range{}
			default:
				if !run.Present() {
					run.Start = e.At.Start
				}
				run.End = e.At.End
			}
		}
		write(run)
		if s.Err() != nil { // nothing more will come: say so to the caller
			return
		}
	}
	fmt.Printf("settle %d and %d tokens\n", tap.Usage.Input, tap.Usage.Output)
	fmt.Printf("write %q\n", codec.Terminal())
	// Output:
	// write "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n: still here\n\n"
	// settle 3 and 1 tokens
	// write "data: [DONE]\n\n"
}

// A codec reads the members it knows and leaves the rest to the walker.
func ExampleWalker() {
	answer := []byte(`{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3}}`)
	var usage wire.Usage
	var reason string
	w := wire.Walk(answer)
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "candidates":
			for more := w.Array(); more; more = w.Element() {
				for more := w.Object(); more; more = w.Member() {
					if string(w.Name()) == "finishReason" {
						reason = w.Reason()
					}
				}
			}
		case "usageMetadata":
			for more := w.Object(); more; more = w.Member() {
				if string(w.Name()) == "promptTokenCount" {
					usage.Input = w.Count(&usage)
				}
			}
		}
	}
	fmt.Println(w.End(), reason, usage.Input)
	// Output:
	// true STOP 3
}
