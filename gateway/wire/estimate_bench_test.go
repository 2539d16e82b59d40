package wire_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
)

// accented builds a body of words with letters that are not ASCII, some escaped.
func accented(size int) []byte {
	const turn = `Zażółć gęślą jaźń, \u015bci\u0119ty las\n`
	return []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat(turn, size/len(turn)) + `"}],"model":"acme-chat"}`)
}

// picture builds a body whose bytes are those of an image.
func picture(size int) []byte {
	return []byte(`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` +
		strings.Repeat("iVBORw0K", size/8) + `"}}]}],"model":"acme-chat"}`)
}

func BenchmarkEstimateTokens(b *testing.B) {
	for name, body := range map[string][]byte{
		"2KB": prose(2 << 10), "100KB": prose(100 << 10), "100KB-plain": plain(100 << 10), "100KB-tools": schemas(100 << 10),
		"100KB-runes": runes(100 << 10), "100KB-pairs": pairs(100 << 10), "100KB-accents": accented(100 << 10), "100KB-image": picture(100 << 10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				wire.EstimateTokens(body)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(body))*1024, "ns/KB")
		})
	}
}

func BenchmarkAskedOutput(b *testing.B) {
	body := prose(100 << 10)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		wire.AskedOutput(body, everyCap)
	}
}
