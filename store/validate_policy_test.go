package store_test

import (
	"strings"
	"testing"

	"relay/store"
)

func TestValidate_ChecksPolicies(t *testing.T) {
	runRefusals(t, []refusal{
		{`policy p {}`, nil},
		{`policy p {"models":["openai/","openai/gpt","gpt@azure","@ollama","openai/@azure"],"deny":["gpt"],"pools":[{"name":"main","hostKeyIds":["a","b"],"selection":"affinity"},{"name":"local","hostIds":["h"]},{"name":"rest"}],"rateLimitId":"r","budgets":[{"amount":"20.00","period":"day","onExceed":"warn","unpriced":"refuse","per":["key"]},{"amount":"0.000000001","period":"total"}],"endpoints":["chat","messages"],"capabilities":{"vision":false},"maxInputTokens":1,"blockedParams":["logit_bias"]}`, nil},
		{`policy p {"rlBindings":[{"models":["m"],"rateLimitId":"r"}]}`, nil},
		{`policy p {"models":["*","","a@","@","/","a@b@c","a/*","gpt","GPT"]}`, w("spec.models[0] must not hold *", "spec.models[1] must be model", "spec.models[2] one host after @", "spec.models[3] one host after @", "spec.models[4] one provider before", "spec.models[5] one host after @", "spec.models[6] must not hold *", "spec.models[8] twice")},
		{`policy p {"deny":["*"]}`, w("spec.deny[0] must not hold *")},
		{`policy p {"pools":[{"name":""},{"name":"A"},{"name":"a","selection":"magic"},{"name":"a"}]}`, w("spec.pools[2].selection prioritized", "spec.pools[0].name empty", "spec.pools[1].name lower-case", "spec.pools[3].name earlier pool")},
		{`policy p {"pools":[{"name":"a","hostKeyIds":["k"],"hostIds":["h"]}]}`, w("spec.pools[0] not both")},
		{`policy p {"pools":[{"name":"a","hostKeyIds":["k","","k"]}]}`, w("spec.pools[0].hostKeyIds[1] empty", "spec.pools[0].hostKeyIds[2] twice")},
		{`policy {"metadata":{"name":"p","owner":{"kind":"host","id":"h"}},"spec":{"pools":[{"name":"a"}]}}`, w("spec.pools tier policy")},
		{`policy p {"rateLimitId":"r","rlBindings":[{"models":["m"],"rateLimitId":"r"}]}`, w("spec.rlBindings keep one of the two")},
		{`policy p {"rlBindings":[{"models":[],"rateLimitId":""}]}`, w("spec.rlBindings[0].rateLimitId must name a rate-limit", "spec.rlBindings[0].models at least one model")},
		{`policy p {"rlBindings":[{"models":["*"],"rateLimitId":"r"}]}`, w("spec.rlBindings[0].models[0] must not hold *")},
		{`policy p {"endpoints":["chat","teleport","chat"]}`, w("spec.endpoints[1] must be one of chat", "spec.endpoints[2] twice")},
		{`policy p {"capabilities":{"magic":true}}`, w("spec.capabilities.magic not a capability")},
		{`policy p {"maxInputTokens":0}`, w("spec.maxInputTokens above 0")},
		{`policy p {"blockedParams":["a b"]}`, w("spec.blockedParams[0] name of a request member")},
	})
}

func TestValidate_ChecksBudgets(t *testing.T) {
	budgets := func(budgets string) string { return `policy p {"budgets":[` + budgets + `]}` }
	runRefusals(t, []refusal{
		{budgets(`{"amount":"0","period":"day"}`), w("spec.budgets[0].amount above 0")},
		{budgets(`{"amount":"-5","period":"day"}`), w("spec.budgets[0].amount decimal")},
		{budgets(`{"amount":"0.0000000001","period":"day"}`), w("spec.budgets[0].amount at most 9 decimals")},
		{budgets(`{"amount":"99999999999","period":"day"}`), w("spec.budgets[0].amount too large")},
		{budgets(`{"amount":"1"}`), w("spec.budgets[0].period day, week, month, total")},
		{budgets(`{"amount":"1","period":"hour","onExceed":"shout","unpriced":"maybe"}`), w("spec.budgets[0].period day", "spec.budgets[0].onExceed block, warn", "spec.budgets[0].unpriced allow, refuse")},
		{budgets(`{"amount":"1","period":"day"},{"amount":"2","period":"day"}`), w("spec.budgets[1].period one a period")},
		{budgets(`{"amount":"1","period":"day","per":["key","host","key"]}`), w("spec.budgets[0].per[1] must be one of team", "spec.budgets[0].per[2] twice")},
	})
}

