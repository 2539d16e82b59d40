package cmd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// nothings are members of a rate limit's spec that somebody could take for "no
// limit", and the field that the refusal must name.
func nothings() map[string]string {
	rule := func(members string) string { return `"rules":[{` + members + `}]` }
	return map[string]string{
		rule(`"meter":"requests","amount":0,"window":60,"strategy":"sliding-window"`):     "spec.rules[0].amount",
		rule(`"meter":"requests","amount":-1,"window":60,"strategy":"sliding-window"`):    "spec.rules[0].amount",
		rule(`"meter":"requests","amount":null,"window":60,"strategy":"sliding-window"`):  "spec.rules[0].amount",
		rule(`"meter":"requests","window":60,"strategy":"sliding-window"`):                "spec.rules[0].amount",
		rule(`"meter":"requests","amount":"60","window":60,"strategy":"sliding-window"`):  "spec.rules[0].amount",
		rule(`"meter":"requests","amount":0.5,"window":60,"strategy":"sliding-window"`):   "spec.rules[0].amount",
		rule(`"meter":"requests","amount":1e300,"window":60,"strategy":"sliding-window"`): "spec.rules[0].amount",
		rule(`"meter":"tokens","amount":0,"window":60,"strategy":"sliding-window"`):       "spec.rules[0].amount",
		rule(`"meter":"concurrency","amount":0,"window":60,"strategy":"sliding-window"`):  "spec.rules[0].amount",
		rule(`"meter":"requests","amount":60,"window":0,"strategy":"sliding-window"`):     "spec.rules[0].window",
		rule(`"meter":"requests","amount":60,"window":-60,"strategy":"sliding-window"`):   "spec.rules[0].window",
		rule(`"meter":"requests","amount":60,"window":"0s","strategy":"sliding-window"`):  "spec.rules[0].window",
		rule(`"meter":"requests","amount":60,"window":"60","strategy":"sliding-window"`):  "spec.rules[0].window",
		rule(`"meter":"requests","amount":60,"window":0.5,"strategy":"sliding-window"`):   "spec.rules[0].window",
		rule(`"meter":"requests","amount":60,"strategy":"sliding-window"`):                "spec.rules[0].window",
		rule(`"meter":"concurrency","amount":5,"window":0,"strategy":"sliding-window"`):   "spec.rules[0].window",
		rule(`"meter":"requests","amount":60,"window":60`):                                "spec.rules[0].strategy",
		rule(`"meter":"","amount":60,"window":60,"strategy":"sliding-window"`):            "spec.rules[0].meter",
		rule(`"amount":60,"window":60,"strategy":"sliding-window"`):                       "spec.rules[0].meter",
		`"enabled":true,"rules":[]`:   "spec.rules",
		`"enabled":true,"rules":null`: "spec.rules",
		`"enabled":true`:              "spec.rules",
		`"rules":[]`:                  "spec.rules",
	}
}

func newControl(t *testing.T) control {
	t.Helper()
	_, handler := openServer(t)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return control{t, server.URL, testToken}
}

const goodLimit = `{"metadata":{"name":"good"},"spec":{"rules":[{"meter":"requests","amount":60,"window":60,"strategy":"sliding-window"}]}}`

