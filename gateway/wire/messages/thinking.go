package messages

import (
	"math"
	"strconv"

	"relay/gateway/wire/hub"
)

// Bounds of what a request asks for, in tokens.
const (
	defaultMax   = 4096 // max_tokens, where neither caller nor model says one
	leastBudget  = 1024 // of thinking
	mediumBudget = 4096
	highBudget   = 16384
	xhighBudget  = 32768
)

// thinking is how a request asks the model to think; the zero value: not at all.
type thinking struct {
	adaptive bool
	budget   int64  // tokens, unless adaptive
	effort   string // beside adaptive; may be empty
	told     bool   // ask for the text of thoughts, which some models keep back
}

func (t thinking) on() bool { return t.adaptive || t.budget > 0 }

// thinkingOf decides how the model is asked to think.
func thinkingOf(r *hub.Request, to hub.Target, c *conversation) thinking {
	if !thinks(r.Reasoning) || mustCall(r) || c.begun {
		return thinking{}
	}
	version := versionOf(to.Model)
	if version >= adaptiveOnly || r.Reasoning.Budget < 0 && (version == 0 || version >= adaptiveFrom) {
		told := version >= adaptiveOnly && r.Reasoning.Summary != "" && r.Reasoning.Summary != "none"
		return thinking{adaptive: true, effort: effortOf(r.Reasoning), told: told}
	}
	if c.lacksThought() {
		return thinking{}
	}
	return thinking{budget: budgetOf(r.Reasoning, maxTokens(r, to))}
}

// thinks reports whether the caller wants the model to think.
func thinks(r hub.Reasoning) bool { return !r.Off() && (r.Effort != "" || r.Budget != 0) }

// mustCall reports whether the model has to call a tool, which rules thinking out.
func mustCall(r *hub.Request) bool {
	_, answers := answerTool(r)
	forced := r.Choice.Mode == hub.ChoiceRequired || r.Choice.Mode == hub.ChoiceNamed
	return answers || forced && len(r.Tools) > 0
}

// effortOf is the effort of adaptive thinking; empty: as the model likes.
func effortOf(r hub.Reasoning) string {
	switch {
	case r.Effort == "minimal":
		return "low"
	case r.Effort != "" || r.Budget <= 0:
		return r.Effort
	case r.Budget <= leastBudget:
		return "low"
	case r.Budget <= mediumBudget:
		return "medium"
	}
	return "high"
}

// budgetOf is the caller's budget or that of the effort, at least leastBudget and
// below the most tokens that the answer may have; 0 where that leaves no room. An
// effort that asks for more than there is gets half.
func budgetOf(r hub.Reasoning, most int64) int64 {
	if most <= leastBudget {
		return 0
	}
	if r.Budget > 0 {
		return min(max(r.Budget, leastBudget), most-1)
	}
	budget := effortBudget(r.Effort)
	if budget >= most {
		budget = max(most/2, leastBudget)
	}
	return budget
}

func effortBudget(effort string) int64 {
	switch effort {
	case "minimal", "low":
		return leastBudget
	case "high":
		return highBudget
	case "xhigh", "max":
		return xhighBudget
	}
	return mediumBudget
}

// maxTokens is the most tokens that the answer may have, thoughts included.
func maxTokens(r *hub.Request, to hub.Target) int64 {
	said := r.Param(hub.MaxTokens)
	switch {
	case said != nil:
		most, _ := strconv.ParseFloat(string(said), 64)
		return int64(min(max(most, 0), math.MaxInt32))
	case to.MaxOutput > 0:
		return to.MaxOutput
	}
	return defaultMax
}
