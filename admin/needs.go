package admin

import (
	"relay/store"
)

// need is what a route asks of its caller before its handler runs. Rows that a
// handler then reads or changes are held against the caller one by one.
type need struct {
	open  bool       // nobody needs to sign in
	kind  string     // a plural or an area; "": whoever is signed in
	verb  store.Verb // on the kind
	all   bool       // in the whole system, and not only somewhere
	row   bool       // the path names a row: one that may not be seen is not there
	own   bool       // users may do it to rows of their own without a role
	quiet bool       // changes nothing, whatever its method
	loud  bool       // is audited, whatever its method
}

// needs is the table of every operation of the control API, by its id. An
// operation without a row is refused to everybody.
func needs() map[string]need {
	table := map[string]need{
		"session":         {open: true},
		signInAction:      {open: true},
		"sign-out":        {open: true},
		setUpAction:       {open: true},
		"change-password": {},
		"oidc-login":      {open: true},
		"oidc-callback":   {open: true},

		"openapi": {},
		"version": {},
		"status":  {},

		"create-setup-link": {kind: store.KindUser.Plural(), verb: store.VerbCreate, all: true},

		"rotate-relay-key": {kind: store.KindRelayKey.Plural(), verb: store.VerbRotate, row: true, own: true},
		"revoke-relay-key": {kind: store.KindRelayKey.Plural(), verb: store.VerbRevoke, row: true, own: true},
		"topup-relay-key":  {kind: store.KindRelayKey.Plural(), verb: store.VerbUpdate, row: true, own: true},

		"rotate-host-key":    {kind: store.KindHostKey.Plural(), verb: store.VerbRotate, row: true},
		"test-host-key":      {kind: store.KindHostKey.Plural(), verb: store.VerbUpdate, row: true},
		"reset-host-key":     {kind: store.KindHostKey.Plural(), verb: store.VerbUpdate, row: true},
		"health-of-host-key": {kind: store.KindHostKey.Plural(), verb: store.VerbGet, row: true},

		"rotate-admin-token": {kind: store.KindAdminToken.Plural(), verb: store.VerbRotate, row: true},
		"revoke-admin-token": {kind: store.KindAdminToken.Plural(), verb: store.VerbRevoke, row: true},

		"discover-host": {kind: store.KindHost.Plural(), verb: store.VerbUpdate, row: true},
		"connect":       {kind: store.KindHostKey.Plural(), verb: store.VerbCreate, all: true},

		"apply":  {}, // held against the rows that it changes
		"export": {kind: store.AnyRule, verb: store.VerbList, all: true},
		"backup": {kind: store.AreaBackup, verb: store.VerbCreate, all: true, loud: true},

		"get-catalog":      {kind: store.KindHost.Plural(), verb: store.VerbList},
		"diff-catalog":     {kind: store.AnyRule, verb: store.VerbList, all: true},
		"update-catalog":   {kind: store.AnyRule, verb: store.VerbApply, all: true},
		"rollback-catalog": {kind: store.AnyRule, verb: store.VerbApply, all: true},

		"list-usage-events": {}, // held against whose usage is asked for
		"summarize-usage":   {}, // likewise
		"reprice-usage":     {kind: store.AreaUsage, verb: store.VerbUpdate, all: true},
		"live":              {}, // held against what is followed
		"list-audit":        {kind: store.AreaAudit, verb: store.VerbRead, all: true},

		"explain":                {quiet: true}, // held against what it is asked about
		"get-effective":          {},            // likewise
		"get-policy-rate-limits": {kind: store.KindPolicy.Plural(), verb: store.VerbGet, row: true},

		"reset-rate-limit":          {kind: store.KindRateLimit.Plural(), verb: store.VerbUpdate, row: true},
		"reset-budget-of-policy":    {kind: store.KindPolicy.Plural(), verb: store.VerbUpdate, row: true},
		"reset-budget-of-relay-key": {kind: store.KindRelayKey.Plural(), verb: store.VerbUpdate, row: true, own: true},

		"get-organization-limits": {kind: store.KindOrganization.Plural(), verb: store.VerbUpdate, all: true},
		"set-organization-limits": {kind: store.KindOrganization.Plural(), verb: store.VerbUpdate, all: true},

		"mint-token":       {kind: store.KindRelayKey.Plural(), verb: store.VerbMint},
		"revoke-token":     {},
		"rotate-token-key": {kind: store.AreaMasterKey, verb: store.VerbRotate, all: true},

		"get-master-key":    {kind: store.AreaMasterKey, verb: store.VerbRead, all: true},
		"rotate-master-key": {kind: store.AreaMasterKey, verb: store.VerbRotate, all: true},
	}
	for _, kind := range store.Kinds() {
		addKind(table, kind)
	}
	return table
}

// addKind adds the operations that every kind has.
func addKind(table map[string]need, kind store.Kind) {
	own := kind == store.KindRelayKey || kind == store.KindUser
	of, kinds := "-"+string(kind), kind.Plural()
	table["list"+of] = need{kind: kinds, verb: store.VerbList, own: own}
	table["get"+of] = need{kind: kinds, verb: store.VerbGet, row: true, own: own}
	table["create"+of] = need{kind: kinds, verb: store.VerbCreate, own: kind == store.KindRelayKey}
	table["replace"+of] = need{kind: kinds, verb: store.VerbUpdate, row: true, own: own}
	table["change"+of] = need{kind: kinds, verb: store.VerbUpdate, row: true, own: own}
	table["delete"+of] = need{kind: kinds, verb: store.VerbDelete, row: true, own: own}
	table["references-of"+of] = need{kind: kinds, verb: store.VerbGet, row: true, own: own}
}
