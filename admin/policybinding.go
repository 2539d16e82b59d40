package admin

import (
	"net/http"

	"relay/store"
)

// codeAccountBound tells that an account has a policy already.
const codeAccountBound store.Code = "account_bound"

// checkUnbound refuses a second binding of an account, and names the first. What
// does not resolve is left to the write.
func checkUnbound(c *store.Catalog, binding *store.PolicyBinding) error {
	store.ResolveRefs(c, binding)
	for other := range c.PolicyBindings.All() {
		if other.Spec.Account == binding.Spec.Account && other.Metadata.ID != binding.Metadata.ID {
			return bound(c, other)
		}
	}
	return nil
}

func bound(c *store.Catalog, present *store.PolicyBinding) *Problem {
	account, _ := store.NamesOf(c, present)["spec.accountName"].(string)
	p := problem(http.StatusConflict, "%s is bound to policy %s by policy-binding %s: change that binding, or delete it first",
		account, nameOf(c, store.KindPolicy, present.Spec.PolicyID), present.Metadata.Name)
	p.Code = codeAccountBound
	return p
}