func TestValidate_ChecksRateLimits(t *testing.T) {
	rule := `{"meter":"requests","amount":60,"window":60,"strategy":"sliding-window"}`
	limit := func(more string) string { return `rate-limit r {"rules":[` + rule + `]` + more + `}` }
	runRefusals(t, []refusal{
		{limit(`,"onOutage":"refuse","charge":"reserve","atCap":"refuse","per":["user"],"standalone":true`), nil},
		{`rate-limit r {"enabled":false}`, nil},
		{`rate-limit r {}`, w("spec.rules at least one rule")},
		{`rate-limit r {"enabled":true,"rules":[]}`, w("spec.rules at least one rule")},
		{`rate-limit r {"rules":[{"meter":"requests","amount":0,"window":60,"strategy":"sliding-window"}]}`, w("spec.rules[0].amount above 0")},
		{`rate-limit r {"rules":[{"meter":"requests","amount":-1,"window":0,"strategy":"sliding-window"}]}`, w("spec.rules[0].amount above 0", "spec.rules[0].window above 0")},
		{`rate-limit r {"rules":[{"meter":"smiles","amount":9007199254740992,"window":31622401,"strategy":"magic"}]}`, w("spec.rules[0].meter must be one of", "spec.rules[0].amount at most", "spec.rules[0].window 366 days", "spec.rules[0].strategy must be one of")},
		{`rate-limit r {"rules":[{"meter":"cost","amount":1,"window":60,"strategy":"sliding-window"}]}`, w("spec.rules[0].meter must be one of")},
		{`rate-limit r {"rules":[` + rule + `,` + rule + `]}`, w("spec.rules[1] rules[0]")},
		{`rate-limit r {"rules":[{"meter":"concurrency","amount":1,"window":60,"strategy":"sliding-window"},{"meter":"concurrency","amount":2,"window":1,"strategy":"fixed-window"}]}`, w("spec.rules[1] concurrency")},
		{limit(`,"onOutage":"x","charge":"x","atCap":"x"`), w("spec.onOutage local", "spec.charge actual", "spec.atCap admit")},
		{limit(`,"per":["host","key","key"]`), w("spec.per[0] must be one of team", "spec.per[2] twice")},
	})
}

func TestValidate_ChecksMatches(t *testing.T) {
	match := func(match string) string {
		return `rate-limit r {"enabled":false,"match":` + match + `}`
	}
	leaf := `{"dim":"model","op":"eq","value":"gpt"}`
	leaves := func(n int) string { return strings.TrimSuffix(strings.Repeat(leaf+",", n), ",") }
	runRefusals(t, []refusal{
		{match(leaf), nil},
		{match(`{"all":[` + leaf + `,{"any":[{"not":{"dim":"endpoint","op":"in","value":["chat","messages"]}}]},{"dim":"user","op":"regex","value":"^a+$"}]}`), nil},
		{match(`{}`), w("spec.match exactly one of")},
		{match(`{"all":[` + leaf + `],"not":` + leaf + `}`), w("spec.match exactly one of")},
		{match(`{"all":[]}`), w("spec.match.all empty")},
		{match(`{"dim":"host","value":"x"}`), w("spec.match.dim must be one of team", "spec.match.op eq, ne, in, regex")},
		{match(`{"dim":"model","op":"like","value":"x"}`), w("spec.match.op eq, ne, in, regex")},
		{match(`{"dim":"model","op":"eq"}`), w("spec.match.value must be text")},
		{match(`{"dim":"model","op":"eq","value":7}`), w("spec.match.value must be text")},
		{match(`{"dim":"model","op":"in","value":["a",7]}`), w("spec.match.value must be text")},
		{match(`{"dim":"model","op":"in","value":"a"}`), w("spec.match.value list with op in")},
		{match(`{"dim":"model","op":"ne","value":["a"]}`), w("spec.match.value use op in")},
		{match(`{"dim":"model","op":"regex","value":"(a"}`), w("spec.match.value RE2")},
		{match(`{"dim":"model","op":"regex","value":"` + strings.Repeat("a", 257) + `"}`), w("spec.match.value 256")},
		{match(`{"all":[{"any":[{"not":{"all":[` + leaf + `]}}]}]}`), w("spec.match.all[0].any[0].not nested")},
		{match(`{"any":[` + leaves(16) + `]}`), nil},
		{match(`{"any":[` + leaves(17) + `]}`), w("spec.match 16 leaves")},
		{match(`{"dim":"user","op":"regex","value":"` + strings.Repeat("ü", 256) + `"}`), nil},
		{match(`{"dim":"user","op":"regex","value":"` + strings.Repeat("ü", 257) + `"}`), w("spec.match.value 256")},
		{match(`{"dim":"user","op":"regex","value":"a(?=b)"}`), w("spec.match.value RE2")},
		{match(`{"dim":"user","op":"regex","value":["a"]}`), w("spec.match.value use op in")},
		{match(`{"dim":"team","op":"eq","value":""}`), w("spec.match.value must not be empty")},
		{match(`{"dim":"team","op":"in","value":["a",""]}`), w("spec.match.value must not be empty")},
		{match(`{"dim":"endpoint","op":"in","value":["chat","/v1/chat/completions"]}`), w("spec.match.value must be endpoints: chat")},
		{match(`{"dim":"endpoint","op":"regex","value":"^chat|messages$"}`), nil},
		{match(`{"dim":"model","op":"in","value":["` + strings.Repeat(`x","`, 63) + `y"]}`), nil},
		{match(`{"dim":"model","op":"in","value":["` + strings.Repeat(`x","`, 64) + `y"]}`), w("spec.match 64 values")},
	})
}

