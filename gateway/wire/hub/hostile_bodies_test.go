package hub_test

import (
	"fmt"
	"strings"

	"relay/gateway/wire/hub"
)

// hostile is a body that is made to be slow to translate: it holds n of something.
type hostile struct {
	caller, name string
	body         func(n int) string
}

// hostiles are such bodies of every shape that callers speak.
func hostiles() []hostile {
	var all []hostile
	for caller, bodies := range map[string]map[string]func(n int) string{
		"openai": hostileChat(), "openai_responses": hostileResponses(), "anthropic": hostileMessages(),
		"gemini": hostileGemini(), "ollama": hostileOllama(), "generate": hostileGenerate(),
	} {
		for name, body := range bodies {
			all = append(all, hostile{caller, name, body})
		}
	}
	return all
}

// many writes n elements of a list. In a form, # is the number of the element and ^
// that counted from the end.
func many(n int, form string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "^", fmt.Sprint(n-1-i)).Replace(form))
	}
	return b.String()
}

// deep is a schema within schemas, with n members at its bottom.
func deep(n int) string {
	const levels = 100
	return strings.Repeat(`{"type":"OBJECT","items":`, levels) + `{"enum":[` + many(n, `"e#"`) + `]}` + strings.Repeat(`,"nullable":true}`, levels)
}

// escapes is a text of n escapes.
func escapes(n int) string { return strings.Repeat(`\n\u00e9\\`, n) }

// longID is what few shapes take as an id or a name.
var longID = strings.Repeat("a.b", 30)

// sealOf is a seal that belongs to a call.
func sealOf(call string) string {
	return (&hub.Opaque{Shape: "gemini", Provider: "google", ID: hub.Text(call), Data: hub.Text("c2ln")}).Seal().String()
}

// sealed writes n elements in which % is the seal of a call, named by its number.
func sealed(n int, form string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		seal := sealOf(fmt.Sprintf("c%d", i))
		b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "^", fmt.Sprint(n-1-i), "%", seal).Replace(form))
	}
	return b.String()
}

// long makes names of tools long.
func long(body string) string { return strings.ReplaceAll(body, `"name":"t`, `"name":"`+longID) }

func hostileChat() map[string]func(n int) string {
	talk := func(rest, members string) string {
		return `{"model":"m","messages":[{"role":"user","content":"x"},` + rest + `]` + members + `}`
	}
	const (
		call   = `{"id":"c#","type":"function","function":{"name":"t#","arguments":"{}"}}`
		custom = `{"id":"c#","type":"custom","custom":{"name":"t#","input":"x"}}`
		result = `{"role":"tool","tool_call_id":"c^","content":"x"}`
		pair   = `{"role":"assistant","tool_calls":[` + call + `]},{"role":"tool","tool_call_id":"c#","content":"x"}`
		tool   = `{"type":"function","function":{"name":"t#","parameters":{"type":"object"}}}`
		detail = `{"type":"reasoning.encrypted","data":"x","id":"c#","format":"gemini/google","index":#}`
	)
	turn := func(n int, call string) string {
		return `{"role":"assistant","tool_calls":[` + many(n, call) + `]},` + many(n, result)
	}
	return map[string]func(n int) string{
		"pairs":    func(n int) string { return talk(many(n, pair), "") },
		"tools":    func(n int) string { return talk(many(n, pair), `,"tools":[`+many(n, tool)+`]`) },
		"turn":     func(n int) string { return talk(turn(n, call), `,"tools":[`+many(n, tool)+`]`) },
		"custom":   func(n int) string { return talk(turn(n, custom), "") },
		"long ids": func(n int) string { return talk(strings.ReplaceAll(turn(n, call), `"c`, `"`+longID), "") },
		"long names": func(n int) string {
			return talk(long(turn(n, call)), `,"tools":[`+long(many(n, tool))+`]`)
		},
		"seals": func(n int) string {
			return talk(`{"role":"assistant","reasoning_details":[`+many(n, strings.ReplaceAll(detail, "c#", "c^"))+`],"tool_calls":[`+many(n, call)+`]},`+many(n, result), "")
		},
		"system": func(n int) string { return talk(many(n, `{"role":"system","content":"y"}`), "") },
		"parts": func(n int) string {
			return talk(`{"role":"user","content":[`+many(n, `{"type":"text","text":"x#"}`)+`]}`, "")
		},
		"images": func(n int) string {
			return talk(`{"role":"user","content":[`+many(n, `{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`)+`]}`, "")
		},
		"marks": func(n int) string {
			return talk(`{"role":"user","content":[`+many(n, `{"type":"text","text":"x#","cache_control":{"type":"ephemeral"}}`)+`]}`, "")
		},
		"unknown":        func(n int) string { return talk(`{"role":"user","content":"x"}`, `,`+many(n, `"u#":1`)) },
		"unknown inside": func(n int) string { return talk(`{"role":"user","content":"x",`+many(n, `"u#":1`)+`}`, "") },
		"escapes":        func(n int) string { return talk(`{"role":"user","content":"`+escapes(n)+`"}`, "") },
		"blank":          func(n int) string { return talk(`{"role":"assistant","content":"`+strings.Repeat(`\n`, n)+`"}`, "") },
		"schema": func(n int) string {
			return talk(`{"role":"user","content":"x"}`, `,"tools":[{"type":"function","function":{"name":"t","parameters":`+deep(n)+`}}]`)
		},
		"allowed": func(n int) string {
			return talk(`{"role":"user","content":"x"}`, `,"tools":[`+many(n, tool)+`],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[`+many(n, `{"type":"function","function":{"name":"t^"}}`)+`]}}`)
		},
		"stops": func(n int) string { return talk(`{"role":"user","content":"x"}`, `,"stop":[`+many(n, `"s#"`)+`]`) },
	}
}

