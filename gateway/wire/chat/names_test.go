package chat_test

import (
	"regexp"
	"strings"
	"testing"

	"relay/gateway/wire/hub"
)

// Names and ids that OpenAI does not take go up in a form that it does, the same in
// the tools, the choice, the calls and the results, and come back as they were.
func TestNames_AreMadeToFitAndReadBack(t *testing.T) {
	id := strings.Repeat("i", 41)
	for _, name := range []string{"plain", "api.v1:get", `with \"quotes\"`, "é", strings.Repeat("n", 65), strings.Repeat("n", 64) + "m"} {
		call := hub.Call{ID: hub.Text(id), Name: hub.Text(name)}
		r := &hub.Request{
			Items: []hub.Item{
				{Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("a")}}}, {Kind: hub.ItemCall, Call: call}, {Kind: hub.ItemResult, Call: call},
			},
			Tools:  []hub.Tool{{Name: hub.Text("other.one")}, {Name: call.Name}},
			Choice: hub.Choice{Mode: hub.ChoiceNamed, Name: call.Name},
		}
		body, _ := encode(t, r, hub.Target{Model: "up"})
		names := regexp.MustCompile(`"name":"([^"]*)"`).FindAllStringSubmatch(body, -1)
		ids := regexp.MustCompile(`"(?:id|tool_call_id)":"([^"]*)"`).FindAllStringSubmatch(body, -1)
		if len(names) != 4 || names[0][1] != names[2][1] || names[0][1] != names[3][1] || names[1][1] == names[0][1] {
			t.Fatalf("%s: names %q", name, names)
		}
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(names[0][1]) || name == "plain" && names[0][1] != name {
			t.Errorf("%s goes up as %s", name, names[0][1])
		}
		if len(ids) != 2 || ids[0][1] != ids[1][1] || len(ids[0][1]) > 40 {
			t.Errorf("ids %q", ids)
		}
		got := delivered(t, r, callOf(`"index":0,"id":"x","function":{"name":"`+names[0][1]+`","arguments":"{}"}`), ended("stop"))
		if want := lines("call x "+call.Name.String()+" {}", "calls"); got != want {
			t.Errorf("comes back as %s, want %s", got, want)
		}
	}
}

func TestEncode_SaysThatJSONIsWantedWhereNobodyDoes(t *testing.T) {
	for content, want := range map[string]string{
		"give me json": "", "Give me JSON": "", "give me a list": `{"role":"system","content":"Answer in JSON."},`,
	} {
		r := decode(t, `{"model":"m","messages":[{"role":"user","content":"`+content+`"}],"response_format":{"type":"json_object"}}`)
		got, _ := encode(t, r, hub.Target{Model: "up"})
		equal(t, content, got, `{"model":"up","messages":[`+want+`{"role":"user","content":"`+content+`"}],"response_format":{"type":"json_object"}}`)
	}
}
