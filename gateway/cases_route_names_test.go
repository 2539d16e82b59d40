package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// newNames is a trio in which every host answers, and chat has a maker and
// aliases.
func newNames(t *testing.T) *trio {
	t.Helper()
	x := newTrio(t)
	for _, up := range x.up {
		up.Otherwise(answer)
	}
	maker := put(x.rig, "maker", store.ProviderSpec{})
	edit(x.rig, "chat", func(m *store.Model) {
		m.Spec.ProviderID, m.Spec.Aliases, m.Spec.Fallbacks = maker.Metadata.ID, []string{"quick", "chat-2*", "spare-9*"}, nil
	})
	edit(x.rig, "spare", func(m *store.Model) { m.Spec.Aliases = []string{"chat-20*", "chatty"} })
	x.model("lab/coder:7b", store.ModelSpec{}, "c")
	x.model("tiny", store.ModelSpec{}, "c")
	x.model("big:latest", store.ModelSpec{}, "c")
	return x
}

func TestNames_LeadToTheModelAndTheHostThatTheyName(t *testing.T) {
	x := newNames(t)
	key := x.key("laptop", store.RelayKeySpec{})
	for name, want := range map[string]string{
		"chat": "chat-at-a", "CHAT": "chat-at-a", "maker/chat": "chat-at-a", "quick": "chat-at-a",
		"b/chat": "chat-at-b", "chat@b": "chat-at-b", "B/Chat": "chat-at-b", "chat@B": "chat-at-b", "maker/chat@b": "chat-at-b", "b/maker/chat": "chat-at-b",
		"b/quick": "chat-at-b", "quick@b": "chat-at-b", "b/chat@b": "chat-at-b",
		"chat-2026": "spare-at-c", "chat-2x": "chat-at-a", "chat-2": "chat-at-a", "chatty": "spare-at-c", "spare-9": "chat-at-a",
		// what a host calls a model is that model, with all that limits it
		"chat-at-a@a": "chat-at-a", "b/chat-at-b": "chat-at-b", "Chat-At-B@b": "chat-at-b",
		"lab/coder:7b": "lab/coder:7b-at-c", "c/lab/coder:7b": "lab/coder:7b-at-c", "lab/coder:7b@c": "lab/coder:7b-at-c",
	} {
		a := x.call(key, bodyOf(name))
		if a.Status != 200 || x.lastModel() != want {
			t.Errorf("%s: the upstream was asked for %s, want %s; %d %s", name, x.lastModel(), want, a.Status, a.Body)
		}
	}
}

