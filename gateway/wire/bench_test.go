package wire_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
)

// prose builds a chat body of about size bytes whose model comes last.
func prose(size int) []byte {
	const turn = `{"role":"user","content":"Read the log below and say which request was refused first, and by which limit.\n\n` +
		`12:00:01 key laptop, model acme-chat, 3 of 5 in flight; it said \"retry after 1 s\" and waited. "},`
	return []byte(`{"messages":[` + strings.Repeat(turn, size/len(turn)) +
		`{"role":"user","content":"hi"}],"temperature":0.2,"stream":true,"model":"acme-chat"}`)
}

// schemas builds a body as agents send it, most of it tool definitions.
func schemas(size int) []byte {
	const tool = `{"type":"function","function":{"name":"read_file","description":"Reads a file from disk.","parameters":` +
		`{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer","minimum":0},` +
		`"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}}},`
	return []byte(`{"messages":[],"tools":[` + strings.Repeat(tool, size/len(tool)) + `{}],"model":"acme-chat"}`)
}

// runes builds a body of text that is not ASCII.
func runes(size int) []byte {
	const turn = "雨が降っている。傘を持って行こう。"
	return []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat(turn, size/len(turn)) + `"}],"model":"acme-chat"}`)
}

// plain builds a body of one long text in which nothing is escaped.
func plain(size int) []byte {
	const text = "The quick brown fox jumps over the lazy dog. "
	return []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat(text, size/len(text)) + `"}],"stream":true,"model":"acme-chat"}`)
}

// pairs builds a body of words in runes of two bytes.
func pairs(size int) []byte {
	const turn = "Идёт дождь, возьми с собой зонт. "
	return []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat(turn, size/len(turn)) + `"}],"model":"acme-chat"}`)
}

func BenchmarkScan(b *testing.B) {
	for name, body := range map[string][]byte{
		"2KB": prose(2 << 10), "2KB-plain": plain(2 << 10), "100KB": prose(100 << 10), "100KB-plain": plain(100 << 10),
		"100KB-tools": schemas(100 << 10), "100KB-runes": runes(100 << 10), "100KB-pairs": pairs(100 << 10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var m wire.Members
				if err := wire.Scan(body, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSplice(b *testing.B) {
	body := prose(2 << 10)
	var m wire.Members
	if err := wire.Scan(body, &m); err != nil {
		b.Fatal(err)
	}
	model, dst := wire.Quote("upstream-name"), make([]byte, 0, 2*len(body))
	b.ReportAllocs()
	for b.Loop() {
		dst = wire.Splice(dst[:0], body, wire.Edit{At: m.Model, Text: model})
	}
}

func BenchmarkSplitter(b *testing.B) {
	stream := []byte(strings.Repeat(chunkEvent, 16))
	var s wire.Splitter
	var e wire.Event
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		for rest := stream; len(rest) > 0; {
			n := copy(s.Space(), rest)
			rest = rest[n:]
			s.Filled(n)
			for s.Next(&e) {
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16, "ns/event")
}

const chunkEvent = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764374400,"model":"acme-chat",` +
	`"system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"
