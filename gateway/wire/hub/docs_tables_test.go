package hub_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire/hub"

	"github.com/tidwall/gjson"
)

// table is a table of Markdown.
func table(rows [][]string) string {
	var text strings.Builder
	for i, row := range rows {
		text.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			text.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return text.String()
}

func parameterTable() string {
	rows := [][]string{{"parameter"}}
	for _, s := range hosts() {
		rows[0] = append(rows[0], "`"+s.Shape()+"`")
	}
	for p := range parameters(&hub.Fates{}) {
		row := []string{p.String()}
		if !strings.Contains(p.String(), " ") {
			row[0] = "`" + p.String() + "`"
		}
		for _, s := range hosts() {
			row = append(row, [...]string{"undecided", "carried", "ignored", "refused"}[s.up.Fates()[p]])
		}
		rows = append(rows, row)
	}
	return table(rows)
}

// reasoningTable tells what each host is asked for by a caller of chat completions
// who leaves it 64,000 tokens.
func reasoningTable(t *testing.T) string {
	rows := [][]string{{"`reasoning_effort`", "`openai_responses`", "`anthropic`", "`gemini`", "`ollama`"}}
	for _, effort := range []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"} {
		body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"Hi"}],"max_completion_tokens":64000,"reasoning_effort":%q}`, effort)
		row := []string{"`" + effort + "`"}
		for _, s := range hosts()[1:] {
			r := &hub.Request{}
			if err := shapes()[0].Decode([]byte(body), r); err != nil {
				t.Fatal(err)
			}
			up, err := s.up.Encode(nil, r, hub.Target{Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, said(up, "reasoning", "thinking", "output_config", "generationConfig.thinkingConfig", "think"))
		}
		rows = append(rows, row)
	}
	return table(rows)
}

// said are those members of a body that it has.
func said(body []byte, paths ...string) string {
	all := []string{}
	for _, path := range paths {
		if v := gjson.GetBytes(body, path); v.Exists() {
			all = append(all, "`"+path[strings.LastIndexByte(path, '.')+1:]+"` `"+line(v)+"`")
		}
	}
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, ", ")
}

// reasonTable tells how callers of each shape hear why an answer has ended.
func reasonTable() string {
	rows := [][]string{{"the answer ends because"}}
	for _, s := range shapes() {
		rows[0] = append(rows[0], "`"+s.Shape()+"`")
	}
	for _, why := range []struct {
		text   string
		reason hub.Reason
	}{
		{"the model is done", hub.ReasonStop},
		{"a text of `stop` has come", hub.ReasonStopSequence},
		{"the limit of the output is reached", hub.ReasonLength},
		{"tools are called", hub.ReasonCalls},
		{"the provider filters it", hub.ReasonFilter},
		{"the model refuses", hub.ReasonRefusal},
		{"the provider wants to be asked to go on", hub.ReasonPause},
	} {
		row := []string{why.text}
		for _, s := range shapes() {
			row = append(row, ending(s, why.reason))
		}
		rows = append(rows, row)
	}
	return table(rows)
}

// ending is how a whole answer says why it has ended.
func ending(s shape, reason hub.Reason) string {
	a := &hub.Answer{Reason: reason, Items: []hub.Item{{Kind: hub.ItemMessage, Role: hub.RoleAssistant, Parts: []hub.Part{{Text: hub.Text("Hi")}}}}}
	reply := &hub.Reply{Request: &hub.Request{}, ID: replyID, Model: replyModel, Created: replyCreated}
	body := s.Encoder(reply).AppendAnswer(nil, a)
	words := []string{}
	for _, path := range []string{"choices.0.finish_reason", "stop_reason", "candidates.0.finishReason", "done_reason", "status", "finish_reason", "incomplete_details.reason"} {
		if v := gjson.GetBytes(body, path); v.Exists() && v.Type != gjson.Null {
			words = append(words, "`"+v.Str+"`")
		}
	}
	return strings.Join(words, " ")
}
