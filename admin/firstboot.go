package admin

import (
	"fmt"

	"relay/gateway/plan"
	"relay/store"
)

// defaultName names the organization, team, project and policy of first boot.
const defaultName = "default"

// FirstBoot makes organization, team, project and policy default, with the
// policy, which grants everything, bound to the organization. It is one write,
// and does nothing when organization default exists: what an operator has
// removed since stays removed.
func FirstBoot(db *store.DB) error {
	if db.Catalog().Organizations.ByName(defaultName) != nil {
		return nil
	}
	if _, err := db.Write(func(e *store.Edit) error { return PutDefaults(e) }); err != nil {
		return fmt.Errorf("make the records of first boot: %w", err)
	}
	return nil
}

// PutDefaults makes the records of first boot in an edit, or in a draft of what a
// new database holds.
func PutDefaults(e interface{ Put(store.AnyRecord) error }) error {
	named := store.Metadata{Name: defaultName}
	organization := &store.Organization{Metadata: named}
	if err := e.Put(organization); err != nil {
		return err
	}
	team := &store.Team{Metadata: named, Spec: store.TeamSpec{OrganizationID: organization.Metadata.ID}}
	if err := e.Put(team); err != nil {
		return err
	}
	project := &store.Project{Metadata: named, Spec: store.ProjectSpec{TeamID: team.Metadata.ID}}
	if err := e.Put(project); err != nil {
		return err
	}
	policy := &store.Policy{Metadata: store.Metadata{Name: defaultName, Description: "Grants everything."}}
	if err := e.Put(policy); err != nil {
		return err
	}
	return e.Put(&store.PolicyBinding{
		Metadata: store.Metadata{Name: "organization-default"},
		Spec: store.PolicyBindingSpec{
			PolicyID: policy.Metadata.ID,
			Account:  store.AccountRef("organization:" + organization.Metadata.ID),
		},
	})
}

// EnsureLocal makes the service account that requests without a credential run
// as, in project default, when there is none.
func EnsureLocal(db *store.DB) error {
	c := db.Catalog()
	if c.ServiceAccounts.ByName(plan.LocalAccount) != nil {
		return nil
	}
	project := c.Projects.ByName(defaultName)
	if project == nil {
		return &store.Error{Code: store.CodeConflict, Message: "inference.auth is open, but there is neither a service account local nor a project default to make it in: make one of them, or write inference.auth: key"}
	}
	_, err := db.Write(func(e *store.Edit) error {
		return e.Put(&store.ServiceAccount{
			Metadata: store.Metadata{Name: plan.LocalAccount, Description: "Requests without a credential (inference.auth: open)."},
			Spec:     store.ServiceAccountSpec{ProjectID: project.Metadata.ID},
		})
	})
	if err != nil {
		return fmt.Errorf("make service account %s: %w", plan.LocalAccount, err)
	}
	return nil
}

// keepDefault refuses to rename organization default, which is what tells that
// first boot has been.
func keepDefault(rec, former *store.Organization) error {
	if former.Metadata.Name == defaultName && rec.Metadata.Name != defaultName && rec.Metadata.Name != "" {
		return defaultStays()
	}
	return nil
}

func defaultStays() error {
	return &store.Error{
		Code:    store.CodeConflict,
		Message: "organization default always exists under this name; it can have another displayName, and be switched off with spec.enabled",
	}
}

// FirstKey makes a relay key with a service account of the same name in
// project default, and returns its plaintext, which nothing can show again.
func FirstKey(db *store.DB, name string) (store.Secret, error) {
	plaintext := newPlaintext()
	_, err := db.Write(func(e *store.Edit) error {
		rec := &store.RelayKey{Metadata: store.Metadata{Name: name}}
		if err := ownPrincipal(e, rec); err != nil {
			return err
		}
		holdPlaintext(rec, plaintext)
		return e.Put(rec)
	})
	if err != nil {
		return store.Secret{}, fmt.Errorf("make the first relay key: %w", err)
	}
	return store.NewSecret(plaintext), nil
}
