package store

// Words are texts that are common enough to be one byte on disk: the place in
// the list of their field. Lists only ever grow at the end.
var (
	sourceWords   = []string{"pipeline", "proxy"}
	endpointWords = []string{
		"chat", "responses", "messages", "gemini", "generate", "ollama", "completions", "embeddings", "rerank",
		"moderations", "images", "speech", "transcriptions", "translations",
	}
	shapeWords  = []string{"openai", "openai_responses", "anthropic", "gemini", "ollama"}
	kindWords   = []string{"relay-key", "service-account", "user", "admin-token", "inference-token"}
	finishWords = []string{
		"stop", "length", "tool_calls", "content_filter", "end_turn", "max_tokens", "tool_use", "stop_sequence",
	}
	meterWords = []string{
		"requests", "concurrency", "tokens", "tokens.input", "tokens.output", "tokens.cache_read",
		"tokens.cache_creation", "tokens.cache_creation_1h", "tokens.reasoning", "tokens.server_tool_use_input",
		"tokens.server_tool_use_output", "tokens.audio_input", "tokens.audio_output", "images", "seconds", "cost",
	}
	errorWords = []string{
		"rate_limit_exceeded", "client_closed", "truncated", "upstream_error", "upstream_unavailable",
		"upstream_unreachable", "upstream_timeout", "upstream_auth", "upstream_invalid_response", "upstream_redirect",
		"concurrency_limit_exceeded", "budget_exceeded", "org_rate_limit_exceeded", "model_not_found",
		"model_not_allowed", "no_policy", "policy_disabled", "no_keys", "no_host_binding", "overloaded",
		"request_too_large", "parse_error", "missing_model", "unsupported_param", "internal_error",
	}
)

// words returns the list of a field, nil for fields of free text.
func (f eventField) words() []string {
	switch f {
	case fieldSource:
		return sourceWords
	case fieldEndpoint:
		return endpointWords
	case fieldShapeIn, fieldShapeOut:
		return shapeWords
	case fieldPrincipalKind, fieldCredentialKind:
		return kindWords
	case fieldFinishReason:
		return finishWords
	case fieldRefusedMeter, fieldPart:
		return meterWords
	case fieldErrorKind, fieldAttemptErrorKind:
		return errorWords
	}
	return nil
}
