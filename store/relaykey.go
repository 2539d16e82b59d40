package store

import "time"

// RelayKeySpec is a key handed out to callers. Only the SHA-256 of its
// plaintext is kept. Limits, budgets, models, deny, endpoints and expiry are
// caps of the key itself: a rung below its principal.
type RelayKeySpec struct {
	Enabled        *bool      `json:"enabled,omitempty"`
	Principal      Ref        `json:"principal"`
	ProjectID      string     `json:"projectId,omitempty" ref:"project"`
	Account        AccountRef `json:"account,omitempty" ref:"account"`
	KeyHash        string     `json:"keyHash,omitempty" doc:"SHA-256 of the plaintext in hex."`
	Prefix         string     `json:"prefix,omitempty" readOnly:"true" doc:"The first 14 characters of the plaintext."`
	PreviousHash   string     `json:"previousHash,omitempty" readOnly:"true"`
	PreviousUntil  *time.Time `json:"previousUntil,omitempty" readOnly:"true"`
	ExpiresAt      *time.Time `json:"expiresAt,omitempty"`
	RevokedAt      *time.Time `json:"revokedAt,omitempty" readOnly:"true"`
	Limits         *Limits    `json:"limits,omitempty"`
	Budgets        []Budget   `json:"budgets,omitempty"`
	Models         []ModelRef `json:"models,omitempty" ref:"model-ref"`
	Deny           []ModelRef `json:"deny,omitempty" ref:"model-ref"`
	Endpoints      []string   `json:"endpoints,omitempty"`
	AllowedCIDRs   []string   `json:"allowedCIDRs,omitempty"`
	TrustUser      bool       `json:"trustUser,omitempty"`
	UserHeader     string     `json:"userHeader,omitempty"`
	PayloadLogging *bool      `json:"payloadLogging,omitempty"`
}
