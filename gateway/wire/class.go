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

// Class classes the failure by its status, and a 400, 403 or 429 by what it says.
func (f *Failure) Class() Class {
	switch {
	case f.Status == 401, f.Status == 402, f.Status == 403 && f.aboutAccount(), f.Status == 400 && f.refusesKey():
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

// refusesKey reports whether a 400 is about the key and not about the request,
// as Google answers a wrong key and Anthropic an account without money. A text
// that only mentions these may be the caller's own.
func (f *Failure) refusesKey() bool {
	return namesKey(f.cause) || f.Type == TypeInvalidRequest && tellsOfNoMoney(strings.ToLower(f.Message))
}

// aboutAccount reports whether a 403 speaks of the key, the account, its
// permissions or billing. One that speaks of a model refuses the model, save
// where it also tells that the account has ended or has no money. A page of
// HTML is a firewall's, which has looked at the request.
func (f *Failure) aboutAccount() bool {
	said := strings.ToLower(f.Code + " " + f.Type + " " + f.Message)
	switch {
	case strings.HasPrefix(f.Message, "<"):
		return false
	case namesKey(f.cause), namesEnd(said), f.aboutBilling():
		return true
	}
	return namesAccount(said) && !strings.Contains(said, "model")
}

// aboutBilling reports whether the failure is about money, not about pace.
// RESOURCE_EXHAUSTED (google.rpc.Code) is about pace, although its text often
// names billing.
func (f *Failure) aboutBilling() bool {
	return isBillingCode(strings.ToLower(f.Code+" "+f.Type)) ||
		!strings.EqualFold(f.Code, "RESOURCE_EXHAUSTED") && namesBilling(strings.ToLower(f.Message))
}
