package matrix_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// event is one of a stream.
type event struct {
	Type       string
	Number     int `json:"sequence_number"`
	Index      int `json:"item_index"`
	Kind       string
	Delta      string
	Item       item
	Generation generation
	Error      *struct{ Message string }
}

// events folds a stream into what a whole answer is.
func (c *composing) events(body io.Reader, a *answer) (generation, error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	var output []item
	for number := 0; lines.Scan(); {
		line, is := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !is {
			continue
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return generation{}, fmt.Errorf("%w in %s", err, line)
		}
		if e.Type == "error" || e.Error != nil {
			return generation{}, fmt.Errorf("error event %s", line)
		}
		if e.Number != number {
			return generation{}, fmt.Errorf("event %d is %s", number, line)
		}
		number++
		switch e.Type {
		case "item.started":
			output = append(output, e.Item)
		case "item.delta":
			c.delta(output[e.Index], e, a)
		case "item.completed":
			complete(output[e.Index], e.Item)
		case "generation.completed":
			e.Generation.Output = output
			return e.Generation, nil
		}
	}
	return generation{}, errors.Join(errors.New("the stream has no end"), lines.Err())
}

func (c *composing) delta(i item, e event, a *answer) {
	switch e.Kind {
	case "text":
		i["content"] = []any{map[string]any{"type": "text", "text": texts(i["content"]) + e.Delta}}
		a.pieces++
		c.said()
	case "reasoning":
		i["content"] = texts(i["content"]) + e.Delta
		delete(i, "summary")
	case "arguments":
		begun, _ := i["arguments"].(string)
		i["arguments"] = begun + e.Delta
	}
}

// complete adds what is known of an item at its end alone.
func complete(i, end item) {
	for name, value := range end {
		if _, known := i[name]; !known || name == "status" || name == "opaque" {
			i[name] = value
		}
	}
}
