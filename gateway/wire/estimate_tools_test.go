package wire_test

import (
	"strings"
	"testing"
)

// defining holds, for each shape, a body with one tool, whose parameters are SCHEMA.
func defining() map[string]string {
	return map[string]string{
		"chat":       `{"messages":[],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":SCHEMA}}]}`,
		"functions":  `{"messages":[],"functions":[{"name":"f","parameters":SCHEMA}]}`,
		"responses":  `{"input":[],"tools":[{"type":"function","name":"f","parameters":SCHEMA,"strict":true}]}`,
		"namespaces": `{"input":[],"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f","parameters":SCHEMA}]}]}`,
		"messages":   `{"messages":[],"tools":[{"name":"f","description":"d","input_schema":SCHEMA}],"tool_choice":{"type":"auto"}}`,
		"gemini":     `{"contents":[],"tools":[{"functionDeclarations":[{"name":"f","parameters":SCHEMA}]}]}`,
		"snake":      `{"contents":[],"tools":[{"function_declarations":[{"name":"f","parameters":SCHEMA}]}]}`,
		"ollama":     `{"messages":[],"tools":[{"type":"function","function":{"name":"f","parameters":SCHEMA}}],"stream":false}`,
		"generate":   `{"input":[],"tools":{"definitions":[{"name":"f","parameters":SCHEMA}],"choice":"auto"}}`,
		"later":      `{"input":[{"type":"mcp_list_tools","tools":[{"name":"f","input_schema":SCHEMA}]}]}`,
	}
}

func TestEstimateTokens_CountsAToolByItsDefinition(t *testing.T) {
	for shape, body := range defining() {
		small := estimate(t, strings.Replace(body, "SCHEMA", `{"type":"object"}`, 1))
		if small < 353 || small > 450 {
			t.Errorf("%s: %d tokens with a small tool", shape, small)
		}
		for _, s := range samples(t) {
			if s.Name != "JSON Schema" {
				continue
			}
			count := s.provider()
			schema := `{"a":` + s.Text + strings.Repeat(`,"b":`+s.Text, 9) + `}`
			if got := estimate(t, strings.Replace(body, "SCHEMA", schema, 1)); got < 10*count+350 || got > 20*count+350 {
				t.Errorf("%s: %d tokens with a schema of %d", shape, got, 10*count)
			}
		}
	}
}

func TestEstimateTokens_CountsEveryTool(t *testing.T) {
	const small = `{"name":"f","description":"d","input_schema":{"type":"object"}}`
	for tools, want := range map[string]int64{
		small + strings.Repeat(","+small, 1):                            600,
		small + strings.Repeat(","+small, 29):                           9_000,
		`{"type":"bash_20250124","name":"bash"}`:                        350 + 1_250,
		`{"googleSearch":{}}`:                                           350 + 1_250,
		`{"type":"web_search_20250305","name":"web_search"},` + small:   350 + 1_250,
		`{"type":"custom","name":"f","format":{"type":"text"}}`:         350,
		`{"functionDeclarations":[{"name":"f"},{"name":"g"}]},` + small: 900,
	} {
		got := estimate(t, `{"messages":[],"tools":[`+tools+`]}`)
		if got < want || got > want+100 {
			t.Errorf("%.80s: %d tokens, want %d and some", tools, got, want)
		}
	}
}
