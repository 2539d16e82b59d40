package ollama_test

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
)

// call is one way to make a model speak.
type call struct {
	path     string
	body     string // MODEL stands for the model
	streamed bool
	mime     string
}

// calls are all of them, streamed and whole.
var calls = map[string]call{
	"api/chat, whole":       {"/api/chat", `{"model":"MODEL","messages":[{"role":"user","content":"hello there"}],"stream":false}`, false, "application/json"},
	"api/chat, streamed":    {"/api/chat", `{"model":"MODEL","messages":[{"role":"user","content":"hello there"}]}`, true, "application/x-ndjson"},
	"api/chat, asked to":    {"/api/chat", `{"model":"MODEL","messages":[{"role":"user","content":"hello there"}],"stream":true}`, true, "application/x-ndjson"},
	"api/generate, whole":   {"/api/generate", `{"model":"MODEL","prompt":"hello there","stream":false,"options":{"num_ctx":1024}}`, false, "application/json"},
	"api/generate, stream":  {"/api/generate", `{"model":"MODEL","prompt":"hello there","options":{"num_ctx":1024}}`, true, "application/x-ndjson"},
	"chat, whole":           {"/v1/chat/completions", `{"model":"MODEL","messages":[{"role":"user","content":"hello there"}]}`, false, "application/json"},
	"chat, streamed":        {"/v1/chat/completions", `{"model":"MODEL","messages":[{"role":"user","content":"hello there"}],"stream":true}`, true, "text/event-stream"},
	"chat, asked for usage": {"/v1/chat/completions", `{"model":"MODEL","messages":[{"role":"user","content":"hello there"}],"stream":true,"stream_options":{"include_usage":true}}`, true, "text/event-stream"},
	"responses, whole":      {"/v1/responses", `{"model":"MODEL","input":"hello there"}`, false, "application/json"},
	"responses, streamed":   {"/v1/responses", `{"model":"MODEL","input":"hello there","stream":true}`, true, "text/event-stream"},
	"messages, whole":       {"/v1/messages", `{"model":"MODEL","max_tokens":100,"messages":[{"role":"user","content":"hello there"}]}`, false, "application/json"},
	"messages, streamed":    {"/v1/messages", `{"model":"MODEL","max_tokens":100,"messages":[{"role":"user","content":"hello there"}],"stream":true}`, true, "text/event-stream"},
	"completions, whole":    {"/v1/completions", `{"model":"MODEL","prompt":"hello there"}`, false, "application/json"},
	"completions, streamed": {"/v1/completions", `{"model":"MODEL","prompt":"hello there","stream":true}`, true, "text/event-stream"},
}

func (c call) with(model string) string { return strings.ReplaceAll(c.body, "MODEL", model) }

// changing is what differs between two answers to one request.
var changing = regexp.MustCompile(`"(created_at|created|completed_at|[a-z_]*duration|id|item_id)":("[^"]*"|[0-9.]+)`)

// askedFor is what Ollama puts into every piece of a completion that is asked for
// its usage, as Relay asks.
const askedFor = `,"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`

func settled(body string) string {
	return strings.ReplaceAll(changing.ReplaceAllString(body, `"$1":0`), askedFor, "")
}

func TestCalls_AreAnsweredAsOllamaDoes(t *testing.T) {
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			direct := send(t, usualAddress, "POST", c.path, c.with("tiny:latest"))
			got := send(t, r.relay, "POST", c.path, c.with("tiny:latest"))
			if direct.status != 200 || !strings.Contains(direct.body, "twelve") {
				t.Fatalf("ollama answers %d: %s", direct.status, direct.body)
			}
			if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), c.mime) {
				t.Fatalf("status %d, content type %q: %s", got.status, got.header.Get("Content-Type"), got.body)
			}
			if settled(got.body) != settled(direct.body) {
				t.Errorf("relay  %s\nollama %s", settled(got.body), settled(direct.body))
			}
		})
	}
}

