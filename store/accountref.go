package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// AccountParts is an account reference taken apart: the kind of record that the
// account belongs to, and its name or id. For a member Kind is "user" and
// Project names the project.
type AccountParts struct {
	Kind    Kind
	Name    string
	Project string
}

const memberKind = "member"

// ParseAccountRef takes an account reference apart. It fails on text that is no
// reference, whatever the catalog holds.
func ParseAccountRef(ref AccountRef) (AccountParts, error) {
	kind, name, found := strings.Cut(string(ref), ":")
	if kind == memberKind && found {
		user, project, two := strings.Cut(name, "@")
		if !two || checkLabel(user) != "" || checkLabel(project) != "" {
			return AccountParts{}, fmt.Errorf("must be member:USER@PROJECT")
		}
		return AccountParts{Kind: KindUser, Name: user, Project: project}, nil
	}
	if !slices.Contains(accountKinds(), Kind(kind)) || checkLabel(name) != "" {
		return AccountParts{}, fmt.Errorf("must be an account: organization:NAME, team:NAME, project:NAME, service-account:NAME, member:USER@PROJECT, host:NAME or host-account:NAME")
	}
	return AccountParts{Kind: Kind(kind), Name: name}, nil
}

func accountKinds() []Kind {
	return []Kind{KindOrganization, KindTeam, KindProject, KindServiceAccount, KindHost, KindHostAccount}
}

func (p AccountParts) targets() []target {
	if p.Kind == KindUser {
		return []target{{KindUser, p.Name}, {KindProject, p.Project}}
	}
	return []target{{p.Kind, p.Name}}
}

// Upstream reports whether the account belongs to a host rather than to callers.
func (p AccountParts) Upstream() bool { return p.Kind == KindHost || p.Kind == KindHostAccount }

// Ref puts the parts together again.
func (p AccountParts) Ref() AccountRef {
	if p.Kind == KindUser {
		return AccountRef(memberKind + ":" + p.Name + "@" + p.Project)
	}
	return AccountRef(string(p.Kind) + ":" + p.Name)
}

// BindingName derives the name of an account's policy binding: team:research
// gives team-research. It is empty while the account is malformed or holds ids.
func (p AccountParts) BindingName() string {
	if p.Name == "" || IsID(p.Name) || IsID(p.Project) {
		return ""
	}
	kind := string(p.Kind)
	switch {
	case p.Kind == KindUser:
		return shortened(memberKind + "-" + p.Name + "-" + p.Project)
	case p.Kind == KindHost && strings.HasPrefix(p.Name, "account-"):
		// host-account-x is the binding of the host account x.
		kind += "-"
	}
	return shortened(kind + "-" + p.Name)
}

// shortened keeps names of more than 63 characters apart by a hash at the end.
func shortened(name string) string {
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:maxName-9], "-") + "-" + hex.EncodeToString(sum[:4])
}

// PolicyBindingName derives the name of the policy binding of an account, whose
// reference may hold names or ids. It is empty when the account does not exist.
func PolicyBindingName(c *Catalog, account AccountRef) string {
	parts, err := ParseAccountRef(c.nameAccountRef(account))
	if err != nil {
		return ""
	}
	return parts.BindingName()
}

// resolveAccountRef turns the name of a reference into an id. fault says why it
// cannot; malformed references come back unchanged, since Validate reports them.
func (c *Catalog) resolveAccountRef(ref AccountRef) (resolved AccountRef, fault string) {
	parts, err := ParseAccountRef(ref)
	if err != nil {
		return ref, ""
	}
	if parts.Name, fault = c.resolveName(parts.Kind, parts.Name); fault != "" {
		return ref, fault
	}
	if parts.Project, fault = c.resolveName(KindProject, parts.Project); fault != "" {
		return ref, fault
	}
	return parts.Ref(), ""
}

// nameAccountRef turns the id of a stored reference into a name, or leaves it
// when there is no such record.
func (c *Catalog) nameAccountRef(ref AccountRef) AccountRef {
	parts, err := ParseAccountRef(ref)
	if err != nil {
		return ref
	}
	parts.Name, parts.Project = c.nameOf(parts.Kind, parts.Name), c.nameOf(KindProject, parts.Project)
	return parts.Ref()
}