func TestValidate_ChecksSuspendedSpans(t *testing.T) {
	span := func(span string) string { return `rate-limit r {"enabled":false,"suspend":[` + span + `]}` }
	runRefusals(t, []refusal{
		{span(`{"timezone":"Europe/Zurich","days":["mon","sun"],"start":"22:00","end":"06:00"},{"dates":["2026-12-25"],"start":"00:00","end":"24:00"}`), nil},
		{span(`{"timezone":"Mars/Olympus","start":"22:00","end":"06:00"}`), w("spec.suspend[0].timezone zone such as")},
		{span(`{"timezone":"Local","start":"22:00","end":"06:00"}`), w("spec.suspend[0].timezone zone such as")},
		{span(`{"days":["mon"],"dates":["2026-12-25"],"start":"22:00","end":"06:00"}`), w("spec.suspend[0] not both")},
		{span(`{"days":["monday","tue","tue"],"start":"22:00","end":"06:00"}`), w("spec.suspend[0].days[0] must be one of mon", "spec.suspend[0].days[2] twice")},
		{span(`{"dates":["","25.12.2026","2026-12-25","2026-12-25"],"start":"22:00","end":"06:00"}`), w("spec.suspend[0].dates[0] date", "spec.suspend[0].dates[1] date", "spec.suspend[0].dates[3] twice")},
		{span(`{"start":"24:00","end":"6:00"}`), w("spec.suspend[0].start time of day", "spec.suspend[0].end time of day")},
		{span(`{"start":"22:00","end":"22:00"}`), w("spec.suspend[0].end differ")},
		{span(`{"start":"22:00"}`), w("spec.suspend[0].end time of day")},
		{span(`{"start":"22:00","end":"06:00"},{"dates":["2027-02-29"],"start":"22:00","end":"06:00"}`), w("spec.suspend[1].dates[0] date")},
		{span(`{"dates":[` + strings.Repeat(`"2026-12-25",`, 400) + `"2026-12-26"],"start":"22:00","end":"06:00"}`), w("spec.suspend[0].dates at most 400")},
		{span(strings.Repeat(`{"start":"22:00","end":"06:00"},`, 64) + `{"start":"22:00","end":"06:00"}`), w("spec.suspend at most 64")},
	})
}

func TestValidate_ChecksPolicyBindings(t *testing.T) {
	runRefusals(t, []refusal{
		{`policy-binding team-a {"policyId":"p","account":"team:a"}`, nil},
		{`policy-binding m {"policyId":"p","account":"member:maria@chatbot"}`, nil},
		{`policy-binding x {}`, w("spec.policyId must name a policy", "spec.account must name an account")},
		{`policy-binding x {"policyId":"p","account":"research"}`, w("spec.account must be an account")},
		{`policy-binding x {"policyId":"p","account":"galaxy:a"}`, w("spec.account must be an account")},
		{`policy-binding x {"policyId":"p","account":"team:A B"}`, w("spec.account must be an account")},
		{`policy-binding x {"policyId":"p","account":"member:maria"}`, w("spec.account member:USER@PROJECT")},
	})
}

