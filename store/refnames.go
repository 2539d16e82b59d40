package store

import "strings"

// NamesOf returns the names of the records that rec's ids refer to, by the JSON
// path of the read-only member that carries them: spec.rateLimitName for
// spec.rateLimitId, spec.pools[0].hostKeyNames for hostKeyIds, spec.modelNames
// for models, spec.accountName for account, and the member name beside an id of
// {kind, id}. Lists of references give lists of names. Ids of records that do
// not exist stand for themselves.
func NamesOf(c *Catalog, rec AnyRecord) map[string]any {
	names := map[string]any{}
	eachRef(rec, func(s refSite) {
		list, isElement := strings.CutSuffix(s.path, "]")
		if !isElement {
			names[nameMember(s.path)] = s.named(c)
			return
		}
		list = list[:strings.LastIndexByte(list, '[')]
		member := listMember(list)
		all, _ := names[member].([]string)
		names[member] = append(all, s.named(c))
	})
	return names
}

// nameMember returns the path of the member with the name for that with the id.
func nameMember(path string) string {
	if owner, found := strings.CutSuffix(path, ".id"); found {
		return owner + ".name"
	}
	return strings.TrimSuffix(path, "Id") + "Name"
}

func listMember(path string) string {
	if ids, found := strings.CutSuffix(path, "Ids"); found {
		return ids + "Names"
	}
	return strings.TrimSuffix(path, "s") + "Names"
}
