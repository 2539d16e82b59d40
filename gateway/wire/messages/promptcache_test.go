package messages_test

import (
	"encoding/json"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/messages"
)

const mark = `,"cache_control":{"type":"ephemeral"}`

func TestMarkCache_MarksTheEndsOfWhatStaysTheSame(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"texts": {
			`{"system":"be \"brief\"","messages":[{"role":"user","content":"hi"}]}`,
			`{"system":[{"type":"text","text":"be \"brief\""` + mark + `}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"` + mark + `}]}]}`,
		},
		"blocks": {
			`{"system":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"tools":[{"name":"x","input_schema":{}},{"name":"y","input_schema":{}}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":{}}]}]}`,
			`{"system":[{"type":"text","text":"a"},{"type":"text","text":"b"` + mark + `}],"tools":[{"name":"x","input_schema":{}},{"name":"y","input_schema":{}` + mark + `}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":{}` + mark + `}]}]}`,
		},
		"the last turn of the user, not what the assistant begins": {
			`{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"content":[{"type":"tool_result","tool_use_id":"t"}],"role":"user"},{"role":"assistant","content":"{"}]}`,
			`{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"content":[{"type":"tool_result","tool_use_id":"t"` + mark + `}],"role":"user"},{"role":"assistant","content":"{"}]}`,
		},
		"empty texts":           {`{"system":"","messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`, ""},
		"empty lists":           {`{"system":[],"tools":[],"messages":[]}`, ""},
		"thoughts":              {`{"messages":[{"role":"user","content":[{"type":"thinking","thinking":"a"}]}]}`, ""},
		"marks of the caller":   {`{"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[{"role":"user","content":"hi"}]}`, ""},
		"nothing":               {`{"model":"m"}`, ""},
		"not what it should be": {`{"system":7,"tools":{},"messages":"hi"}`, ""},
	} {
		if c.want == "" {
			c.want = c.body
		}
		if got := string(messages.MarkCache(nil, []byte(c.body))); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func FuzzMarkCache(f *testing.F) {
	f.Add(`{"system":"a","tools":[{"name":"x"}],"messages":[{"role":"user","content":"hi"}]}`)
	f.Add(`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"user"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		var m wire.Members
		if wire.Scan([]byte(body), &m) != nil {
			return
		}
		got := string(messages.MarkCache(nil, []byte(body)))
		if !json.Valid([]byte(got)) {
			t.Fatalf("%s became %s", body, got)
		}
		if n := strings.Count(got, `"cache_control"`) - strings.Count(body, `"cache_control"`); n > 3 || n < 0 {
			t.Fatalf("%s has %d marks", got, n)
		}
	})
}
