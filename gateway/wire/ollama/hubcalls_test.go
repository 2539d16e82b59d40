package ollama_test

import (
	"strings"
	"testing"

	"relay/gateway/wire/hub"
)

func TestHubEncode_NamesTheCallBeforeTheResultWhereAnIdIsUsedAgain(t *testing.T) {
	result := hub.Item{Kind: hub.ItemResult, Call: hub.Call{ID: hub.Text("c")}, Parts: []hub.Part{{Text: hub.Text("r")}}}
	named := func(name string) hub.Item {
		i := call("c", name, "{}")
		i.Call.Name = hub.Text(name)
		return i
	}
	body := encoded(t, &hub.Request{Items: []hub.Item{user("q"), named("f"), result, named("g"), result}})
	first, second := strings.Index(body, `"tool_name":"f"`), strings.Index(body, `"tool_name":"g"`)
	if first < 0 || second < first {
		t.Errorf("got %s", body)
	}
}
