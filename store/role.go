package store

// Verb is what somebody may do to records of a kind.
type Verb string

// The verbs. Update includes top-ups and resets; mint is to make credentials
// for oneself: relay keys of one's own and inference tokens; read is for what
// is no record: usage, logs, audit, and the state of the process.
const (
	VerbGet    Verb = "get"
	VerbList   Verb = "list"
	VerbCreate Verb = "create"
	VerbUpdate Verb = "update"
	VerbDelete Verb = "delete"
	VerbRotate Verb = "rotate"
	VerbRevoke Verb = "revoke"
	VerbMint   Verb = "mint"
	VerbApply  Verb = "apply"
	VerbRead   Verb = "read"
)

// AnyRule stands for every kind, or every verb, in a rule.
const AnyRule = "*"

// What rules speak of besides the kinds of records.
const (
	AreaUsage     = "usage"
	AreaLogs      = "logs" // payloads of requests
	AreaAudit     = "audit"
	AreaStatus    = "status"
	AreaBackup    = "backup"
	AreaMasterKey = "master-key"
)

// RoleSpec is what somebody may do where the role is bound.
type RoleSpec struct {
	Rules []RoleRule `json:"rules"`
}

// RoleRule allows each of the verbs on each of the kinds.
type RoleRule struct {
	Kinds []string `json:"kinds" doc:"Kinds in the plural, such as relay-keys; usage, logs, audit, status, backup or master-key; or * for all."`
	Verbs []Verb   `json:"verbs" doc:"get, list, create, update, delete, rotate, revoke, mint, apply, read; or * for all."`
}

// RoleBindingSpec gives a role to subjects, within a scope.
type RoleBindingSpec struct {
	RoleID   string `json:"roleId" ref:"role"`
	Scope    Ref    `json:"scope" doc:"{kind: system}, or an organization, team or project: the role holds for it and all that is in it."`
	Subjects []Ref  `json:"subjects" doc:"Users, groups and service accounts. The groups system:authenticated, system:serviceaccounts and system:serviceaccounts:PROJECT need no members."`
}

// Verbs lists every verb.
func Verbs() []Verb {
	return []Verb{VerbGet, VerbList, VerbCreate, VerbUpdate, VerbDelete, VerbRotate, VerbRevoke, VerbMint, VerbApply, VerbRead}
}

// RuleKinds lists what rules can speak of, without AnyRule.
func RuleKinds() []string {
	kinds := make([]string, 0, len(Kinds())+6)
	for _, kind := range Kinds() {
		kinds = append(kinds, kind.Plural())
	}
	return append(kinds, AreaUsage, AreaLogs, AreaAudit, AreaStatus, AreaBackup, AreaMasterKey)
}

// Allows reports whether a rule of the role allows the verb on the kind.
func (s *RoleSpec) Allows(kind string, verb Verb) bool {
	for _, rule := range s.Rules {
		if rule.allows(kind, verb) {
			return true
		}
	}
	return false
}

func (r *RoleRule) allows(kind string, verb Verb) bool {
	return holds(r.Kinds, kind) && holds(r.Verbs, verb)
}

func holds[T ~string](list []T, wanted T) bool {
	for _, one := range list {
		if one == wanted || one == AnyRule {
			return true
		}
	}
	return false
}
