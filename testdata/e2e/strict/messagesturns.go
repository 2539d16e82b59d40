package strict

import (
	"slices"
	"strings"
)

// messagesTurns checks the order of blocks and turns, and that thoughts are those
// that were issued.
func messagesTurns(c *checker, issued *issuer, body object) {
	turns := merged(listOf(body["messages"]))
	used := map[string]bool{}
	var open []string // calls of the turn before
	for i, t := range turns {
		at := []any{"messages", i}
		if t.role == "user" {
			answered := userTurn(c, t.blocks, open, at)
			c.must(len(answered) == len(open), "`tool_use` ids were found without `tool_result` blocks immediately after: "+strings.Join(open, ", "), at...)
			open = nil
			continue
		}
		open = assistantTurn(c, issued, t.blocks, used, at)
	}
	c.must(len(open) == 0, "`tool_use` ids were found without `tool_result` blocks immediately after: "+strings.Join(open, ", "), "messages")
	last := turns[len(turns)-1]
	if kind := objectOf(body["thinking"])["type"]; kind == "enabled" {
		c.must(last.role == "user", "prefilling the answer is not supported with thinking", "messages")
		thinksFirst(c, turns)
	}
}

// messagesTurn is what one side says until the other does.
type messagesTurn struct {
	role   string
	blocks []any
}

func merged(all []any) []messagesTurn {
	var turns []messagesTurn
	for _, m := range all {
		message := objectOf(m)
		if message["role"] == "system" {
			continue
		}
		role, blocks := textOf(message["role"]), listOf(message["content"])
		if s, is := message["content"].(string); is {
			blocks = []any{object{"type": "text", "text": s}}
		}
		if n := len(turns); n > 0 && turns[n-1].role == role {
			turns[n-1].blocks = append(slices.Clone(turns[n-1].blocks), blocks...)
			continue
		}
		turns = append(turns, messagesTurn{role, blocks})
	}
	return turns
}

// userTurn returns the calls that a turn answers.
func userTurn(c *checker, blocks []any, open []string, at []any) []string {
	var answered []string
	others := false
	for i, b := range blocks {
		block := objectOf(b)
		where := append(slices.Clone(at), "content", i)
		if block["type"] != "tool_result" {
			others = true
			c.must(block["type"] != "text" || strings.TrimSpace(textOf(block["text"])) != "", "text content blocks must contain non-whitespace text", where...)
			continue
		}
		id := textOf(block["tool_use_id"])
		c.must(!others, "`tool_result` blocks must come first in the content of a user turn", where...)
		c.must(slices.Contains(open, id), "unexpected `tool_use_id` found in `tool_result` blocks: "+id+". Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", where...)
		c.must(!slices.Contains(answered, id), "each tool_use must have a single result. Found multiple `tool_result` blocks with id: "+id, where...)
		answered = append(answered, id)
	}
	return answered
}

// assistantTurn returns the calls of a turn.
func assistantTurn(c *checker, issued *issuer, blocks []any, used map[string]bool, at []any) (calls []string) {
	var opaque []string
	for i, b := range blocks {
		block := objectOf(b)
		where := append(slices.Clone(at), "content", i)
		switch block["type"] {
		case "thinking":
			signature := textOf(block["signature"])
			stands, known := issued.standsFor(signature)
			c.must(known && stands == textOf(block["thinking"]), "Invalid `signature` in `thinking` block", where...)
			opaque = append(opaque, signature)
		case "redacted_thinking":
			_, known := issued.standsFor(textOf(block["data"]))
			c.must(known, "Invalid `data` in `redacted_thinking` block", where...)
			opaque = append(opaque, textOf(block["data"]))
		case "tool_use":
			id := textOf(block["id"])
			c.must(!used[id], "`tool_use` ids must be unique", where...)
			used[id] = true
			calls = append(calls, id)
		case "text":
			c.must(strings.TrimSpace(textOf(block["text"])) != "", "text content blocks must contain non-whitespace text", where...)
		}
	}
	if len(calls) > 0 && len(opaque) > 0 {
		led, _ := issued.bound(calls[0])
		c.must(slices.Equal(led, opaque), "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", at...)
	}
	return calls
}

// thinksFirst checks that a turn whose calls have just been answered begins with
// its thoughts, as a model with a budget for thinking wants
// (https://docs.claude.com/en/docs/build-with-claude/extended-thinking).
func thinksFirst(c *checker, turns []messagesTurn) {
	n := len(turns)
	if n < 2 || objectOf(turns[n-1].blocks[0])["type"] != "tool_result" {
		return
	}
	first := textOf(objectOf(turns[n-2].blocks[0])["type"])
	c.must(first == "thinking" || first == "redacted_thinking", "Expected `thinking` or `redacted_thinking`, but found `"+first+"`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.", "messages", n-2, "content", 0)
}