// lastModel is the model that the last request upstream names.
func (x *trio) lastModel() string {
	e := x.events(1)
	last := e[len(e)-1]
	host := x.db.Catalog().Hosts.Get(last.Host)
	if host == nil {
		return ""
	}
	seen := x.up[host.Metadata.Name].Requests()
	_, rest, _ := strings.Cut(string(seen[len(seen)-1].Body), `"model":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

func TestNames_OfOllamaResolveWithAndWithoutLatest(t *testing.T) {
	x := newNames(t)
	key := x.key("laptop", store.RelayKeySpec{})
	for _, name := range []string{"tiny:latest", "big", "lab/coder"} {
		x.want(x.call(key, bodyOf(name)), 404, "model_not_found")
	}
	for _, model := range []string{"tiny", "big:latest", "lab/coder:7b"} {
		edit(x.rig, labelOf(model)+"-c", func(b *store.HostBinding) { b.Spec.Shapes = []store.Shape{store.ShapeOpenAI, store.ShapeOllama} })
	}
	for name, want := range map[string]string{
		"tiny": "tiny-at-c", "tiny:latest": "tiny-at-c", "TINY:Latest": "tiny-at-c", "tiny:latest@c": "tiny-at-c", "c/tiny:latest": "tiny-at-c",
		"big": "big:latest-at-c", "big:latest": "big:latest-at-c", "lab/coder:7b": "lab/coder:7b-at-c",
	} {
		a := x.call(key, bodyOf(name))
		if a.Status != 200 || x.lastModel() != want {
			t.Errorf("%s: the upstream was asked for %s, want %s; %d %s", name, x.lastModel(), want, a.Status, a.Body)
		}
	}
	x.want(x.call(key, bodyOf("lab/coder")), 404, "model_not_found")
	x.want(x.get("/v1/models/tiny:latest", key), 200, `"tiny:latest"`)
	// A real name wins.
	x.model("big", store.ModelSpec{}, "a")
	if x.call(key, bodyOf("big")); x.lastModel() != "big-at-a" {
		t.Errorf("the upstream was asked for %s", x.lastModel())
	}
}

func TestNames_FailInTheOrderThatTellsTheLeast(t *testing.T) {
	off := false
	for name, c := range map[string]struct {
		change func(*trio)
		model  string
		header string
		status int
		code   string
	}{
		"unknown":                           {model: "nothing", status: 404, code: "model_not_found"},
		"unknown host":                      {model: "chat@nowhere", status: 404, code: "model_not_found"},
		"unknown and pinned":                {model: "nothing@a", status: 404, code: "model_not_found"},
		"disabled":                          {change: func(x *trio) { edit(x.rig, "chat", func(m *store.Model) { m.Spec.Enabled = &off }) }, model: "chat", status: 403, code: "model_disabled"},
		"not granted":                       {change: func(x *trio) { x.grant("spare") }, model: "chat", status: 403, code: "model_not_allowed"},
		"not granted and without a binding": {change: func(x *trio) { x.model("bare", store.ModelSpec{}); x.grant("spare") }, model: "bare", status: 403, code: "model_not_allowed"},
		"not granted at the host":           {change: func(x *trio) { x.grant("chat@a") }, model: "chat@b", status: 403, code: "model_not_allowed"},
		"not granted by the header":         {change: func(x *trio) { x.grant("chat@a") }, model: "chat", header: "b", status: 403, code: "model_not_allowed"},
		"without a binding":                 {change: func(x *trio) { x.model("bare", store.ModelSpec{}) }, model: "bare", status: 503, code: "no_host_binding"},
		"without a binding at the host":     {model: "chat@c", status: 503, code: "no_host_binding"},
		"without a key":                     {change: func(x *trio) { edit(x.rig, "b-1", func(k *store.HostKey) { k.Spec.Enabled = &off }) }, model: "chat@b", status: 503, code: "no_keys"},
		"unknown host in the header":        {model: "chat", header: "nowhere", status: 400, code: "unknown_upstream_host"},
		"disabled host in the header":       {change: func(x *trio) { edit(x.rig, "b", func(h *store.Host) { h.Spec.Enabled = &off }) }, model: "chat", header: "b", status: 400, code: "unknown_upstream_host"},
		"the body's pin wins":               {model: "chat@a", header: "nowhere", status: 200},
		"a prefix is a pin too":             {model: "a/chat", header: "nowhere", status: 200},
		"the header pins":                   {model: "chat", header: "B", status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			x := newNames(t)
			x.account()
			if c.change != nil {
				c.change(x)
			}
			var headers []string
			if c.header != "" {
				headers = []string{"X-Relay-Host: " + c.header}
			}
			a := x.call(x.key("laptop", store.RelayKeySpec{}), bodyOf(c.model), headers...)
			x.want(a, c.status, c.code)
			if c.status != 200 && x.arrived() != "a=0 b=0 c=0" {
				t.Errorf("the hosts saw %s", x.arrived())
			}
		})
	}
}

func TestNames_OfWhatACallerMayNotUseAreNotListedAndNotHinted(t *testing.T) {
	x := newNames(t)
	put(x.rig, "fast", store.ModelSpec{Fallbacks: x.to("chat")})
	x.grant("spare")
	key := x.key("laptop", store.RelayKeySpec{})
	list := x.get("/v1/models", key).Body
	for _, hidden := range []string{`"chat"`, `"fast"`, `"tiny"`, `"claude"`} {
		if strings.Contains(list, hidden) {
			t.Errorf("%s is listed: %s", hidden, list)
		}
	}
	x.want(x.get("/v1/models", key), 200, `"spare"`)
	unlike := func(name string) string {
		return strings.ReplaceAll(x.get("/v1/models/"+name, key).Body, name, "NAME")
	}
	for _, name := range []string{"chat", "fast", "tiny", "claude"} {
		if a, b := unlike(name), unlike("nothing"); a != b {
			t.Errorf("told apart:\n%s\n%s", a, b)
		}
	}
	if a := x.call(key, bodyOf("chatx")); strings.Contains(a.Body, `chat,`) || !strings.Contains(a.Body, "this key may use spare (GET /v1/models)") {
		t.Errorf("hinted: %s", a.Body)
	}
}

func TestNames_AliasModelsAreListedWhileSomethingBehindThemAnswers(t *testing.T) {
	off := false
	x := newNames(t)
	put(x.rig, "fast", store.ModelSpec{Fallbacks: x.to("spare")})
	key := x.key("laptop", store.RelayKeySpec{})
	x.want(x.get("/v1/models", key), 200, `"fast"`)
	edit(x.rig, "spare", func(m *store.Model) { m.Spec.Enabled = &off })
	if list := x.get("/v1/models", key).Body; strings.Contains(list, `"fast"`) {
		t.Errorf("listed: %s", list)
	}
}

func TestNames_ReachTheUpstreamWhateverTheyHold(t *testing.T) {
	x := newNames(t)
	key := x.key("laptop", store.RelayKeySpec{})
	edit(x.rig, "spare-c", func(b *store.HostBinding) { b.Spec.UpstreamName = `a"b\c/ü` })
	x.up["c"].Otherwise(gatewaytest.JSON(200, answerBody))
	x.want(x.call(key, `{"messages":[{"role":"user","content":"a\u0022"}],"model" : "spare" , "seed":9007199254740993}`), 200, "hello")
	want := fmt.Sprintf(`{"messages":[{"role":"user","content":"a\u0022"}],"model" : %s , "seed":9007199254740993}`, `"a\"b\\c/ü"`)
	if sent := string(x.up["c"].Request(0).Body); sent != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
}
