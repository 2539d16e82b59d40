package messages

import (
	"relay/gateway/wire"

	"github.com/tidwall/gjson"
)

// readUsage reads a usage object. Anthropic counts what is read from and
// written to a cache beside the input, and thinking within the output. Two
// kinds of iterations it leaves out of its totals: a compaction, whose tokens
// are the model's own and are added here, and an advisor, another model that
// serves as a tool of the provider.
func readUsage(usage gjson.Result) wire.Usage {
	var u wire.Usage
	total := readCounts(&u, usage)
	total.iterations.ForEach(func(_, iteration gjson.Result) bool {
		switch iteration.Get("type").Str {
		case "compaction":
			total.add(readCounts(&u, iteration))
		case "advisor_message":
			total.addTool(readCounts(&u, iteration))
		}
		return true
	})
	total.fill(&u)
	return u
}

// counts holds the numbers of a usage object as they are reported.
type counts struct {
	input, cacheRead, output      int64
	created, created5m, created1h int64
	thinking                      int64
	toolInput, toolOutput         int64
	iterations                    gjson.Result
}

// readCounts reads every number in one pass.
func readCounts(u *wire.Usage, usage gjson.Result) (c counts) {
	usage.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "input_tokens":
			c.input = u.Count(value)
		case "output_tokens":
			c.output = u.Count(value)
		case "cache_read_input_tokens":
			c.cacheRead = u.Count(value)
		case "cache_creation_input_tokens":
			c.created = u.Count(value)
		case "cache_creation":
			c.created5m = u.Count(value.Get("ephemeral_5m_input_tokens"))
			c.created1h = u.Count(value.Get("ephemeral_1h_input_tokens"))
		case "output_tokens_details":
			c.thinking = u.Count(value.Get("thinking_tokens"))
		case "server_tool_use":
			c.toolInput = u.Count(value.Get("input_tokens"))
			c.toolOutput = u.Count(value.Get("output_tokens"))
		case "iterations":
			c.iterations = value
		}
		return true
	})
	return c
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
