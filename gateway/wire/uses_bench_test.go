package wire_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
)

// agent builds a body as agents send it: many turns with parts, and tools.
func agent(size int) []byte {
	const turn = `{"role":"assistant","content":[{"type":"text","text":"I read the file and run the tests."},` +
		`{"type":"tool_use","id":"toolu_01","name":"read_file","input":{"path":"/src/main.go","offset":0}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01","content":[{"type":"text","text":"package main, and so on for some lines of code\n\n"}]}]},`
	return []byte(`{"model":"m","max_tokens":1024,"messages":[` + strings.Repeat(turn, size/len(turn)) + `{"role":"user","content":"hi"}],"stream":true}`)
}

func BenchmarkInspect(b *testing.B) {
	paths := rules("max_tokens", "generationConfig.topK", "options.num_ctx", "reasoning.effort")
	delete(paths, "maxtokens") // bodies hold it
	for name, body := range map[string][]byte{
		"2KB": prose(2 << 10), "100KB": prose(100 << 10), "100KB-plain": plain(100 << 10), "100KB-tools": schemas(100 << 10), "100KB-agent": agent(100 << 10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				wire.Inspect(body, paths)
			}
		})
	}
}

func BenchmarkAdapt(b *testing.B) {
	body := agent(100 << 10)
	paths, dst := rules("temperature", "stream_options", "options.num_ctx"), make([]byte, 0, 2*len(body))
	for name, adapt := range map[string]func(){
		"cut":    func() { wire.Cut(dst, body, paths) },
		"rename": func() { wire.Rename(dst, body, rules("max_tokens"), []string{"max_completion_tokens"}) },
		"fill":   func() { wire.Fill(dst, body, []string{"top_k"}, []string{"40"}) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				adapt()
			}
		})
	}
}