func TestCalls_AreRecordedWithOllamasCounts(t *testing.T) {
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			got := send(t, r.relay, "POST", c.path, c.with("tiny"))
			want := counted(got.body)
			if want == (tokens{}) { // a stream that was not asked for usage
				want = counted(send(t, usualAddress, "POST", c.path, strings.ReplaceAll(c.with("tiny"), `,"stream":true`, "")).body)
			}
			e := recorded(t, got.header.Get("X-Relay-Request-ID"))
			if (tokens{e.Tokens.Input, e.Tokens.Output}) != want || want.input == 0 || want.output != 13 || e.Missing {
				t.Errorf("recorded %+v, ollama counts %+v", e, want)
			}
			if e.Streamed != c.streamed || e.Status != 200 || e.ErrorKind != "" || e.FinishReason == "" || e.HostName != "ollama" || e.ModelName != "tiny:latest" || e.ShapeIn != e.ShapeOut {
				t.Errorf("recorded %+v", e)
			}
		})
	}
}

func TestEmbeddings_AreThoseOfOllama(t *testing.T) {
	for path, body := range map[string]string{
		"/api/embed":      `{"model":"tiny:latest","input":["hello","there"]}`,
		"/api/embeddings": `{"model":"tiny:latest","prompt":"hello"}`,
		"/v1/embeddings":  `{"model":"tiny:latest","input":["hello","there"]}`,
	} {
		t.Run(path, func(t *testing.T) {
			direct, got := send(t, usualAddress, "POST", path, body), send(t, r.relay, "POST", path, body)
			if got.status != 200 || settled(got.body) != settled(direct.body) {
				t.Fatalf("status %d\nrelay  %.300s\nollama %.300s", got.status, got.body, direct.body)
			}
			e, want := recorded(t, got.header.Get("X-Relay-Request-ID")), counted(direct.body)
			if (tokens{e.Tokens.Input, e.Tokens.Output}) != want || e.Missing != (want.input == 0) || e.Streamed {
				t.Errorf("recorded %+v, ollama counts %+v", e, want)
			}
		})
	}
}

func TestAnswers_TellWhyTheyEnd(t *testing.T) {
	for path, body := range map[string]string{
		"/api/chat":            `{"model":"loop","messages":[{"role":"user","content":"hello"}],"options":{"num_predict":30}}`,
		"/v1/chat/completions": `{"model":"loop","messages":[{"role":"user","content":"hello"}],"max_tokens":30,"stream":true}`,
		"/v1/messages":         `{"model":"loop","messages":[{"role":"user","content":"hello"}],"max_tokens":30,"stream":true}`,
		"/v1/responses":        `{"model":"loop","input":"hello","max_output_tokens":30,"stream":true}`,
	} {
		got := send(t, r.relay, "POST", path, body)
		if e := recorded(t, got.header.Get("X-Relay-Request-ID")); got.status != 200 || e.Tokens.Output != 30 || e.FinishReason == "" || e.Missing {
			t.Errorf("%s: status %d, recorded %+v", path, got.status, e)
		}
	}
}

func TestLoading_UsesNothingAndLacksNothing(t *testing.T) {
	for _, body := range []string{`{"model":"tiny"}`, `{"model":"tiny","stream":false}`, `{"model":"tiny","keep_alive":0}`} {
		got := send(t, r.relay, "POST", "/api/generate", body)
		if e := recorded(t, got.header.Get("X-Relay-Request-ID")); got.status != 200 || e.Tokens.Input+e.Tokens.Output != 0 || e.Missing || e.FinishReason != "load" && e.FinishReason != "unload" {
			t.Errorf("%s: status %d: %s, recorded %+v", body, got.status, got.body, e)
		}
	}
}

