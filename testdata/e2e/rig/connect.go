package rig

// hosts are the upstream's shapes as hosts of relay.
func (r *Relay) hosts() [][]string {
	at := r.provider.URL
	return [][]string{
		{"connect", "up-chat", "--base-url", at + "/chat/v1", "--shape", "openai", "--value-env", "UPSTREAM_KEY"},
		{"connect", "up-responses", "--base-url", at + "/responses/v1", "--shape", "openai_responses", "--value-env", "UPSTREAM_KEY"},
		{"connect", "up-messages", "--base-url", at + "/messages/v1", "--shape", "anthropic", "--auth", "x-api-key", "--value-env", "UPSTREAM_KEY"},
		{"connect", "up-gemini", "--base-url", at + "/gemini/v1beta", "--shape", "gemini", "--auth", "x-goog-api-key", "--value-env", "UPSTREAM_KEY"},
		{"connect", "up-ollama", "--base-url", at + "/ollama", "--shape", "ollama", "--auth", "none"},
	}
}

// Connect connects the upstream in all its shapes, gives the generating models
// a price at which any call spends a budget of a cent, and makes a model,
// dark-mini, that no key serves.
func (r *Relay) Connect() error {
	commands := append(r.hosts(), []string{"pricing", "add", "dear", "--price-input", "1000", "--price-output", "1000"})
	for _, host := range []string{"chat", "responses", "messages", "gemini"} {
		commands = append(commands, []string{"binding", "edit", host + "-mini-up-" + host, "--pricing", "dear"})
	}
	commands = append(commands, []string{"binding", "edit", "ollama-mini-latest-up-ollama", "--pricing", "dear"})
	commands = append(commands,
		[]string{"host", "add", "dark", "--base-url", "http://127.0.0.1:9/v1", "--shape", "openai,openai_responses,anthropic,gemini", "--auth", "bearer"},
		[]string{"model", "add", "dark-mini", "--host", "dark"})
	for _, command := range commands {
		if _, err := r.Run(command...); err != nil {
			return err
		}
	}
	return nil
}
