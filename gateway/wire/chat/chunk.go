package chat

import (
	"math/bits"

	"relay/gateway/wire"
)

// chunk is what a chunk of a stream says, or a whole answer, which has the same
// members. It goes into the tap only once its document has been read without a
// fault. Of members with one name the last counts.
type chunk struct {
	first      byte // of the document
	hasChoices bool // there is a member choices
	isList     bool // and it is an array
	choices    int  // how many are in it
	ended      uint64
	reason     string // why the last of them ended

	hasUsage bool // there is a usage object
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
		case "choices":
			c.hasChoices, c.isList = true, w.First() == '['
			c.choices, c.ended = 0, 0
			c.readChoices(w, w.Array())
		case "usage":
			c.readUsage(w)
		case "error":
			c.readError(w)
		case "object", "type":
			c.itself = w.Is("error") || c.itself
		case "x_groq":
			c.readVendor(w)
		}
	}
}

func (c *chunk) readChoices(w *wire.Walker, more bool) {
	for ; more; more = w.Element() {
		c.choices++
		c.readChoice(w, w.Object())
	}
}

func (c *chunk) readChoice(w *wire.Walker, more bool) {
	index, reason := int64(0), ""
	for ; more; more = w.Member() {
		switch string(w.Name()) {
		case "index":
			index = w.Index()
		case "finish_reason":
			reason = w.Reason()
		}
	}
	if reason != "" && w.OK() {
		c.ended |= 1 << (uint64(index) % 64)
		c.reason = reason
	}
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

// readVendor reads the usage that a vendor keeps in a member of its own. It
// counts where there is no other.
func (c *chunk) readVendor(w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		if c.hasUsage || string(w.Name()) != "usage" {
			continue
		}
		if u := readUsage(w); w.OK() {
			c.usage = u
		}
	}
}

// readError notes an error, also one that is longer than what is held of it.
func (c *chunk) readError(w *wire.Walker) {
	begins := w.First() == '{' || w.First() == '"'
	c.failing = w.Filled() || begins && !w.OK()
}

// failed reports whether the chunk is an error. One that only calls itself an
// error is none beside choices.
func (c *chunk) failed() bool { return c.failing || c.itself && !c.hasChoices || c.first == '[' }

// onlyUsage reports whether the chunk tells usage and nothing else.
func (c *chunk) onlyUsage() bool { return c.hasUsage && c.isList && c.choices == 0 }

// tell puts what was read into the tap.
func (c *chunk) tell(t *wire.Tap) {
	for ended := c.ended; ended != 0; ended &= ended - 1 {
		t.Finish(int64(bits.TrailingZeros64(ended)), c.reason)
	}
	t.Usage.MergePrompt(c.usage)
}