func TestRateLimits_ThatCouldMeanUnlimitedAreRefused(t *testing.T) {
	c := newControl(t)
	c.must(http.StatusCreated, http.MethodPost, "/api/rate-limits", goodLimit)
	byID := "/api/rate-limits/by-id/" + c.id("/api/rate-limits/good")
	before := c.must(http.StatusOK, http.MethodGet, "/api/rate-limits/good", "")
	for spec, field := range nothings() {
		for _, call := range [][3]string{
			{http.MethodPost, "/api/rate-limits", `{"metadata":{"name":"bad"},"spec":{` + spec + `}}`},
			{http.MethodPut, byID, `{"metadata":{"name":"good"},"spec":{` + spec + `}}`},
			{http.MethodPatch, byID, `{"spec":{` + spec + `}}`},
			{http.MethodPost, "/api/apply", `{"documents":[{"kind":"rate-limit","metadata":{"name":"bad"},"spec":{` + spec + `}}]}`},
		} {
			if call[0] == http.MethodPatch && !strings.Contains(spec, `"rules":`) {
				continue // it leaves the rules as they are
			}
			status, text := c.send(call[0], call[1], call[2])
			named := `"` + field + `"`
			if call[1] == "/api/apply" || strings.Contains(spec, "1e300") { // what cannot be decoded is told in words
				named = field[strings.LastIndex(field, ".")+1:]
			}
			if status != http.StatusBadRequest || !strings.Contains(text, named) {
				t.Errorf("%s %s of {%s}: %d %s, want 400 naming %s", call[0], call[1], spec, status, text, named)
			}
		}
	}
	if after := c.must(http.StatusOK, http.MethodGet, "/api/rate-limits/good", ""); after != before {
		t.Errorf("the rate limit went from %s to %s", before, after)
	}
	c.must(http.StatusNotFound, http.MethodGet, "/api/rate-limits/bad", "")
}

// The caps that records carry themselves, and budgets.
func TestCaps_ThatCouldMeanUnlimitedAreRefused(t *testing.T) {
	c := newControl(t)
	for _, kind := range []struct{ path, spec string }{
		{"/api/organizations", ``}, {"/api/teams", `"organizationId":"default",`}, {"/api/projects", `"teamId":"default",`},
		{"/api/service-accounts", `"projectId":"default",`}, {"/api/models", ``}, {"/api/relay-keys", ``},
	} {
		for _, name := range []string{"rps", "rpm", "rph", "rpd", "tpm", "tpd", "concurrency"} {
			for _, amount := range []string{"0", "-1"} {
				status, text := c.send(http.MethodPost, kind.path, fmt.Sprintf(`{"metadata":{"name":"bad"},"spec":{%s"limits":{%q:%s}}}`, kind.spec, name, amount))
				if status != http.StatusBadRequest || !strings.Contains(text, `"spec.limits.`+name+`"`) {
					t.Errorf("POST %s with %s %s: %d %s", kind.path, name, amount, status, text)
				}
			}
		}
	}
	for _, path := range []string{"/api/policies", "/api/relay-keys"} {
		for _, amount := range []string{`"0"`, `"0.00"`, `"-1"`, `""`, `0`, `null`, `"none"`} {
			status, text := c.send(http.MethodPost, path, `{"metadata":{"name":"bad"},"spec":{"budgets":[{"amount":`+amount+`,"period":"day"}]}}`)
			if status != http.StatusBadRequest || !strings.Contains(text, `"spec.budgets[0].amount"`) {
				t.Errorf("POST %s with a budget of %s: %d %s", path, amount, status, text)
			}
		}
		status, text := c.send(http.MethodPost, path, `{"metadata":{"name":"bad"},"spec":{"budgets":[{"amount":"1"}]}}`)
		if status != http.StatusBadRequest || !strings.Contains(text, `"spec.budgets[0].period"`) {
			t.Errorf("POST %s with a budget without a period: %d %s", path, status, text)
		}
	}
}

func TestRateLimits_SwitchedOffMayHoldNoRule(t *testing.T) {
	c := newControl(t)
	c.must(http.StatusCreated, http.MethodPost, "/api/rate-limits", `{"metadata":{"name":"off"},"spec":{"enabled":false,"rules":[]}}`)
	id := c.id("/api/rate-limits/off")
	text := c.must(http.StatusBadRequest, http.MethodPatch, "/api/rate-limits/by-id/"+id, `{"spec":{"enabled":true}}`)
	if !strings.Contains(text, `"spec.rules"`) {
		t.Errorf("switched on without a rule: %s", text)
	}
}