func TestValidate_ChecksTenancy(t *testing.T) {
	runRefusals(t, []refusal{
		{`team t {}`, w("spec.organizationId must name a organization")},
		{`project p {}`, w("spec.teamId must name a team")},
		{`service-account s {}`, w("spec.projectId must name a project")},
	})
}

func TestValidate_ChecksRelayKeys(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	key := func(more string) string {
		return `relay-key k {"principal":{"kind":"service-account","id":"s"},"keyHash":"` + hash + `"` + more + `}`
	}
	runRefusals(t, []refusal{
		{key(`,"account":"team:a","expiresAt":"2027-01-01T00:00:00Z","limits":{"rpm":1},"budgets":[{"amount":"2","period":"day"}],"models":["m"],"deny":["@h"],"endpoints":["chat"],"allowedCIDRs":["10.0.0.0/8","2001:db8::/32"],"trustUser":true,"userHeader":"X-OpenWebUI-User-Id"`), nil},
		{`relay-key k {"principal":{"kind":"user","id":"maria"},"projectId":"p","keyHash":"` + hash + `"}`, nil},
		{`relay-key k {"keyHash":"` + hash + `"}`, w("spec.principal.kind service-account or user")},
		{`relay-key k {"principal":{"kind":"team","id":"a"},"keyHash":"` + hash + `"}`, w("spec.principal.kind service-account or user")},
		{`relay-key k {"principal":{"kind":"service-account"},"keyHash":"` + hash + `"}`, w("spec.principal.id must name a service-account")},
		{`relay-key k {"principal":{"kind":"user","id":"maria"},"keyHash":"` + hash + `"}`, w("spec.projectId must name the project")},
		{key(`,"projectId":"p"`), w("spec.projectId user as principal only")},
		{`relay-key k {"principal":{"kind":"service-account","id":"s"}}`, w("spec.keyHash 64 lower-case hex")},
		{`relay-key k {"principal":{"kind":"service-account","id":"s"},"keyHash":"` + strings.ToUpper(hash) + `"}`, w("spec.keyHash 64 lower-case hex")},
		{key(`,"previousHash":"x"`), w("spec.previousHash 64 lower-case hex")},
		{key(`,"prefix":"a\nb"`), w("spec.prefix one line")},
		{key(`,"account":"a"`), w("spec.account must be an account")},
		{key(`,"limits":{"rpm":0}`), w("spec.limits.rpm above 0")},
		{key(`,"budgets":[{"amount":"0","period":"day"}]`), w("spec.budgets[0].amount above 0")},
		{key(`,"models":["*"],"deny":["@"]`), w("spec.models[0] must not hold *", "spec.deny[0] one host")},
		{key(`,"endpoints":["x"]`), w("spec.endpoints[0] must be one of")},
		{key(`,"allowedCIDRs":["10.0.0.1","10.0.0.1/8","x","10.0.0.0/8","10.0.0.0/8"]`), w("spec.allowedCIDRs[0] write 10.0.0.1/32", "spec.allowedCIDRs[1] write 10.0.0.0/8", "spec.allowedCIDRs[2] address range", "spec.allowedCIDRs[4] twice")},
		{key(`,"userHeader":"a b"`), w("spec.userHeader valid header")},
		{key(`,"userHeader":"Cookie"`), w("spec.userHeader must not be Cookie")},
	})
}

func TestValidate_TellsEveryProblemAtOnce(t *testing.T) {
	problems := store.Validate(recordOf(t, `host Bad {"baseURL":"ftp://x","auth":"y","shapes":["z"]}`))
	wantProblems(t, problems, "metadata.name lower-case", "spec.baseURL http://", "spec.auth must be one of", "spec.shapes[0] must be one of")
	for _, p := range problems {
		if p.Kind != store.KindHost || p.Name != "Bad" {
			t.Errorf("%s does not name the record", p)
		}
	}
}

func TestMatchValues_TakesListsOfGoTextsToo(t *testing.T) {
	m := store.Match{Dim: "model", Op: "in", Value: []string{"a", "b"}}
	if values, list := m.Values(); len(values) != 2 || !list {
		t.Errorf("got %v, %v", values, list)
	}
}
