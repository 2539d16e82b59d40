package store

import "time"

// AdminTokenPrefix begins the plaintext of every admin token that Relay makes.
const AdminTokenPrefix = "wr-admin-"

// AdminTokenSpec opens the control API with the rights of its roles. Only the
// SHA-256 of its plaintext is kept.
type AdminTokenSpec struct {
	Enabled   *bool      `json:"enabled,omitempty"`
	RoleIDs   []string   `json:"roleIds" ref:"role"`
	Scope     *Ref       `json:"scope,omitempty" doc:"An organization, team or project that the roles hold for; absent: {kind: system}."`
	TokenHash string     `json:"tokenHash,omitempty" doc:"SHA-256 of the plaintext in hex."`
	Prefix    string     `json:"prefix,omitempty" readOnly:"true" doc:"The first 14 characters of the plaintext."`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	RevokedAt *time.Time `json:"revokedAt,omitempty" readOnly:"true"`
}

// Usable reports whether the token opens anything at the time.
func (s *AdminTokenSpec) Usable(now time.Time) bool {
	expired := s.ExpiresAt != nil && !now.Before(*s.ExpiresAt)
	return Enabled(s.Enabled) && s.RevokedAt == nil && !expired
}
