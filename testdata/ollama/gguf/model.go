// Package gguf writes tiny language models whose every answer is known before:
// whatever the prompt, a model counts in words from one to twelve. Attention and
// feed-forward weights are zero and each token is a direction of its own, so that
// the output weights are a table of which token follows which.
package gguf

import "fmt"

// Sizes of the model. The width is a multiple of the size of a head, and no less
// than the number of tokens.
const (
	width   = 448
	heads   = 7
	feed    = 32
	context = 8192
	layers  = 1
	certain = 4 // weight of the token that follows: some 85 in logits, where others have 0
)

// Words are what a model says, in order, each after a space.
func Words() []string {
	return []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
}

// Model is a model of the llama architecture.
type Model struct {
	vocabulary
	next []int // the token that follows each
}

// Counter returns the model that counts to twelve and ends there, or begins
// again without an end.
func Counter(endless bool) *Model {
	m := &Model{vocabulary: newVocabulary(Words())}
	words := Words()
	m.next = make([]int, len(m.tokens))
	for i := range m.next {
		m.next[i] = m.id(space + words[0])
	}
	for i, word := range words[1:] {
		m.next[m.id(space+words[i])] = m.id(space + word)
	}
	if last := m.id(space + words[len(words)-1]); !endless {
		m.next[last] = endOfText
	}
	return m
}

// Write writes the model as a GGUF file
// (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md).
func (m *Model) Write(path string) error {
	f := newFile()
	m.describe(f)
	m.weigh(f)
	if err := f.write(path); err != nil {
		return fmt.Errorf("write model %s: %w", path, err)
	}
	return nil
}

func (m *Model) describe(f *file) {
	f.text("general.architecture", "llama")
	f.text("general.name", "counter")
	f.number("general.file_type", 0)
	f.number("llama.block_count", layers)
	f.number("llama.context_length", context)
	f.number("llama.embedding_length", width)
	f.number("llama.feed_forward_length", feed)
	f.number("llama.attention.head_count", heads)
	f.number("llama.attention.head_count_kv", heads)
	f.number("llama.rope.dimension_count", width/heads)
	f.number("llama.vocab_size", uint32(len(m.tokens)))
	f.fraction("llama.attention.layer_norm_rms_epsilon", 1e-5)
	f.text("tokenizer.ggml.model", "llama")
	f.texts("tokenizer.ggml.tokens", m.tokens)
	f.fractions("tokenizer.ggml.scores", m.scores)
	f.numbers("tokenizer.ggml.token_type", m.kinds)
	f.number("tokenizer.ggml.bos_token_id", beginOfText)
	f.number("tokenizer.ggml.eos_token_id", endOfText)
	f.number("tokenizer.ggml.unknown_token_id", unknown)
}

// weigh adds the weights. A matrix has as many rows as it has outputs.
func (m *Model) weigh(f *file) {
	tokens := len(m.tokens)
	embedding, output := matrix(tokens, width), matrix(tokens, width)
	for token, next := range m.next {
		embedding[token*width+token] = 1
		output[next*width+token] = certain
	}
	f.tensor("token_embd.weight", embedding, width, tokens)
	f.tensor("output.weight", output, width, tokens)
	f.tensor("output_norm.weight", all(1, width), width)
	f.tensor("blk.0.attn_norm.weight", all(1, width), width)
	f.tensor("blk.0.ffn_norm.weight", all(1, width), width)
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		f.tensor("blk.0."+name+".weight", matrix(width, width), width, width)
	}
	f.tensor("blk.0.ffn_gate.weight", matrix(feed, width), width, feed)
	f.tensor("blk.0.ffn_up.weight", matrix(feed, width), width, feed)
	f.tensor("blk.0.ffn_down.weight", matrix(width, feed), feed, width)
}

func matrix(rows, columns int) []float32 { return make([]float32, rows*columns) }

func all(value float32, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = value
	}
	return values
}
