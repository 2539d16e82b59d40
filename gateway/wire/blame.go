package wire

import "strings"

// The words, in lower case, by which errors speak of a key, its account, its
// permissions and its billing.

// isBillingCode looks for codes and types.
func isBillingCode(code string) bool {
	return holdsAny(code,
		"insufficient_quota", "exceeded_current_quota", "insufficient_balance", "insufficient_credit", "insufficient_funds",
		"billing", "payment_required", "credit_balance", "credit_limit", "spend_limit", "spending_limit", "arrear")
}

// namesBilling looks into texts.
func namesBilling(text string) bool {
	return holdsAny(text,
		"billing details", "credit balance", "insufficient balance", "insufficient credit", "insufficient funds",
		"out of credits", "any credits", "available credits", "credit limit", "spend limit", "spending limit",
		"key limit exceeded", "volume quota", "in arrears", "check your plan")
}

// tellsOfNoMoney looks at how a text begins: the one with which Anthropic refuses
// an account, under a type that says it was the request.
func tellsOfNoMoney(text string) bool {
	return strings.HasPrefix(text, "your credit balance is too low")
}

// namesEnd looks for what says that a key or its account is of no use for any
// model.
func namesEnd(said string) bool {
	return holdsAny(said,
		"invalid_api_key", "incorrect_api_key", "invalid api key", "incorrect api key", "api key not valid", "api key expired",
		"reported as leaked", "key has been revoked", "key has been disabled", "key is disabled",
		"account_deactivated", "account_suspended", "account has been", "account is", "account was",
		"access_terminated", "organization_restricted", "missing scope", "missing_scope", "insufficient_scope")
}

// namesAccount looks for what speaks of a key or account, or of what it may do.
func namesAccount(said string) bool {
	return holdsAny(said,
		"api key", "api_key", "apikey", "api-key", "access token", "credential", "subscription",
		"account", "organization", "permission", "suspended")
}

// namesKey looks at the reason of a google.rpc.ErrorInfo
// (https://cloud.google.com/apis/design/errors#error_info).
func namesKey(cause string) bool {
	return holdsAny(strings.ToLower(cause),
		"api_key_", "billing_disabled", "consumer_", "service_disabled", "account_state_invalid", "access_token_", "credentials_missing")
}

func holdsAny(text string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
