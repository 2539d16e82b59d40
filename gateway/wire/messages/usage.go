package messages

import "relay/gateway/wire"

// readUsage reads a usage object. Anthropic counts what is read from and
// written to a cache beside the input, and thinking within the output. Two
// kinds of iterations it leaves out of its totals: a compaction, whose tokens
// are the model's own and are added here, and an advisor, another model that
// serves as a tool of the provider.
func readUsage(w *wire.Walker) wire.Usage {
	var u wire.Usage
	var total, left counts
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "iterations" {
			left = readIterations(&u, w)
			continue
		}
		total.read(&u, w)
	}
	total.add(left)
	total.fill(&u)
	return u
}

// readIterations adds up what the iterations used that no total holds.
func readIterations(u *wire.Usage, w *wire.Walker) (left counts) {
	for more := w.Array(); more; more = w.Element() {
		var c counts
		for more := w.Object(); more; more = w.Member() {
			c.read(u, w)
		}
		switch c.kind {
		case compaction:
			left.add(c)
		case advisor:
			left.addTool(c)
		}
	}
	return left
}

// counts holds the numbers of a usage object as they are reported.
type counts struct {
	kind                          kind
	input, cacheRead, output      int64
	created, created5m, created1h int64
	thinking                      int64
	toolInput, toolOutput         int64
}

// kind says what an iteration was.
type kind uint8

const (
	turn kind = iota
	compaction
	advisor
)

// read reads one member.
func (c *counts) read(u *wire.Usage, w *wire.Walker) {
	switch string(w.Name()) {
	case "type":
		c.kind = readKind(w)
	case "input_tokens":
		c.input = w.Count(u)
	case "output_tokens":
		c.output = w.Count(u)
	case "cache_read_input_tokens":
		c.cacheRead = w.Count(u)
	case "cache_creation_input_tokens":
		c.created = w.Count(u)
	case "cache_creation":
		c.readCreation(u, w)
	case "output_tokens_details":
		c.readOutput(u, w)
	case "server_tool_use":
		c.readTool(u, w)
	}
}

func readKind(w *wire.Walker) kind {
	var room [16]byte
	name, _ := w.Text(room[:0])
	switch string(name) {
	case "compaction":
		return compaction
	case "advisor_message":
		return advisor
	}
	return turn
}

func (c *counts) readCreation(u *wire.Usage, w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "ephemeral_5m_input_tokens":
			c.created5m = w.Count(u)
		case "ephemeral_1h_input_tokens":
			c.created1h = w.Count(u)
		}
	}
}

func (c *counts) readOutput(u *wire.Usage, w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		if string(w.Name()) == "thinking_tokens" {
			c.thinking = w.Count(u)
		}
	}
}

func (c *counts) readTool(u *wire.Usage, w *wire.Walker) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "input_tokens":
			c.toolInput = w.Count(u)
		case "output_tokens":
			c.toolOutput = w.Count(u)
		}
	}
}

// creation returns what was written to caches of all lifetimes. Some servers
// tell it by lifetime only.
func (c *counts) creation() int64 { return max(c.created, c.created5m+c.created1h) }

// add counts what is missing in the totals.
func (c *counts) add(d counts) {
	c.created = c.creation() + d.creation()
	c.created1h += d.created1h
	c.input += d.input
	c.cacheRead += d.cacheRead
	c.output += d.output
	c.thinking += d.thinking
	c.toolInput += d.toolInput
	c.toolOutput += d.toolOutput
}

// addTool counts what a tool of the provider used.
func (c *counts) addTool(d counts) {
	c.toolInput += d.input + d.cacheRead + d.creation()
	c.toolOutput += d.output
}

func (c *counts) fill(u *wire.Usage) {
	u.Input = u.Part(c.input, wire.MaxCount)
	u.CacheRead = u.Part(c.cacheRead, wire.MaxCount)
	u.CacheCreation = u.Part(c.creation(), wire.MaxCount)
	u.Output = u.Part(c.output, wire.MaxCount)
	u.CacheCreation1h = u.Part(c.created1h, u.CacheCreation)
	u.Reasoning = u.Part(c.thinking, u.Output)
	u.ServerToolUseInput = u.Part(c.toolInput, wire.MaxCount)
	u.ServerToolUseOutput = u.Part(c.toolOutput, wire.MaxCount)
}
