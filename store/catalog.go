package store

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// Catalog holds every record of one instant. It is immutable: a change makes
// another Catalog that shares the tables it does not touch.
type Catalog struct {
	Generation uint64

	Providers       Table[ProviderSpec]
	Hosts           Table[HostSpec]
	Models          Table[ModelSpec]
	HostBindings    Table[HostBindingSpec]
	Pricings        Table[PricingSpec]
	HostAccounts    Table[HostAccountSpec]
	HostKeys        Table[HostKeySpec]
	RateLimits      Table[RateLimitSpec]
	Policies        Table[PolicySpec]
	PolicyBindings  Table[PolicyBindingSpec]
	Organizations   Table[OrganizationSpec]
	Teams           Table[TeamSpec]
	Projects        Table[ProjectSpec]
	ServiceAccounts Table[ServiceAccountSpec]
	RelayKeys       Table[RelayKeySpec]
	Users           Table[UserSpec]
	Groups          Table[GroupSpec]
	Roles           Table[RoleSpec]
	RoleBindings    Table[RoleBindingSpec]
	AdminTokens     Table[AdminTokenSpec]
	Settings        Table[SettingSpec]

	tombstones map[string]Tombstone // by key
}

// Table holds the records of one kind by id and by name. Names compare without
// case. The zero Table is empty.
type Table[S any] struct {
	byID   map[string]*Record[S]
	byName map[string]*Record[S]
}

// Len returns the number of records.
func (t *Table[S]) Len() int { return len(t.byID) }

// Get returns the record with the id, or nil.
func (t *Table[S]) Get(id string) *Record[S] { return t.byID[id] }

// ByName returns the record with the name, or nil.
func (t *Table[S]) ByName(name string) *Record[S] { return t.byName[strings.ToLower(name)] }

// All yields the records in the order of their names.
func (t *Table[S]) All() iter.Seq[*Record[S]] {
	return func(yield func(*Record[S]) bool) {
		for _, name := range slices.Sorted(maps.Keys(t.byName)) {
			if !yield(t.byName[name]) {
				return
			}
		}
	}
}

// Records is a table whose kind is known at run time only.
type Records interface {
	Kind() Kind
	Len() int
	Find(id string) AnyRecord         // nil when there is none
	FindByName(name string) AnyRecord // nil when there is none
	Each() iter.Seq[AnyRecord]        // in the order of their names
	New() AnyRecord                   // an empty record of the kind

	fork()            // gives the table maps of its own; needed once before put and remove
	put(AnyRecord)    // in place
	remove(id string) // in place
}

// NewCatalog makes a catalog of records that have ids and names. It takes them
// as they are and checks nothing; a later record replaces one of the same id.
func NewCatalog(records ...AnyRecord) *Catalog {
	c := &Catalog{}
	for _, kind := range Kinds() {
		c.Of(kind).fork()
	}
	for _, rec := range records {
		c.Of(rec.Kind()).put(rec)
	}
	return c
}

// Kinds lists every kind in the order in which manifests are written and
// applied: what is referred to comes before what refers to it, as far as
// there is such an order.
func Kinds() []Kind {
	return []Kind{
		KindProvider, KindModel, KindHost, KindPricing, KindHostBinding, KindHostAccount, KindHostKey,
		KindRateLimit, KindPolicy, KindOrganization, KindTeam, KindProject, KindServiceAccount,
		KindUser, KindGroup, KindRole, KindRoleBinding, KindAdminToken, KindPolicyBinding, KindRelayKey, KindSetting,
	}
}