func hostileResponses() map[string]func(n int) string {
	body := func(items, members string) string {
		return `{"model":"m","input":[{"role":"user","content":"x"},` + items + `]` + members + `}`
	}
	const (
		call   = `{"type":"function_call","call_id":"c#","name":"t#","arguments":"{}"}`
		custom = `{"type":"custom_tool_call","call_id":"c#","name":"t#","input":"x"}`
		result = `{"type":"function_call_output","call_id":"c^","output":"x"}`
		tool   = `{"type":"function","name":"t#","parameters":{"type":"object"}}`
		user   = `{"role":"user","content":"x"}`
	)
	return map[string]func(n int) string{
		"turn":   func(n int) string { return body(many(n, call)+","+many(n, result), "") },
		"tools":  func(n int) string { return body(many(n, call)+","+many(n, result), `,"tools":[`+many(n, tool)+`]`) },
		"custom": func(n int) string { return body(many(n, custom)+","+many(n, result), "") },
		"namespaces": func(n int) string {
			return body(user, `,"tools":[`+many(n, `{"type":"namespace","name":"n#","tools":[`+`{"type":"function","name":"t#"}`+`]}`)+`]`)
		},
		"namespace": func(n int) string {
			return body(many(n, strings.ReplaceAll(call, `"name"`, `"namespace":"n","name"`)), `,"tools":[{"type":"namespace","name":"n","tools":[`+many(n, tool)+`]}]`)
		},
		"allowed": func(n int) string {
			return body(user, `,"tools":[`+many(n, tool)+`],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[`+many(256, `{"type":"function","name":"t^"}`)+`]}`)
		},
		"seals": func(n int) string {
			return body(sealed(n, `{"type":"reasoning","summary":[],"encrypted_content":"%"},`+call)+","+many(n, result), "")
		},
		"seals first": func(n int) string {
			return body(sealed(n, `{"type":"reasoning","summary":[],"encrypted_content":"%"}`)+","+many(n, call), "")
		},
		"thoughts": func(n int) string {
			return body(many(n, `{"type":"reasoning","id":"rs_#","summary":[{"type":"summary_text","text":"x"}],"encrypted_content":"gAAA#"}`)+","+call, "")
		},
		"system": func(n int) string { return body(many(n, `{"role":"developer","content":"y"}`), "") },
		"parts": func(n int) string {
			return body(`{"role":"user","content":[`+many(n, `{"type":"input_text","text":"x#"}`)+`]}`, "")
		},
		"unknown": func(n int) string { return body(user, `,`+many(n, `"u#":1`)) },
		"unknown inside": func(n int) string {
			return body(user, `,"tools":[{"type":"function","name":"t",`+many(n, `"u#":1`)+`}]`)
		},
		"echo": func(n int) string { return body(user, `,`+many(n, `"temperature":1`)) },
	}
}