func TestErrors_ReachCallersInTheirShape(t *testing.T) {
	for path, body := range map[string]string{
		"/api/chat":     `{"model":"tiny","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{}}}]}`,
		"/api/generate": `{"model":"tiny","prompt":7}`, "/api/embed": `{"model":"tiny","input":{}}`,
	} {
		direct, got := send(t, usualAddress, "POST", path, body), send(t, r.relay, "POST", path, body)
		if got.status != direct.status || strings.ReplaceAll(got.body, "tiny:latest", "tiny") != strings.ReplaceAll(direct.body, "tiny:latest", "tiny") || direct.status < 400 {
			t.Errorf("%s: relay %d %s, ollama %d %s", path, got.status, got.body, direct.status, direct.body)
		}
	}
	for path, body := range map[string]string{
		"/api/chat": `{"model":"nothing","messages":[]}`, "/api/generate": `{"model":""}`, "/api/show": `{"name":"nothing","model":""}`, "/api/embed": `{`,
	} {
		got := send(t, r.relay, "POST", path, body)
		var told struct {
			Error string `json:"error"`
		}
		if err := json.Unmarshal([]byte(got.body), &told); err != nil || told.Error == "" || got.status < 400 || got.status >= 500 {
			t.Errorf("%s %s: status %d: %s", path, body, got.status, got.body)
		}
	}
	for _, path := range []string{"/api/pull", "/api/push", "/api/create", "/api/copy"} {
		if got := send(t, r.relay, "POST", path, `{"model":"tiny"}`); got.status != 403 || !strings.HasPrefix(got.body, `{"error":"`) {
			t.Errorf("%s: status %d: %s", path, got.status, got.body)
		}
	}
}

func TestTags_ListTheNamesThatClientsSend(t *testing.T) {
	var list struct {
		Models []struct{ Name, Model, Digest string }
	}
	got := send(t, r.relay, "GET", "/api/tags", "")
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != 200 {
		t.Fatalf("status %d, %v: %s", got.status, err, got.body)
	}
	found := map[string]bool{}
	for _, m := range list.Models {
		found[m.Name] = m.Name == m.Model && len(m.Digest) == 64
	}
	if !found["tiny:latest"] || !found["loop:latest"] || !found["tools:latest"] || found["tiny"] {
		t.Errorf("listed %+v", list.Models)
	}
	var version struct{ Version string }
	got = send(t, r.relay, "GET", "/api/version", "")
	if err := json.Unmarshal([]byte(got.body), &version); err != nil || cmp.Compare(version.Version, "0.13.4") < 0 {
		t.Errorf("version %s: %v", got.body, err)
	}
}

func TestOrigin_OfAPageStaysWithRelay(t *testing.T) {
	c := calls["api/chat, streamed"]
	if direct := send(t, usualAddress, "POST", c.path, c.with("tiny"), "Origin: "+page); direct.status != 403 {
		t.Fatalf("ollama answers the page with %d", direct.status)
	}
	if got := send(t, r.relay, "POST", c.path, c.with("tiny"), "Origin: "+page, "Referer: "+page+"/chat", "Cookie: a=b"); got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != page {
		t.Errorf("status %d: %s", got.status, got.body)
	}
}

// Ollama tells the parameters of a model in any order, so it is asked until it
// tells them in the order that came through Relay.
func TestShow_IsThatOfOllama(t *testing.T) {
	for _, body := range []string{`{"model":"tools"}`, `{"name":"tools","model":""}`, `{"name":"tools:latest"}`} {
		got := send(t, r.relay, "POST", "/api/show", body)
		if got.status != 200 || !strings.Contains(got.body, `"tools"`) {
			t.Fatalf("%s: status %d: %s", body, got.status, got.body)
		}
		if err := eventually("ollama shows the same", 10*time.Second, func() bool {
			return send(t, usualAddress, "POST", "/api/show", body).body == got.body
		}); err != nil {
			t.Errorf("%s: %v: %s", body, err, got.body)
		}
	}
}
