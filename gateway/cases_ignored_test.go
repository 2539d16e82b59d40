package gateway_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// logged is a log that a test reads while others write it.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

func TestOllama_OptionsThatItIgnoresAreToldToTheAdministratorOnceAModel(t *testing.T) {
	var log logged
	r, up := newStand(t, func(o *gateway.Options) { o.Log = zerolog.New(&log) })
	up.Otherwise(kinds()[0].says(7, 3))
	m := put(r, "llama", store.ModelSpec{})
	h := put(r, "home", store.HostSpec{BaseURL: up.URL(), Auth: "none", Shapes: []store.Shape{store.ShapeOllama, store.ShapeOpenAI}})
	put(r, "llama-home", store.HostBindingSpec{ModelID: m.Metadata.ID, HostID: h.Metadata.ID, Shapes: []store.Shape{store.ShapeOpenAI}})
	key := r.key("laptop", store.RelayKeySpec{})
	const told = "Ollama ignores options"
	body := strings.Replace(chatBody, `"chat"`, `"llama"`, 1)
	if a := r.call(key, body); a.Status != 200 || log.count(told) != 0 {
		t.Errorf("without options: got %d %s, told %d times", a.Status, a.Body, log.count(told))
	}
	for _, more := range []string{`"options":{"num_ctx":16384},`, `"num_ctx":16384,`} {
		if a := r.call(key, "{"+more+body[1:]); a.Status != 200 || log.count(told) != 1 {
			t.Errorf("%s got %d %s, told %d times", more, a.Status, a.Body, log.count(told))
		}
	}
	if a := r.call(key, `{"options":{},`+chatBody[1:]); a.Status != 200 || log.count(told) != 1 {
		t.Errorf("another host: got %d %s, told %d times", a.Status, a.Body, log.count(told))
	}
	edit(r, "llama-home", func(b *store.HostBinding) { b.Spec.Shapes = nil })
	up.Otherwise(gatewaytest.JSON(200, `{"model":"llama","message":{"role":"assistant","content":"hi"},"done":true,"prompt_eval_count":7,"eval_count":3}`))
	native := `{"stream":false,"options":{"num_ctx":16384},` + body[1:]
	if a := r.post("/api/chat", key, native); a.Status != 200 || log.count(told) != 1 || string(up.Request(4).Body) != native {
		t.Errorf("native: got %d %s, the upstream got %s", a.Status, a.Body, up.Request(4).Body)
	}
}

func TestOllama_AContextThatIsFullIsFlagged(t *testing.T) {
	r, up := newStand(t)
	put(r, "llama", store.ModelSpec{ContextWindow: 10})
	h := put(r, "home", store.HostSpec{BaseURL: up.URL(), Auth: "none", Shapes: []store.Shape{store.ShapeOllama, store.ShapeOpenAI}})
	put(r, "llama-home", store.HostBindingSpec{ModelID: r.record(store.KindModel, "llama"), HostID: h.Metadata.ID})
	key := r.key("laptop", store.RelayKeySpec{})
	line := `{"model":"llama","message":{"role":"assistant","content":"hi"},"done":true,"prompt_eval_count":7,"eval_count":3}`
	native := gatewaytest.JSON(200, line)
	lines := gatewaytest.Join(gatewaytest.Head(200, "Content-Type: application/x-ndjson", "Connection: close"), gatewaytest.Raw(line+"\n"))
	large := strings.Repeat("x", 300<<10) // whose body is not kept while the answer is streamed
	for i, c := range []struct {
		path, body string
		script     gatewaytest.Script
		full       bool
	}{
		{"/api/chat", `{"stream":false,"options":{"num_ctx":10},`, native, true},
		{"/api/chat", `{"stream":false,"options":{"num_ctx":16384},`, native, false},
		{"/api/chat", `{"stream":false,`, native, true},
		{"/api/chat", `{"options":{"num_ctx":10,"x":"` + large + `"},"stream":true,`, lines, true},
		{"/api/chat", `{"options":{"num_ctx":11,"x":"` + large + `"},"stream":true,`, lines, false},
		{"/v1/chat/completions", `{"options":{"num_ctx":16384},`, native, false},
		{"/v1/chat/completions", `{"options":{"num_ctx":10},`, native, true},
		{"/v1/chat/completions", `{"stream":true,`, kinds()[1].says(6, 3), false},
	} {
		up.Play(c.script)
		a := r.post(c.path, key, c.body+strings.Replace(chatBody, `"chat"`, `"llama"`, 1)[1:])
		if e := r.events(i + 1)[i]; a.Status != 200 || a.Err != nil || e.Truncated != c.full || e.Tokens.Output != 3 {
			t.Errorf("%d, %.60s: got %d %.200s %v, event %+v", i, c.body, a.Status, a.Body, a.Err, e)
		}
	}
	up.Play(kinds()[0].says(7, 3))
	put(r, "chat", store.ModelSpec{ContextWindow: 10})
	if a := r.call(key, chatBody); a.Status != 200 || r.events(9)[8].Truncated {
		t.Errorf("another host: got %d %s", a.Status, a.Body)
	}
}
