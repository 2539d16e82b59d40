package store

import (
	"net/netip"
	"regexp"
)

// RelayKeyPrefix begins the plaintext of every relay key that Relay makes.
const RelayKeyPrefix = "sk-wr-"

const maxCIDRs = 256

var hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (f *faults) relayKey(s *RelayKeySpec) {
	f.principal(s)
	f.accountRef("spec.account", s.Account)
	if !hashPattern.MatchString(s.KeyHash) {
		f.add("spec.keyHash", "must be the SHA-256 of the key in 64 lower-case hex digits")
	}
	if s.PreviousHash != "" && !hashPattern.MatchString(s.PreviousHash) {
		f.add("spec.previousHash", "must be the SHA-256 of the former key in 64 lower-case hex digits")
	}
	f.addIf("spec.prefix", checkLine(s.Prefix, maxName))
	f.limits(s.Limits)
	f.budgets(s.Budgets)
	f.modelRefs("spec.models", s.Models)
	f.modelRefs("spec.deny", s.Deny)
	f.known("spec.endpoints", s.Endpoints, Endpoints())
	f.cidrs(s.AllowedCIDRs)
	f.userHeader(s.UserHeader)
}

func (f *faults) principal(s *RelayKeySpec) {
	switch s.Principal.Kind {
	case KindServiceAccount:
		if s.ProjectID != "" {
			f.add("spec.projectId", "goes with a user as principal only: a service account has its own project")
		}
	case KindUser:
		if s.ProjectID == "" {
			f.add("spec.projectId", "must name the project in which the user's key runs")
		}
	default:
		f.add("spec.principal.kind", "must be service-account or user")
		return
	}
	if s.Principal.ID == "" {
		f.add("spec.principal.id", "must name a %s", s.Principal.Kind)
	}
}

func (f *faults) accountRef(field string, ref AccountRef) {
	if ref == "" {
		return
	}
	_, err := ParseAccountRef(ref)
	f.addErr(field, err)
}

func (f *faults) cidrs(cidrs []string) {
	if len(cidrs) > maxCIDRs {
		f.add("spec.allowedCIDRs", "must be at most %d", maxCIDRs)
	}
	for i, text := range cidrs {
		f.cidr(item("spec.allowedCIDRs", i), text)
	}
	f.unique("spec.allowedCIDRs", cidrs)
}

func (f *faults) cidr(field, text string) {
	prefix, err := netip.ParsePrefix(text)
	addr, addrErr := netip.ParseAddr(text)
	switch {
	case addrErr == nil:
		f.add(field, "must be a range: write %s/%d for one address", addr, addr.BitLen())
	case err != nil:
		f.add(field, "must be an address range such as 10.0.0.0/8 or 2001:db8::/32")
	case prefix.Masked() != prefix:
		f.add(field, "has bits beyond its length: write %s", prefix.Masked())
	}
}

func (f *faults) userHeader(name string) {
	switch {
	case name == "":
	case !isToken(name):
		f.add("spec.userHeader", "must be a valid header name, such as X-OpenWebUI-User-Id")
	case isCredentialHeader(name) || isConnectionHeader(name):
		f.add("spec.userHeader", "must not be %s, which means something else", name)
	}
}
