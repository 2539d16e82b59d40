package gemini

import (
	"math/bits"

	"relay/gateway/wire"
)

// chunk is what a chunk of a stream says, or a whole answer, which has the same
// members. It goes into the tap only once its document has been read without a
// fault, or as much of it as is held. Of members with one name the last counts.
type chunk struct {
	first      byte // of the document
	candidates int
	ended      uint64 // candidates, by index
	reason     string // why the last of them ended
	blocked    string // why the prompt was not answered

	hasUsage bool
	usage    wire.Usage

	failing bool // it holds an error
	itself  bool // it calls itself one
}

// parse reads a document and reports whether it is JSON.
func (c *chunk) parse(document []byte) bool {
	w := wire.Walk(document)
	c.first = w.First()
	c.read(&w, w.Object())
	return w.End()
}

func (c *chunk) read(w *wire.Walker, more bool) {
	for ; more; more = w.Member() {
		switch string(w.Name()) {
		case "candidates":
			c.candidates, c.ended = 0, 0
			c.readCandidates(w, w.Array())
		case "promptFeedback":
			c.readFeedback(w)
		case "usageMetadata":
			c.readUsage(w)
		case "error":
			c.readError(w)
		case "object", "type":
			c.itself = w.Is("error") || c.itself
		}
	}
}

func (c *chunk) readCandidates(w *wire.Walker, more bool) {
	for ; more; more = w.Element() {
		c.candidates++
		c.readCandidate(w, w.Object())
	}
}

func (c *chunk) readCandidate(w *wire.Walker, more bool) {
	index, reason := int64(0), ""
	for ; more; more = w.Member() {
		switch string(w.Name()) {
		case "index":
			index = w.Index()
		case "finishReason":
			reason = w.Reason()
		}
	}
	if isReason(reason) {
		c.ended |= 1 << (uint64(index) % 64)
		c.reason = reason
	}
}

func (c *chunk) readFeedback(w *wire.Walker) {
	c.blocked = ""
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "blockReason" {
			c.blocked = w.Reason()
		}
	}
}

// isReason reports whether a reason says anything. Enumerations have a value for
// one that is not set.
func isReason(reason string) bool {
	switch reason {
	case "", "FINISH_REASON_UNSPECIFIED", "BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED":
		return false
	}
	return true
}

// readUsage reads a usage object that is held whole.
func (c *chunk) readUsage(w *wire.Walker) {
	if w.First() != '{' {
		return
	}
	u := readUsage(w)
	switch {
	case !w.OK():
	case c.hasUsage:
		c.usage.Replace(u)
	default:
		c.usage, c.hasUsage = u, true
	}
}

// readError notes an error, also one that is longer than what is held of it.
func (c *chunk) readError(w *wire.Walker) {
	begins := w.First() == '{' || w.First() == '"'
	c.failing = w.Filled() || begins && !w.OK()
}

// failed reports whether the chunk is an error. One that only calls itself an
// error is none beside candidates; errors may stand in an array.
func (c *chunk) failed() bool { return c.failing || c.itself && c.candidates == 0 || c.first == '[' }

// tell puts what was read into the tap. A prompt that was blocked has no
// candidates to wait for.
func (c *chunk) tell(t *wire.Tap) {
	for ended := c.ended; ended != 0; ended &= ended - 1 {
		t.Finish(int64(bits.TrailingZeros64(ended)), c.reason)
	}
	if isReason(c.blocked) {
		for i := range max(t.Choices, 1) {
			t.Finish(int64(i), c.blocked)
		}
	}
	t.Usage.MergePrompt(c.usage)
}
