package store

// access checks that what opens the control API belongs to one record: the
// secret of an admin token, and who somebody is at an identity provider.
func (k *check) access() {
	tokens := map[string]*AdminToken{}
	for t := range k.catalog.AdminTokens.byAge() {
		if earlier := tokens[t.Spec.TokenHash]; earlier != nil {
			k.add(t, "spec.tokenHash", "is the secret of admin token %s already: every token needs its own", earlier.Metadata.Name)
			continue
		}
		tokens[t.Spec.TokenHash] = t
	}
	people := map[Identity]*User{}
	for u := range k.catalog.Users.byAge() {
		if u.Spec.Identity == nil {
			continue
		}
		id := Identity{Issuer: u.Spec.Identity.Issuer, Subject: u.Spec.Identity.Subject}
		if earlier := people[id]; earlier != nil {
			k.add(u, "spec.identity", "is that of user %s already", earlier.Metadata.Name)
			continue
		}
		people[id] = u
	}
}