func hostileMessages() map[string]func(n int) string {
	body := func(turns, members string) string {
		return `{"model":"m","max_tokens":9000,"messages":[{"role":"user","content":"x"},` + turns + `]` + members + `}`
	}
	assistant := func(blocks string) string { return `{"role":"assistant","content":[` + blocks + `]}` }
	user := func(blocks string) string { return `{"role":"user","content":[` + blocks + `]}` }
	const (
		call   = `{"type":"tool_use","id":"c#","name":"t#","input":{}}`
		result = `{"type":"tool_result","tool_use_id":"c^","content":"x"}`
		tool   = `{"name":"t#","input_schema":{"type":"object"}}`
		seal   = `{"type":"redacted_thinking","data":"%"}`
	)
	return map[string]func(n int) string{
		"turn": func(n int) string { return body(assistant(many(n, call))+","+user(many(n, result)), "") },
		"tools": func(n int) string {
			return body(assistant(many(n, call))+","+user(many(n, result)), `,"tools":[`+many(n, tool)+`]`)
		},
		"pairs": func(n int) string {
			return body(many(n, assistant(call)+","+user(`{"type":"tool_result","tool_use_id":"c#","content":"x"}`)), "")
		},
		"seals":        func(n int) string { return body(assistant(sealed(n, seal+","+call))+","+user(many(n, result)), "") },
		"seals first":  func(n int) string { return body(assistant(sealed(n, seal)+","+many(n, call)), "") },
		"seals behind": func(n int) string { return body(assistant(many(n, call)+","+sealed(n, seal)), "") },
		"seals apart": func(n int) string {
			return body(assistant(sealed(n, seal)+","+many(n, strings.ReplaceAll(call, "c#", "d#"))), "")
		},
		"thoughts": func(n int) string {
			return body(assistant(many(n, `{"type":"thinking","thinking":"x","signature":"s#"}`)+","+call), "")
		},
		"system": func(n int) string {
			return body(user(`{"type":"text","text":"x"}`), `,"system":[`+many(n, `{"type":"text","text":"y"}`)+`]`)
		},
		"marks": func(n int) string {
			return body(user(many(n, `{"type":"text","text":"y","cache_control":{"type":"ephemeral"}}`)), "")
		},
		"unknown": func(n int) string { return body(user(`{"type":"text","text":"x"}`), `,`+many(n, `"u#":1`)) },
		"documents": func(n int) string {
			return body(user(many(n, `{"type":"document","title":"d","source":{"type":"content","content":[{"type":"text","text":"y"}]}}`)), "")
		},
		"blank": func(n int) string { return body(assistant(many(n, `{"type":"text","text":" "}`)), "") },
	}
}

func hostileGemini() map[string]func(n int) string {
	body := func(contents, members string) string {
		return `{"contents":[{"role":"user","parts":[{"text":"x"}]},` + contents + `]` + members + `}`
	}
	model := func(parts string) string { return `{"role":"model","parts":[` + parts + `]}` }
	user := func(parts string) string { return `{"role":"user","parts":[` + parts + `]}` }
	const (
		call     = `{"functionCall":{"id":"c#","name":"t#","args":{}}}`
		nameless = `{"functionCall":{"name":"t#","args":{}}}`
		result   = `{"functionResponse":{"id":"c^","name":"t^","response":{"output":"x"}}}`
		named    = `{"functionResponse":{"name":"t^","response":{"output":"x"}}}`
		tool     = `{"name":"t#"}`
	)
	choice := func(n int, mode string) string {
		return `,"tools":[{"functionDeclarations":[` + many(n, tool) + `]}],"toolConfig":{"functionCallingConfig":{"mode":"` + mode + `","allowedFunctionNames":[` + many(min(n, 512), `"t^"`) + `]}}`
	}
	return map[string]func(n int) string{
		"turn":    func(n int) string { return body(model(many(n, call))+","+user(many(n, result)), "") },
		"by name": func(n int) string { return body(model(many(n, nameless))+","+user(many(n, named)), "") },
		"in order": func(n int) string {
			return body(model(many(n, nameless))+","+user(strings.ReplaceAll(many(n, strings.ReplaceAll(named, "^", "#")), "^", "#")), "")
		},
		"tools": func(n int) string {
			return body(model(many(n, call)), `,"tools":[{"functionDeclarations":[`+many(n, tool)+`]}]`)
		},
		"allowed":    func(n int) string { return body(user(`{"text":"x"}`), choice(n, "ANY")) },
		"seals":      func(n int) string { return body(model(sealed(n, `{"text":"x","thoughtSignature":"%"},`+call)), "") },
		"signatures": func(n int) string { return body(model(many(n, `{"text":"x","thoughtSignature":"c#"}`)), "") },
		"thoughts":   func(n int) string { return body(model(many(n, `{"text":"x#","thought":true}`)+","+call), "") },
		"pieces":     func(n int) string { return body(many(n, model(`{"text":"x#"}`))+","+user(`{"text":"x"}`), "") },
		"media": func(n int) string {
			return body(user(many(n, `{"inlineData":{"mimeType":"image/png","data":"AAAA"}}`)), "")
		},
		"unknown": func(n int) string { return body(user(`{"text":"x"}`), `,`+many(n, `"u#":1`)) },
		"schema": func(n int) string {
			return body(user(`{"text":"x"}`), `,"tools":[{"functionDeclarations":[{"name":"t","parameters":`+deep(n)+`}]}]`)
		},
		"wide schema": func(n int) string {
			return body(user(`{"text":"x"}`), `,"tools":[{"functionDeclarations":[{"name":"t","parameters":{"type":"OBJECT","properties":{`+many(n, `"p#":{"nullable":true,"type":"STRING","anyOf":[{}]}`)+`}}}]}]`)
		},
	}
}

