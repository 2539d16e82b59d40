package echo

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

// Lengths of vectors.
const (
	usualDimensions = 64
	mostDimensions  = 4096
)

// embeddingRequest is what echo reads of a request for embeddings.
type embeddingRequest struct {
	Model      string `json:"model"`
	Input      inputs `json:"input"`
	Format     string `json:"encoding_format"`
	Dimensions *int   `json:"dimensions"`
}

// inputs are the words of each input, which may be a text, a list of texts, a
// list of token numbers or a list of such lists.
type inputs [][]string

// UnmarshalJSON takes token numbers for words.
func (in *inputs) UnmarshalJSON(b []byte) error {
	var text string
	var texts []string
	var numbers []int
	var lists [][]int
	switch {
	case json.Unmarshal(b, &text) == nil:
		*in = inputs{strings.Fields(text)}
	case json.Unmarshal(b, &texts) == nil:
		for _, text := range texts {
			*in = append(*in, strings.Fields(text))
		}
	case json.Unmarshal(b, &numbers) == nil:
		*in = inputs{spelled(numbers)}
	case json.Unmarshal(b, &lists) == nil:
		for _, numbers := range lists {
			*in = append(*in, spelled(numbers))
		}
	default:
		return errors.New("'input' must be a text, a list of texts, or lists of token numbers")
	}
	return nil
}

func spelled(numbers []int) (words []string) {
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	return words
}

type embeddingList struct {
	Object string         `json:"object"`
	Data   []embedding    `json:"data"`
	Model  string         `json:"model"`
	Usage  embeddingUsage `json:"usage"`
}

type embedding struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"` // numbers, or as base64 their float32s, little-endian
}

type embeddingUsage struct {
	Prompt int `json:"prompt_tokens"`
	Total  int `json:"total_tokens"`
}

func (h *handler) embed(w http.ResponseWriter, r *http.Request) {
	q, err := readEmbeddingRequest(w, r)
	if err != nil {
		refuse(w, r, http.StatusBadRequest, "invalid_request", err.Error())
		return
	}
	if !h.serves(q.Model) {
		refuseModel(w, r, q.Model)
		return
	}
	list := embeddingList{Object: "list", Model: q.Model}
	for i, words := range q.Input {
		list.Data = append(list.Data, embedding{"embedding", i, q.encode(vector(words, q.dimensions()))})
		list.Usage.Prompt += len(words)
	}
	list.Usage.Total = list.Usage.Prompt
	answer(w, http.StatusOK, list)
}

func readEmbeddingRequest(w http.ResponseWriter, r *http.Request) (q embeddingRequest, err error) {
	if err := readBody(w, r, &q); err != nil {
		return q, err
	}
	switch n := q.dimensions(); {
	case q.Model == "":
		return q, errors.New("you must provide a model parameter")
	case len(q.Input) == 0:
		return q, errors.New("'input' must hold at least one text")
	case n < 1 || n > mostDimensions:
		return q, fmt.Errorf("'dimensions' must be from 1 to %d", mostDimensions)
	case q.Format != "" && q.Format != "float" && q.Format != "base64":
		return q, errors.New("'encoding_format' must be float or base64")
	}
	for _, words := range q.Input {
		if len(words) == 0 {
			return q, errors.New("'input' must not be empty")
		}
	}
	return q, nil
}

func (q *embeddingRequest) dimensions() int {
	if q.Dimensions == nil {
		return usualDimensions
	}
	return *q.Dimensions
}

func (q *embeddingRequest) encode(vector []float32) any {
	if q.Format != "base64" {
		return vector
	}
	var b []byte
	for _, v := range vector {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// vector returns a vector of length 1: the sum of a fixed one for each word, so
// that texts lie near each other that share words.
func vector(words []string, dimensions int) []float32 {
	sum := make([]float64, dimensions)
	for _, word := range words {
		numbers := rand.NewChaCha8(sha256.Sum256([]byte(word)))
		for i := range sum {
			sum[i] += float64(int64(numbers.Uint64())) / (1 << 63)
		}
	}
	length := 0.0
	for _, v := range sum {
		length += float64(v * v) // converted, so that no machine fuses the two operations
	}
	unit := make([]float32, dimensions)
	for i, v := range sum {
		unit[i] = float32(v / math.Sqrt(length))
	}
	return unit
}
