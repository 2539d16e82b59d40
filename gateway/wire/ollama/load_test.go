package ollama_test

import (
	"testing"

	"relay/gateway/wire/ollama"
)

func TestLoads_TellsWhatOnlyLoadsAModel(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"model":"m"}`: {"load", "load"},
		`{"model":"m","messages":[],"prompt":""}`: {"load", "load"},
		`{"model":"m","keep_alive":0}`:            {"unload", "unload"},
		`{"model":"m","keep_alive":"0s"}`:         {"unload", "unload"},
		`{"model":"m","keep_alive":"5m"}`:         {"load", "load"},
		`{"model":"m","keep_alive":-1}`:           {"load", "load"},
		`{"model":"m","prompt":"x"}`:              {"load", ""},
		`{"model":"m","messages":[{}]}`:           {"", "load"},
	} {
		if got := (ollama.Hub{}).Loads([]byte(body)); got != want[0] {
			t.Errorf("chat %s: %q", body, got)
		}
		if got := (ollama.GenerateHub{}).Loads([]byte(body)); got != want[1] {
			t.Errorf("generate %s: %q", body, got)
		}
	}
}

func TestAppendLoaded_IsTheAnswerOfAnOllamaHost(t *testing.T) {
	saysSame(t, string(ollama.Hub{}.AppendLoaded(nil, reply(nil), "load")), line+`"message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}`)
	saysSame(t, string(ollama.GenerateHub{}.AppendLoaded(nil, reply(nil), "unload")), line+`"response":"","done":true,"done_reason":"unload"}`)
}
