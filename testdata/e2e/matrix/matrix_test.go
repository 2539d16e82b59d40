package matrix_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func callers() []caller {
	return []caller{openAIChat(), openAIResponses(), anthropicMessages(), anthropicMessagesV1(), genAI(), ollamaChat(), generate()}
}

// longest is how long a call may take.
const longest = 20 * time.Second

// cell is one place in the matrix.
type cell struct {
	*testing.T
	caller   caller
	upstream string // its shape
	streamed bool
	name     string // under which the provider notes what it sees
	model    string
}

// TestEverySDKWorksOnEveryShape is every caller on every upstream, whole and
// streamed. The table at its end has the cells that pass of those there are.
func TestEverySDKWorksOnEveryShape(t *testing.T) {
	bench.table = newTable()
	rest := map[string]int{}
	for _, caller := range callers() {
		for _, upstream := range shapes() {
			for _, streamed := range []bool{false, true} {
				for _, b := range behaviours() {
					if caller.only != nil && !slices.Contains(caller.only, b.name) || b.streamed && !streamed {
						continue
					}
					c := cell{caller: caller, upstream: upstream, streamed: streamed, model: upstream + "-mini"}
					if b.rests {
						c.model = upstream + "-" + models()[1+rest[upstream]]
						rest[upstream]++
					}
					passed := t.Run(c.title(b), func(t *testing.T) {
						c.T, c.name = t, strings.ReplaceAll(c.title(b), " ", "-")
						b.test(c)
					})
					bench.table.add(caller.name, upstream, b.name, passed)
				}
			}
		}
	}
}

func (c cell) title(b behaviour) string {
	way := "whole"
	if c.streamed {
		way = "streamed"
	}
	return c.caller.name + "/" + c.upstream + "/" + way + "/" + b.name
}

// behaviour is what is tried in a cell.
type behaviour struct {
	name     string
	test     func(c cell)
	streamed bool // it is one of streams alone
	rests    bool // the key rests for the model afterwards
}

func behaviours() []behaviour {
	return []behaviour{
		{name: "text", test: cell.text},
		{name: "tools", test: func(c cell) { c.loop(question{tools: true}) }},
		{name: "reasoned tools", test: func(c cell) { c.loop(question{tools: true, think: true}) }},
		{name: "bare tool", test: cell.bareTool},
		{name: "named tool", test: cell.namedTool},
		{name: "image", test: cell.image},
		{name: "structure", test: cell.structure},
		{name: "reasoning", test: cell.reasoning},
		{name: "length", test: cell.length},
		{name: "filtered", test: cell.filtered},
		{name: "refused", test: cell.refused},
		{name: "limited", test: cell.limited, rests: true},
		{name: "overloaded", test: cell.overloaded, rests: true},
		{name: "dies", test: cell.dies, streamed: true, rests: true},
		{name: "gone", test: cell.gone, rests: true},
	}
}
