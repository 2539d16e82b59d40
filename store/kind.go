package store

// Kind names a kind of record, in the singular form that references use.
type Kind string

// The kinds of records.
const (
	KindProvider       Kind = "provider"
	KindHost           Kind = "host"
	KindModel          Kind = "model"
	KindHostBinding    Kind = "host-binding"
	KindPricing        Kind = "pricing"
	KindHostAccount    Kind = "host-account"
	KindHostKey        Kind = "host-key"
	KindRateLimit      Kind = "rate-limit"
	KindPolicy         Kind = "policy"
	KindPolicyBinding  Kind = "policy-binding"
	KindOrganization   Kind = "organization"
	KindTeam           Kind = "team"
	KindProject        Kind = "project"
	KindServiceAccount Kind = "service-account"
	KindRelayKey       Kind = "relay-key"
	KindUser           Kind = "user"
	KindGroup          Kind = "group"
	KindRole           Kind = "role"
	KindRoleBinding    Kind = "role-binding"
	KindAdminToken     Kind = "admin-token"
	KindSetting        Kind = "setting"
)

// Plural returns the kind as API paths write it: "rate-limits".
func (k Kind) Plural() string {
	switch k {
	case KindPolicy:
		return "policies"
	}
	return string(k) + "s"
}

// ManifestKind returns the kind as manifests write it: "RateLimit".
func (k Kind) ManifestKind() string {
	out := make([]byte, 0, len(k))
	upper := true
	for i := range len(k) {
		c := k[i]
		if c == '-' {
			upper = true
			continue
		}
		if upper {
			c -= 'a' - 'A'
			upper = false
		}
		out = append(out, c)
	}
	return string(out)
}