// Of returns the table of a kind, or nil for a kind that does not exist.
func (c *Catalog) Of(kind Kind) Records {
	switch kind {
	case KindProvider:
		return records[ProviderSpec]{kind, &c.Providers}
	case KindHost:
		return records[HostSpec]{kind, &c.Hosts}
	case KindModel:
		return records[ModelSpec]{kind, &c.Models}
	case KindHostBinding:
		return records[HostBindingSpec]{kind, &c.HostBindings}
	case KindPricing:
		return records[PricingSpec]{kind, &c.Pricings}
	case KindHostAccount:
		return records[HostAccountSpec]{kind, &c.HostAccounts}
	case KindHostKey:
		return records[HostKeySpec]{kind, &c.HostKeys}
	case KindRateLimit:
		return records[RateLimitSpec]{kind, &c.RateLimits}
	case KindPolicy:
		return records[PolicySpec]{kind, &c.Policies}
	case KindPolicyBinding:
		return records[PolicyBindingSpec]{kind, &c.PolicyBindings}
	case KindOrganization:
		return records[OrganizationSpec]{kind, &c.Organizations}
	case KindTeam:
		return records[TeamSpec]{kind, &c.Teams}
	case KindProject:
		return records[ProjectSpec]{kind, &c.Projects}
	case KindServiceAccount:
		return records[ServiceAccountSpec]{kind, &c.ServiceAccounts}
	case KindRelayKey:
		return records[RelayKeySpec]{kind, &c.RelayKeys}
	case KindUser:
		return records[UserSpec]{kind, &c.Users}
	case KindGroup:
		return records[GroupSpec]{kind, &c.Groups}
	case KindRole:
		return records[RoleSpec]{kind, &c.Roles}
	case KindRoleBinding:
		return records[RoleBindingSpec]{kind, &c.RoleBindings}
	case KindAdminToken:
		return records[AdminTokenSpec]{kind, &c.AdminTokens}
	case KindSetting:
		return records[SettingSpec]{kind, &c.Settings}
	}
	return nil
}

func kindOfSpec(spec any) Kind {
	switch spec.(type) {
	case *ProviderSpec:
		return KindProvider
	case *HostSpec:
		return KindHost
	case *ModelSpec:
		return KindModel
	case *HostBindingSpec:
		return KindHostBinding
	case *PricingSpec:
		return KindPricing
	case *HostAccountSpec:
		return KindHostAccount
	case *HostKeySpec:
		return KindHostKey
	case *RateLimitSpec:
		return KindRateLimit
	case *PolicySpec:
		return KindPolicy
	case *PolicyBindingSpec:
		return KindPolicyBinding
	case *OrganizationSpec:
		return KindOrganization
	case *TeamSpec:
		return KindTeam
	case *ProjectSpec:
		return KindProject
	case *ServiceAccountSpec:
		return KindServiceAccount
	case *RelayKeySpec:
		return KindRelayKey
	case *UserSpec:
		return KindUser
	case *GroupSpec:
		return KindGroup
	case *RoleSpec:
		return KindRole
	case *RoleBindingSpec:
		return KindRoleBinding
	case *AdminTokenSpec:
		return KindAdminToken
	case *SettingSpec:
		return KindSetting
	}
	return ""
}

// records adapts a Table to Records.
type records[S any] struct {
	kind  Kind
	table *Table[S]
}

func (r records[S]) Kind() Kind     { return r.kind }
func (r records[S]) Len() int       { return r.table.Len() }
func (r records[S]) New() AnyRecord { return &Record[S]{} }

func (r records[S]) Find(id string) AnyRecord {
	if found := r.table.Get(id); found != nil {
		return found
	}
	return nil
}

func (r records[S]) FindByName(name string) AnyRecord {
	if found := r.table.ByName(name); found != nil {
		return found
	}
	return nil
}

func (r records[S]) Each() iter.Seq[AnyRecord] {
	return func(yield func(AnyRecord) bool) {
		for rec := range r.table.All() {
			if !yield(rec) {
				return
			}
		}
	}
}

// fork parts the table from the catalogs that share its maps.
func (r records[S]) fork() {
	if r.table.byID == nil {
		r.table.byID, r.table.byName = map[string]*Record[S]{}, map[string]*Record[S]{}
		return
	}
	r.table.byID, r.table.byName = maps.Clone(r.table.byID), maps.Clone(r.table.byName)
}

func (r records[S]) put(rec AnyRecord) {
	typed := rec.(*Record[S])
	r.remove(typed.Metadata.ID)
	r.table.byID[typed.Metadata.ID] = typed
	r.table.byName[strings.ToLower(typed.Metadata.Name)] = typed
}

func (r records[S]) remove(id string) {
	former := r.table.byID[id]
	if former == nil {
		return
	}
	delete(r.table.byID, id)
	if name := strings.ToLower(former.Metadata.Name); r.table.byName[name] == former {
		delete(r.table.byName, name)
	}
}
