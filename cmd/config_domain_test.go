package cmd_test

import (
	"strings"
	"testing"

	"relay/cmd"
)

func TestLoadConfig_AnOpenListenerMayHaveANameButNoProxy(t *testing.T) {
	env := environment(map[string]string{"HOME": "/home/op", "RELAY_INFERENCE_AUTH": "open", "RELAY_DOMAIN": "llm.lan"})
	if cfg := load(t, "", nil, env); cfg.Inference.Auth != "open" || cfg.Domain != "llm.lan" {
		t.Errorf("auth %q, domain %q", cfg.Inference.Auth, cfg.Domain)
	}
	for _, proxies := range []string{"127.0.0.1", "10.0.0.0/8"} {
		_, err := cmd.LoadConfig(write(t, "trusted_proxies: ["+proxies+"]\n"), nil, env)
		if err == nil || !strings.Contains(err.Error(), "inference.auth") || !strings.Contains(err.Error(), "trusted_proxies") || !strings.Contains(err.Error(), "relay key add") {
			t.Errorf("a proxy at %s: %v", proxies, err)
		}
	}
}
