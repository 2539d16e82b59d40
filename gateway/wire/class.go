package wire

import "strings"

// Class is what a failure says about the key and host that it came from.
type Class uint8

const (
	ClassRequest    Class = iota // the request's own fault: another 4xx
	ClassAuth                    // the key or its account is not accepted
	ClassQuota                   // the account has no money or quota left
	ClassRateLimit               // the key must wait
	ClassOverloaded              // the upstream asks for time
	ClassServer                  // the upstream's fault
)

// Class classes the failure by its status, and a 403 or 429 by what it says.
func (f *Failure) Class() Class {
	switch {
	case f.Status == 401, f.Status == 402, f.Status == 403 && f.aboutAccount():
		return ClassAuth
	case f.Status == 429 && f.aboutBilling():
		return ClassQuota
	case f.Status == 429:
		return ClassRateLimit
	case (f.Status == 503 || f.Status == 529) && f.RetryAfter > 0:
		return ClassOverloaded
	case f.Status >= 500:
		return ClassServer
	}
	return ClassRequest
}

// aboutAccount reports whether a 403 speaks of the key, the account, its
// permissions or billing, and not of one model.
func (f *Failure) aboutAccount() bool {
	switch strings.ToLower(f.Code) {
	case "invalid_api_key", "account_deactivated", "account_suspended", "access_terminated", "billing_not_active",
		"api_key_service_blocked", "api_key_invalid", "consumer_suspended":
		return true
	}
	said := strings.ToLower(f.Code + " " + f.Type + " " + f.Message)
	return !strings.Contains(said, "model") && (f.aboutBilling() || holdsAny(said,
		"api key", "api_key", "apikey", "account", "permission", "organization", "credential", "suspended", "access token"))
}

// aboutBilling reports whether the failure is about money, not about pace.
func (f *Failure) aboutBilling() bool {
	return holdsAny(strings.ToLower(f.Code+" "+f.Type),
		"insufficient_quota", "exceeded_current_quota", "insufficient_balance", "insufficient_credit",
		"billing", "payment_required", "credit_balance", "spend_limit") ||
		holdsAny(strings.ToLower(f.Message),
			"billing details", "credit balance", "insufficient balance", "out of credits", "spend limit")
}

func holdsAny(text string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
