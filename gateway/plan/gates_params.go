package plan

import "strings"

// sameParams are the parameters that shapes spell differently, a row each, with every
// path at which a body may hold one. A name that a policy blocks blocks the rows that
// it stands in, see spells.
func sameParams() [][]string {
	const google, thinks = "generationConfig.", "generationConfig.thinkingConfig."
	return [][]string{
		{"temperature", google + "temperature", "options.temperature", "sampling.temperature"},
		{"top_p", google + "topP", "options.top_p", "sampling.top_p"},
		{"top_k", google + "topK", "options.top_k", "sampling.top_k"},
		{"min_p", "options.min_p"},
		{"max_tokens", "max_completion_tokens", "max_output_tokens", google + "maxOutputTokens", "options.num_predict", "sampling.max_tokens"},
		{"stop", "stop_sequences", google + "stopSequences", "options.stop", "sampling.stop"},
		{"seed", google + "seed", "options.seed", "sampling.seed"},
		{"frequency_penalty", google + "frequencyPenalty", "options.frequency_penalty", "sampling.frequency_penalty"},
		{"presence_penalty", google + "presencePenalty", "options.presence_penalty", "sampling.presence_penalty"},
		{"repeat_penalty", "repetition_penalty", "options.repeat_penalty"},
		{"n", google + "candidateCount"},
		{"logprobs", google + "responseLogprobs"},
		{"top_logprobs", google + "logprobs"},
		{"modalities", "audio", google + "responseModalities", google + "speechConfig"},
		{"user", "metadata.user_id"},
		{"verbosity", "text.verbosity", "output.verbosity"},
		{"truncation", "truncate"},
		{"mediaResolution", google + "mediaResolution"},
		{"num_ctx", "options.num_ctx"},
		{"dimensions", "outputDimensionality", "embedContentConfig.outputDimensionality"},
		{"task_type", "embedContentConfig.taskType"},
		{"tools", "functions", "tools.definitions"},
		{"tool_choice", "function_call", "toolConfig", "tools.choice"},
		{"parallel_tool_calls", "tool_choice.disable_parallel_tool_use", "tools.parallel"},
		{
			"response_format", "format", "text.format", "output.format", "output_format", "output_config.format",
			google + "responseMimeType", google + "responseSchema", google + "responseJsonSchema", google + "responseFormat",
		},
		{
			"reasoning", "reasoning_effort", "reasoning.effort", "reasoning.max_tokens", "reasoning.budget_tokens", "reasoning.enabled",
			"thinking", "thinking.budget_tokens", "think", "enable_thinking", "thinking_budget", "output_config.effort",
			"generationConfig.thinkingConfig", thinks + "thinkingBudget", thinks + "thinkingLevel",
			"chat_template_kwargs.enable_thinking", "chat_template_kwargs.thinking",
		},
		{"reasoning.summary", "reasoning.generate_summary", "thinking.display", "include_reasoning", "reasoning.exclude", thinks + "includeThoughts"},
		{"cache_control", "cache"},
	}
}

// containers are the objects of bodies that hold parameters.
func containers() []string {
	return []string{
		"generationConfig", "generationConfig.thinkingConfig", "options", "sampling", "text", "output", "output_config", "reasoning", "thinking",
		"response_format", "stream_options", "toolConfig", "toolConfig.functionCallingConfig", "chat_template_kwargs", "embedContentConfig",
	}
}

// pathsOf returns every path at which a body may hold a parameter of the name, folded:
// the name as it is, within a container where it is no path, and the spellings of the
// same parameter in other shapes. What extensions hold for one shape are members of
// its bodies.
func pathsOf(name string) []string {
	if parts := strings.SplitN(name, ".", 3); len(parts) == 3 && parts[0] == "extensions" {
		name = parts[2]
	}
	paths := []string{folded(name)}
	if !strings.Contains(name, ".") {
		for _, container := range containers() {
			paths = append(paths, folded(container+"."+name))
		}
	}
	for _, row := range sameParams() {
		if spells(row, folded(name)) {
			paths = append(paths, spellings(row)...)
		}
	}
	return paths
}

// spells reports whether one of the row is called so: all of a path, or the last name
// of one within an object that holds nothing but parameters.
func spells(row []string, name string) bool {
	for _, path := range row {
		if folded(path) == name || plainlyWithin(path) && lastOf(folded(path)) == name {
			return true
		}
	}
	return false
}

func plainlyWithin(path string) bool {
	return strings.HasPrefix(path, "generationConfig.") || strings.HasPrefix(path, "options.") || strings.HasPrefix(path, "sampling.")
}

// spellings are the paths of a row. Options of a local runner stand by themselves in
// the header that holds them.
func spellings(row []string) []string {
	var paths []string
	for _, path := range row {
		paths = append(paths, folded(path))
		if option, found := strings.CutPrefix(path, "options."); found {
			paths = append(paths, folded(option))
		}
	}
	return paths
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// folded writes a name or path as keys have it. Bodies are read without regard to case
// and underscores, since some servers read them so, and Google's take both
// maxOutputTokens and max_output_tokens.
func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// addPath puts an index under a folded path, and -1 under all that lead there. What is
// there already stays.
func addPath(paths map[string]int, path string, index int) {
	for i := range len(path) {
		if path[i] == '.' {
			if _, there := paths[path[:i]]; !there {
				paths[path[:i]] = -1
			}
		}
	}
	if former, there := paths[path]; !there || former == -1 {
		paths[path] = index
	}
}