func hostileOllama() map[string]func(n int) string {
	body := func(rest, members string) string {
		return `{"model":"m","messages":[{"role":"user","content":"x"},` + rest + `]` + members + `}`
	}
	assistant := func(calls string) string { return `{"role":"assistant","content":"","tool_calls":[` + calls + `]},` }
	const (
		call     = `{"id":"c#","function":{"name":"t#","arguments":{}}}`
		nameless = `{"function":{"name":"t#","arguments":{}}}`
		result   = `{"role":"tool","tool_call_id":"c^","content":"x"}`
		named    = `{"role":"tool","tool_name":"t^","content":"x"}`
		tool     = `{"type":"function","function":{"name":"t#"}}`
	)
	return map[string]func(n int) string{
		"turn": func(n int) string { return body(assistant(many(n, call))+many(n, result), "") },
		"tools": func(n int) string {
			return body(assistant(many(n, call))+many(n, result), `,"tools":[`+many(n, tool)+`]`)
		},
		"by name": func(n int) string { return body(assistant(many(n, nameless))+many(n, named), "") },
		"in order": func(n int) string {
			return body(assistant(many(n, nameless))+many(n, `{"role":"tool","content":"x"}`), "")
		},
		"lost": func(n int) string {
			return body(assistant(many(n, call))+many(n, `{"role":"tool","tool_call_id":"d#","content":"x"}`), "")
		},
		"images": func(n int) string {
			return body(`{"role":"user","content":"x","images":[`+many(n, `"iVBORw0KGgoAAAA"`)+`]}`, "")
		},
		"unknown": func(n int) string { return body(`{"role":"user","content":"x"}`, `,`+many(n, `"u#":1`)) },
		"options": func(n int) string { return body(`{"role":"user","content":"x"}`, `,"options":{`+many(n, `"u#":1`)+`}`) },
	}
}

func hostileGenerate() map[string]func(n int) string {
	body := func(items, members string) string {
		return `{"model":"m","input":[{"role":"user","content":"x"},` + items + `]` + members + `}`
	}
	const (
		call   = `{"type":"function_call","call_id":"c#","name":"t#","arguments":"{}"}`
		result = `{"type":"function_call_output","call_id":"c^","name":"t^","content":"x"}`
		bare   = `{"type":"function_call_output","call_id":"c^","content":"x"}`
		tool   = `{"name":"t#","parameters":{"type":"object"}}`
		user   = `{"role":"user","content":"x"}`
	)
	extended := func(n int, shape string) string {
		return body(many(n, user), `,"extensions":{"`+shape+`":{`+many(n, `"u#":1`)+`}}`)
	}
	return map[string]func(n int) string{
		"turn": func(n int) string { return body(many(n, call)+","+many(n, bare), "") },
		"tools": func(n int) string {
			return body(many(n, call)+","+many(n, result), `,"tools":{"definitions":[`+many(n, tool)+`]}`)
		},
		"seals": func(n int) string { return body(sealed(n, `{"type":"reasoning","content":"","opaque":"%"},`+call), "") },
		"sealed calls": func(n int) string {
			return body(sealed(n, `{"type":"function_call","call_id":"c#","name":"t#","arguments":"{}","opaque":"%"}`), "")
		},
		"parts": func(n int) string {
			return body(`{"role":"user","content":[`+many(n, `{"type":"text","text":"y"}`)+`]}`, "")
		},
		"messages": func(n int) string {
			return body(many(n, `{"role":"user","content":"y"},{"role":"assistant","content":"z"}`)+","+user, "")
		},
		"extended openai":     func(n int) string { return extended(n, "openai") },
		"extended responses":  func(n int) string { return extended(n, "openai_responses") },
		"extended anthropic":  func(n int) string { return extended(n, "anthropic") },
		"extended gemini":     func(n int) string { return extended(n, "gemini") },
		"extended ollama":     func(n int) string { return extended(n, "ollama") },
		"extended many times": func(n int) string { return body(user, `,"extensions":{`+many(n, `"anthropic":{"u#":1}`)+`}`) },
	}
}
