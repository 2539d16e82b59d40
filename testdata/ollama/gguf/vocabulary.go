package gguf

import "fmt"

// space is how SentencePiece writes the space before a word.
const space = "\u2581"

// The first tokens.
const (
	unknown = iota
	beginOfText
	endOfText
)

// Kinds of tokens.
const (
	kindNormal  = 1
	kindUnknown = 2
	kindControl = 3
	kindByte    = 6
)

// vocabulary is what a model reads and writes: any text byte by byte, ASCII by
// characters, and a few words as a whole.
type vocabulary struct {
	tokens []string
	scores []float32
	kinds  []int32
	ids    map[string]int
}

func newVocabulary(words []string) vocabulary {
	v := vocabulary{ids: map[string]int{}}
	v.add("<unk>", 0, kindUnknown)
	v.add("<s>", 0, kindControl)
	v.add("</s>", 0, kindControl)
	for b := range 256 {
		v.add(fmt.Sprintf("<0x%02X>", b), 0, kindByte)
	}
	v.add(space, -1, kindNormal)
	for c := '!'; c <= '~'; c++ {
		v.add(string(c), -1, kindNormal)
	}
	for _, word := range words {
		v.addWord(word)
	}
	return v
}

// addWord adds a word and its beginnings: pairs of tokens are joined into one,
// and so are words made up, from their first character on.
func (v *vocabulary) addWord(word string) {
	for end := 1; end <= len(word); end++ {
		if piece := space + word[:end]; v.ids[piece] == 0 {
			v.add(piece, float32(end), kindNormal)
		}
	}
}

func (v *vocabulary) add(token string, score float32, kind int32) {
	v.ids[token] = len(v.tokens)
	v.tokens = append(v.tokens, token)
	v.scores = append(v.scores, score)
	v.kinds = append(v.kinds, kind)
}

func (v *vocabulary) id(token string) int { return v.ids[token] }
