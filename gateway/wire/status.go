package wire

import (
	"strconv"
	"strings"
)

// statusIn returns the first status that one of an error's members tells: as a
// number, else by a word. It is 500 where none does.
func statusIn(members ...string) int {
	for _, m := range members {
		if n, err := strconv.ParseFloat(m, 64); err == nil && n >= 400 && n < 600 {
			return int(n)
		}
	}
	for _, m := range members {
		if n := statusOfWord(m); n != 0 {
			return n
		}
	}
	return 500
}

// statusOfWord knows the codes, types and status names that providers use.
func statusOfWord(word string) int {
	switch strings.ToLower(word) {
	case "invalid_request_error", "invalid_request", "invalid_argument", "failed_precondition", "out_of_range",
		"context_length_exceeded", "bad_request_error", "badrequesterror", "invalid_prompt", "content_policy_violation":
		return 400
	case "authentication_error", "invalid_api_key", "incorrect_api_key", "unauthenticated", "invalid_authentication",
		"invalid_authentication_error":
		return 401
	case "billing_error", "payment_required", "insufficient_balance", "insufficient_credits":
		return 402
	case "permission_error", "permission_denied", "account_deactivated", "access_terminated":
		return 403
	case "not_found_error", "model_not_found", "not_found", "notfounderror":
		return 404
	case "conflict_error":
		return 409
	case "request_too_large":
		return 413
	case "unprocessable_entity", "unprocessable_entity_error":
		return 422
	case "rate_limit_error", "rate_limit_exceeded", "rate_limit_reached_error", "insufficient_quota", "resource_exhausted",
		"too_many_requests", "tokens", "requests", "billing_hard_limit_reached", "billing_not_active",
		"exceeded_current_quota_error":
		return 429
	case "bad_gateway":
		return 502
	case "unavailable", "service_unavailable", "service_unavailable_error", "engine_overloaded", "engine_overloaded_error":
		return 503
	case "timeout_error", "deadline_exceeded", "timeout":
		return 504
	case "overloaded_error", "overloaded":
		return 529
	}
	return 0
}
