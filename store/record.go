package store

import "time"

// Metadata is the envelope that every record carries.
type Metadata struct {
	ID          string            `json:"id,omitempty" readOnly:"true" doc:"UUIDv7, made by the server."`
	Name        string            `json:"name,omitempty" doc:"DNS-1123 label of at most 63 characters, unique per kind; made from displayName when absent. Model names may also hold . _ : / and be 200 long."`
	DisplayName string            `json:"displayName,omitempty"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Owner       *Ref              `json:"owner,omitempty" doc:"Who the record belongs to: {kind: system} for shipped rows, {kind: host, id} for tier policies."`
	Origin      *Origin           `json:"origin,omitempty" readOnly:"true"`
	CreatedAt   time.Time         `json:"createdAt,omitzero" readOnly:"true"`
	UpdatedAt   time.Time         `json:"updatedAt,omitzero" readOnly:"true"`

	// Generation is the catalog generation of the record's last change, which
	// is its ETag. It is stored beside the JSON.
	Generation uint64 `json:"-"`
}

// Origin tells which source wrote a record and what it wrote.
type Origin struct {
	Kind   string `json:"kind" enum:"catalog,file,discovery,environment"`
	Source string `json:"source,omitempty"`
	Hash   string `json:"hash,omitempty"` // of the spec as the source last wrote it
}

// Ref points at a record of a kind that the reference itself names.
type Ref struct {
	Kind Kind   `json:"kind"`
	ID   string `json:"id,omitempty"`
}

// Record is one row of the catalog: the envelope and what the kind specifies.
// Records reached through a Catalog are shared and must not be changed.
type Record[S any] struct {
	Metadata Metadata `json:"metadata"`
	Spec     S        `json:"spec"`
}

// AnyRecord is a record of a kind known at run time only: a *Record[S].
type AnyRecord interface {
	Kind() Kind
	Meta() *Metadata
	SpecValue() any // pointer to the spec
}

// Meta returns the record's envelope.
func (r *Record[S]) Meta() *Metadata { return &r.Metadata }

// SpecValue returns a pointer to the record's spec.
func (r *Record[S]) SpecValue() any { return &r.Spec }

// Kind returns the record's kind.
func (r *Record[S]) Kind() Kind { return kindOfSpec(any(&r.Spec)) }

// Enabled reads an optional switch: absent means on.
func Enabled(b *bool) bool { return b == nil || *b }

// The records by name.
type (
	Provider       = Record[ProviderSpec]
	Host           = Record[HostSpec]
	Model          = Record[ModelSpec]
	HostBinding    = Record[HostBindingSpec]
	Pricing        = Record[PricingSpec]
	HostAccount    = Record[HostAccountSpec]
	HostKey        = Record[HostKeySpec]
	RateLimit      = Record[RateLimitSpec]
	Policy         = Record[PolicySpec]
	PolicyBinding  = Record[PolicyBindingSpec]
	Organization   = Record[OrganizationSpec]
	Team           = Record[TeamSpec]
	Project        = Record[ProjectSpec]
	ServiceAccount = Record[ServiceAccountSpec]
	RelayKey       = Record[RelayKeySpec]
	User           = Record[UserSpec]
	Group          = Record[GroupSpec]
	Role           = Record[RoleSpec]
	RoleBinding    = Record[RoleBindingSpec]
	AdminToken     = Record[AdminTokenSpec]
	Setting        = Record[SettingSpec]
)
