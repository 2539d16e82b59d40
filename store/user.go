package store

import "strings"

// UserSpec is a person who signs in; the name of the record is the username.
type UserSpec struct {
	Email        string    `json:"email,omitempty"`
	Disabled     bool      `json:"disabled,omitempty" doc:"Signs the user out and lets nobody in under the name."`
	Password     Secret    `json:"password,omitzero" writeOnly:"true" doc:"8 to 1024 bytes; kept as an argon2id hash that nothing shows."`
	HasPassword  bool      `json:"hasPassword,omitempty" readOnly:"true"`
	TokenVersion int64     `json:"tokenVersion,omitempty" readOnly:"true" doc:"Inference tokens of an earlier version are revoked; every change of the password adds one."`
	Identity     *Identity `json:"identity,omitempty" readOnly:"true" doc:"Who the user is at the identity provider; absent for users that were made here."`
	Groups       []string  `json:"groups,omitempty" readOnly:"true" doc:"Groups that the identity provider named at the last sign-in."`
}

// Identity is a user of an identity provider. Issuer and subject together are
// unique.
type Identity struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
	Email   string `json:"email,omitempty" doc:"As the provider had verified it at the last sign-in."`
}

// GroupSpec is a set of users. A group of the name that an identity provider
// claims for a user holds that user as well.
type GroupSpec struct {
	Members []string `json:"members,omitempty" ref:"user"`
}

// Virtual groups hold who they say without a list of members. The third is
// followed by the name of a project, at rest by its id.
const (
	GroupAuthenticated    = "system:authenticated"
	GroupServiceAccounts  = "system:serviceaccounts"
	groupOfProjectsPrefix = "system:serviceaccounts:"
	virtualPrefix         = "system:"
)

// ProjectOfGroup returns the id of the project whose service accounts the
// subject holds as a virtual group, or "".
func ProjectOfGroup(subject Ref) string {
	project, found := strings.CutPrefix(subject.ID, groupOfProjectsPrefix)
	if subject.Kind != KindGroup || !found {
		return ""
	}
	return project
}
