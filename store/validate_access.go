package store

import (
	"strings"
	"unicode/utf8"
)

// Bounds of the records that say who may do what.
const (
	maxEmail     = 254
	minPassword  = 8
	maxPassword  = 1024
	maxGroups    = 256
	maxMembers   = 10_000
	maxRoleRules = 64
	maxSubjects  = 1000
	maxRoles     = 32
	maxSubjectID = 512 // of a user at an identity provider
)

// CheckPassword returns what is wrong with a password of the user, or "".
func CheckPassword(username string, password Secret) string {
	text := password.Reveal()
	switch {
	case len(text) < minPassword:
		return "must be at least 8 bytes long"
	case len(text) > maxPassword:
		return "must be at most 1024 bytes long"
	case !utf8.ValidString(text):
		return "must be valid UTF-8"
	case strings.EqualFold(text, username):
		return "must not be the username"
	}
	return ""
}

func (f *faults) user(m *Metadata, s *UserSpec) {
	if s.Email != "" {
		f.addIf("spec.email", checkEmail(s.Email))
	}
	if !s.Password.IsZero() {
		f.addIf("spec.password", CheckPassword(m.Name, s.Password))
	}
	if len(s.Groups) > maxGroups {
		f.add("spec.groups", "must be at most %d", maxGroups)
	}
	if id := s.Identity; id != nil && (id.Issuer == "" || id.Subject == "" || len(id.Issuer) > maxSubjectID || len(id.Subject) > maxSubjectID) {
		f.add("spec.identity", "must have an issuer and a subject of at most %d bytes", maxSubjectID)
	}
}

// checkEmail finds what cannot be an address. Whether there is such a mailbox
// only a letter would show.
func checkEmail(text string) string {
	name, host, found := strings.Cut(text, "@")
	if !found || name == "" || host == "" || len(text) > maxEmail || strings.ContainsAny(text, " <>,;\"") || checkLine(text, maxEmail) != "" {
		return "must be an address such as maria@example.com"
	}
	return ""
}

func (f *faults) group(s *GroupSpec) {
	if len(s.Members) > maxMembers {
		f.add("spec.members", "must be at most %d", maxMembers)
	}
	for i, member := range s.Members {
		if member == "" {
			f.add(item("spec.members", i), "must name a user")
		}
	}
	f.unique("spec.members", s.Members)
}

func (f *faults) role(s *RoleSpec) {
	if len(s.Rules) == 0 || len(s.Rules) > maxRoleRules {
		f.add("spec.rules", "must be 1 to %d", maxRoleRules)
	}
	for i := range s.Rules {
		field := item("spec.rules", i)
		f.ruleList(field+".kinds", s.Rules[i].Kinds, RuleKinds())
		f.ruleList(field+".verbs", texts(s.Rules[i].Verbs), texts(Verbs()))
	}
}

func (f *faults) ruleList(field string, values, known []string) {
	if len(values) == 0 {
		f.add(field, "must name at least one, or * for all")
	}
	f.known(field, values, append([]string{AnyRule}, known...))
}

func (f *faults) roleBinding(s *RoleBindingSpec) {
	f.scope("spec.scope", s.Scope)
	if len(s.Subjects) == 0 || len(s.Subjects) > maxSubjects {
		f.add("spec.subjects", "must be 1 to %d", maxSubjects)
	}
	named := make([]string, len(s.Subjects))
	for i, subject := range s.Subjects {
		f.subject(item("spec.subjects", i), subject)
		named[i] = string(subject.Kind) + ":" + subject.ID
	}
	f.unique("spec.subjects", named)
}

func (f *faults) scope(field string, scope Ref) {
	switch scope.Kind {
	case KindSystem:
		if scope.ID != "" {
			f.add(field+".id", "must be left out: system is no record")
		}
	case KindOrganization, KindTeam, KindProject:
		if scope.ID == "" {
			f.add(field+".id", "must name a record of that kind")
		}
	default:
		f.add(field+".kind", "must be one of system, organization, team, project")
	}
}

func (f *faults) subject(field string, subject Ref) {
	switch subject.Kind {
	case KindUser, KindServiceAccount:
		if subject.ID == "" || strings.HasPrefix(subject.ID, virtualPrefix) {
			f.add(field+".id", "must name a record of that kind")
		}
	case KindGroup:
		f.groupSubject(field+".id", subject.ID)
	default:
		f.add(field+".kind", "must be one of user, group, service-account")
	}
}

func (f *faults) groupSubject(field, id string) {
	project, ofProject := strings.CutPrefix(id, groupOfProjectsPrefix)
	virtual := id == GroupAuthenticated || id == GroupServiceAccounts || ofProject && checkLabel(project) == ""
	if id == "" || strings.HasPrefix(id, virtualPrefix) && !virtual {
		f.add(field, "must name a group, or be %s, %s or %sPROJECT", GroupAuthenticated, GroupServiceAccounts, groupOfProjectsPrefix)
	}
}

func (f *faults) adminToken(s *AdminTokenSpec) {
	if !hashPattern.MatchString(s.TokenHash) {
		f.add("spec.tokenHash", "must be the SHA-256 of the token in 64 lower-case hex digits")
	}
	if len(s.RoleIDs) == 0 || len(s.RoleIDs) > maxRoles {
		f.add("spec.roleIds", "must be 1 to %d", maxRoles)
	}
	f.unique("spec.roleIds", s.RoleIDs)
	f.addIf("spec.prefix", checkLine(s.Prefix, maxName))
	if s.Scope != nil {
		f.scope("spec.scope", *s.Scope)
	}
}
