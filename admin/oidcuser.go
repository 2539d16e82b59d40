package admin

import (
	"cmp"
	"slices"
	"strings"

	"relay/store"
)

// welcome finds or makes the user of a person that the identity provider knows,
// and takes over what the provider says of it.
func (s *server) welcome(k *errand, who person) (user *store.User, fault string, err error) {
	present := userOf(s.DB.Catalog(), who)
	switch {
	case present != nil && present.Spec.Disabled:
		return nil, faultDisabled, nil
	case present == nil && !s.provider.Open && !s.provider.named(who.Identity):
		return nil, faultClosed, nil
	}
	by := store.SystemActor()
	if present != nil {
		by = s.callerFor(present).actor
	}
	var id string
	c, err := s.DB.Write(func(e *store.Edit) error {
		e.Audit(by, k.address, signInAction)
		id, err = s.provider.put(e, who)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return c.Users.Get(id), "", nil
}

// userOf returns the user of a person: by its identity, else one that nobody
// has signed in as there yet, by the verified address.
func userOf(c *store.Catalog, who person) *store.User {
	var byAddress *store.User
	for user := range c.Users.All() {
		id := user.Spec.Identity
		if id != nil && id.Issuer == who.Issuer && id.Subject == who.Subject {
			return user
		}
		if id == nil && who.Email != "" && strings.EqualFold(user.Spec.Email, who.Email) {
			byAddress = user
		}
	}
	return byAddress
}

// named reports whether somebody is among those who may do everything.
func (p *OIDC) named(id store.Identity) bool {
	return id.Issuer == p.Issuer && slices.ContainsFunc(p.Admins, func(admin string) bool {
		return admin == id.Subject || id.Email != "" && strings.EqualFold(admin, id.Email)
	})
}

// put writes the user of a person, and the role that it has by being named.
func (p *provider) put(e *store.Edit, who person) (id string, err error) {
	user := &store.User{}
	if present := userOf(e.Catalog(), who); present != nil {
		if user, err = copyOf(present); err != nil {
			return "", err
		}
	} else {
		user.Metadata.Name = freeUsername(e.Catalog(), who)
		user.Metadata.DisplayName = shortened(who.name, 200)
	}
	identity := who.Identity
	user.Spec.Identity, user.Spec.Groups = &identity, claimedGroups(who.groups)
	user.Spec.Email = cmp.Or(user.Spec.Email, who.Email)
	if len(store.Validate(user)) > 0 { // what the provider says of a person need not please us
		user.Metadata.DisplayName, user.Spec.Email = "", ""
	}
	if err := e.Put(user); err != nil {
		return "", err
	}
	return user.Metadata.ID, keepNamed(e, &p.OIDC)
}

func freeUsername(c *store.Catalog, who person) string {
	taken := func(name string) bool { return c.Users.ByName(name) != nil }
	local, _, _ := strings.Cut(who.Email, "@")
	username, _, _ := strings.Cut(who.username, "@")
	for _, wording := range []string{username, local, who.name, who.Subject} {
		if name := store.NameFrom(wording, taken); name != "" && !store.IsID(name) {
			return name
		}
	}
	return store.NameFrom("user", taken)
}

func shortened(text string, most int) string {
	if len(text) > most {
		return ""
	}
	return text
}

func claimedGroups(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || len(name) > 200 })
	if len(names) == 0 {
		return nil
	}
	return names
}

// namedLabel marks the role bindings that auth.oidc.admins has made.
const namedLabel = "relay/oidc-admin"

// EnsureNamed takes the role admin from users who are not named in
// auth.oidc.admins any more. Oidc is nil without an identity provider.
func EnsureNamed(db *store.DB, o *OIDC) error {
	if o == nil {
		o = &OIDC{}
	}
	_, err := db.Write(func(e *store.Edit) error { return keepNamed(e, o) })
	return err
}

// keepNamed lets the users who are named, and no others, have the role by it.
func keepNamed(e *store.Edit, o *OIDC) error {
	bound := map[string]bool{}
	for binding := range e.Catalog().RoleBindings.All() {
		if binding.Metadata.Labels[namedLabel] == "" || len(binding.Spec.Subjects) != 1 {
			continue
		}
		user := e.Catalog().Users.Get(binding.Spec.Subjects[0].ID)
		if user != nil && user.Spec.Identity != nil && o.named(*user.Spec.Identity) {
			bound[user.Metadata.ID] = true
			continue
		}
		if err := e.Delete(store.KindRoleBinding, binding.Metadata.ID); err != nil {
			return err
		}
	}
	for user := range e.Catalog().Users.All() {
		if user.Spec.Identity == nil || bound[user.Metadata.ID] || !o.named(*user.Spec.Identity) {
			continue
		}
		if err := bindAdmin(e, user, map[string]string{namedLabel: "true"}); err != nil {
			return err
		}
	}
	return nil
}
