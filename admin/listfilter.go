package admin

import (
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

// ListFilters select rows by what they refer to or lie in. A kind takes those
// that filtersOf lists; records are given by name or id.
type ListFilters struct {
	Provider       string `query:"provider" doc:"Rows that refer to this provider."`
	Model          string `query:"model" doc:"Rows that refer to this model."`
	Host           string `query:"host" doc:"Rows that refer to this host."`
	HostAccount    string `query:"host_account" doc:"Rows that refer to this host account."`
	HostKey        string `query:"host_key" doc:"Rows that refer to this host key."`
	Pricing        string `query:"pricing" doc:"Rows that refer to this pricing."`
	RateLimit      string `query:"rate_limit" doc:"Rows that refer to this rate limit."`
	Policy         string `query:"policy" doc:"Rows that refer to this policy."`
	ServiceAccount string `query:"service_account" doc:"Rows that refer to this service account."`
	User           string `query:"user" doc:"Rows that refer to this user."`
	Group          string `query:"group" doc:"Rows that refer to this group."`
	Role           string `query:"role" doc:"Rows that refer to this role."`
	Organization   string `query:"organization" doc:"Rows in this organization."`
	Team           string `query:"team" doc:"Rows in this team."`
	Project        string `query:"project" doc:"Rows in this project."`
	Enabled        string `query:"enabled" enum:"true,false" doc:"Rows that are switched on, or off."`
}

// filtersOf lists the filters of a kind besides enabled.
func filtersOf(kind store.Kind) []store.Kind {
	within := []store.Kind{store.KindOrganization, store.KindTeam, store.KindProject}
	switch kind {
	case store.KindModel:
		return []store.Kind{store.KindProvider, store.KindModel}
	case store.KindHost:
		return []store.Kind{store.KindPolicy}
	case store.KindHostBinding:
		return []store.Kind{store.KindModel, store.KindHost, store.KindPricing}
	case store.KindHostAccount:
		return []store.Kind{store.KindHost}
	case store.KindHostKey:
		return []store.Kind{store.KindHost, store.KindHostAccount, store.KindPolicy}
	case store.KindRateLimit:
		return within
	case store.KindPolicy:
		return append(within, store.KindModel, store.KindHost, store.KindHostKey, store.KindRateLimit)
	case store.KindPolicyBinding:
		return append(within, store.KindPolicy, store.KindServiceAccount, store.KindUser, store.KindHost, store.KindHostAccount)
	case store.KindTeam:
		return within[:1]
	case store.KindProject:
		return within[:2]
	case store.KindServiceAccount:
		return within
	case store.KindRelayKey:
		return append(within, store.KindServiceAccount, store.KindUser, store.KindModel)
	case store.KindGroup:
		return []store.Kind{store.KindUser}
	case store.KindRoleBinding:
		return append(within, store.KindRole, store.KindUser, store.KindGroup, store.KindServiceAccount)
	case store.KindAdminToken:
		return append(within, store.KindRole)
	}
	return nil
}

func filterName(kind store.Kind) string { return strings.ReplaceAll(string(kind), "-", "_") }

// takes reports whether the lists of a kind have the filter.
func takes(kind store.Kind, filter string) bool {
	if filter == "enabled" {
		return hasSwitch(kind)
	}
	return slices.ContainsFunc(filtersOf(kind), func(k store.Kind) bool { return filterName(k) == filter })
}

// hasSwitch reports whether rows of the kind can be switched off.
func hasSwitch(kind store.Kind) bool {
	spec := reflect.TypeOf(new(store.Catalog).Of(kind).New().SpecValue()).Elem()
	field, found := spec.FieldByName("Enabled")
	return kind == store.KindUser || found && field.Type == reflect.TypeFor[*bool]()
}

// given returns the filters that a request has, by name.
func (f *ListFilters) given() map[string]string {
	all, v := map[string]string{}, reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		if text := v.Field(i).String(); text != "" {
			all[v.Type().Field(i).Tag.Get("query")] = text
		}
	}
	return all
}

// selection tells which rows the filters select. It fails for a filter that the
// kind does not take.
func (f *ListFilters) selection(c *store.Catalog, kind store.Kind) (func(store.AnyRecord) bool, error) {
	var tests []func(store.AnyRecord) bool
	for name, ref := range f.given() {
		if !takes(kind, name) {
			return nil, invalid(store.Problem{Field: "query." + name, Message: "unknown query parameter"})
		}
		if name == "enabled" {
			tests = append(tests, func(rec store.AnyRecord) bool { return isOn(rec) == (ref == "true") })
			continue
		}
		tests = append(tests, refersTo(c, store.Kind(strings.ReplaceAll(name, "_", "-")), ref))
	}
	return func(rec store.AnyRecord) bool {
		return !slices.ContainsFunc(tests, func(test func(store.AnyRecord) bool) bool { return !test(rec) })
	}, nil
}

// refersTo selects rows that lie in an organization, team or project, or refer
// to another record.
func refersTo(c *store.Catalog, kind store.Kind, ref string) func(store.AnyRecord) bool {
	id := idOf(c, kind, ref)
	switch kind {
	case store.KindOrganization, store.KindTeam, store.KindProject:
		scope := store.Ref{Kind: kind, ID: id}
		return func(rec store.AnyRecord) bool {
			return slices.Contains(c.ScopesOf(rec), scope) || scopeOf(rec) == scope
		}
	}
	return func(rec store.AnyRecord) bool {
		return slices.ContainsFunc(store.Targets(rec), func(t store.RefTarget) bool { return t.Kind == kind && t.ID == id })
	}
}

// scopeOf is where the roles of an admin token hold.
func scopeOf(rec store.AnyRecord) store.Ref {
	if token, ok := rec.(*store.AdminToken); ok && token.Spec.Scope != nil {
		return *token.Spec.Scope
	}
	return store.Ref{}
}

func isOn(rec store.AnyRecord) bool {
	if user, ok := rec.(*store.User); ok {
		return !user.Spec.Disabled
	}
	field := reflect.ValueOf(rec.SpecValue()).Elem().FieldByName("Enabled")
	enabled, _ := field.Interface().(*bool)
	return store.Enabled(enabled)
}

// documentFilters leaves out of the document what the lists of the kind do not
// take.
func documentFilters(op *huma.Operation, kind store.Kind) {
	names := reflect.TypeFor[ListFilters]()
	op.Parameters = slices.DeleteFunc(op.Parameters, func(p *huma.Param) bool {
		for i := range names.NumField() {
			if names.Field(i).Tag.Get("query") == p.Name {
				return !takes(kind, p.Name)
			}
		}
		return false
	})
}

// filterValues are the filters of a query in a URL.
func filterValues(values url.Values, filters map[string]string) {
	for name, value := range filters {
		if value != "" {
			values.Set(name, value)
		}
	}
}
