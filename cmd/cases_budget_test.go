package cmd_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"relay/gateway/echo"
)

// nineDollars connects an upstream where each call costs 9 dollars.
func (s *serving) nineDollars() {
	s.t.Helper()
	upstream := httptest.NewServer(echo.Handler(echo.Options{}))
	s.t.Cleanup(upstream.Close)
	s.done("", "connect", "up", "--base-url", upstream.URL+"/v1", "--auth", "none")
	s.control.must(http.StatusCreated, http.MethodPost, "/api/pricings", `{"metadata":{"name":"nine"},"spec":{"currency":"USD","rates":[{"meter":"requests","unit":"per_unit","amount":"9"}]}}`)
	for _, item := range member(s.control.row("/api/host-bindings?limit=1000&q=echo"), "items").([]any) {
		if id := member(item.(map[string]any), "metadata", "id").(string); strings.Contains(encoded(s.t, item), `"hostName":"up"`) {
			s.control.must(http.StatusOK, http.MethodPatch, "/api/host-bindings/by-id/"+id, `{"spec":{"pricingId":"nine"}}`)
		}
	}
}

// budget is what the caller and the administrator are told of one budget.
type budget struct{ amount, spent string }

// budgets are the caller's, which must be those that the control API shows.
func (s *serving) budgets(key, account string) []budget {
	s.t.Helper()
	var told []budget
	for _, item := range member(decoded(s.t, s.get("/v1/usage", key)), "budgets").([]any) {
		b := item.(map[string]any)
		told = append(told, budget{b["amount_usd"].(string), b["spent_usd"].(string)})
	}
	var shown []budget
	for _, item := range member(s.control.row("/api/accounts/"+account+"/effective"), "limits").([]any) {
		if l := item.(map[string]any); l["meter"] == "cost" {
			if reset, known := l["resetSeconds"].(float64); l["used"].(float64) > 0 && (!known || reset <= 0 || reset > 24*3600) {
				s.t.Errorf("the next reset of a budget of a day is shown as %v", l["resetSeconds"])
			}
			shown = append(shown, budget{fmt.Sprintf("%.2f", l["amount"].(float64)/1e9), fmt.Sprintf("%.2f", l["used"].(float64)/1e9)})
		}
	}
	if len(shown) > len(told) || fmt.Sprint(shown) != fmt.Sprint(told[:len(shown)]) {
		s.t.Errorf("the caller is told of the budgets %v, the administrator of %v", told, shown)
	}
	return told
}

// replace puts the whole row back with one change.
func (s *serving) replace(path string, change func(metadata, spec map[string]any)) {
	s.t.Helper()
	row := s.control.row(path)
	metadata, spec := row["metadata"].(map[string]any), row["spec"].(map[string]any)
	kind, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "/")
	id := metadata["id"].(string)
	change(metadata, spec)
	s.control.must(http.StatusOK, http.MethodPut, "/api/"+kind+"/by-id/"+id, encoded(s.t, map[string]any{"metadata": metadata, "spec": spec}))
}

func TestBudget_EditsAndRestartsKeepWhatIsSpent(t *testing.T) {
	dir := dataDir(t)
	s := startServing(t, dir, nil)
	s.nineDollars()
	s.done("", "policy", "add", "chat", "--budget", "10/day")
	key := s.done("", "key", "add", "alice", "--policy", "chat", "--budget", "100/month")
	s.chat(200, key, "echo-mini")

	spent := func(after string, chat, own string) {
		t.Helper()
		want := []budget{{chat, "9.00"}, {own, "9.00"}}
		if got := s.budgets(key, "service-account:alice"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("after %s the budgets are %v, want %v", after, got, want)
		}
	}
	amount := func(dollars string) func(_, spec map[string]any) {
		return func(_, spec map[string]any) {
			b := maps.Clone(spec["budgets"].([]any)[0].(map[string]any))
			b["amount"] = dollars
			spec["budgets"] = []any{b}
		}
	}
	describe := func(metadata, _ map[string]any) { metadata["description"] = "what the team may spend" }
	spent("a call", "10.00", "100.00")
	s.replace("/api/policies/chat", describe)
	s.replace("/api/relay-keys/alice", describe)
	spent("new descriptions", "10.00", "100.00")
	s.replace("/api/policies/chat", amount("20"))
	s.replace("/api/relay-keys/alice", amount("200"))
	spent("new amounts", "20.00", "200.00")
	s.replace("/api/policies/chat", func(metadata, _ map[string]any) { metadata["name"] = "talk" })
	s.replace("/api/relay-keys/alice", func(metadata, _ map[string]any) { metadata["name"] = "al" })
	spent("new names", "20.00", "200.00")
	s.done("", "policy", "edit", "talk", "--budget", "30/day")
	s.done("", "key", "edit", "al", "--budget", "300/month")
	spent("edits by the command line", "30.00", "300.00")
	manifests := s.relay("", "export").stdout
	s.done(strings.ReplaceAll(manifests, "what the team may spend", "what they may spend"), "apply", "-f", "-")
	spent("manifests", "30.00", "300.00")
	key = s.done("", "key", "rotate", "al", "--yes")
	spent("a rotation", "30.00", "300.00")
	s.stop()
	s = startServing(t, dir, nil)
	spent("a restart", "30.00", "300.00")

	for range 3 {
		s.chat(200, key, "echo-mini")
	}
	if text := s.chat(429, key, "echo-mini"); !strings.Contains(text, "Budget of policy talk: quota of $30.00 a day is used up ($36.00); it resets ") {
		t.Errorf("refused with %s", text)
	}
	rows := member(s.control.row("/api/usage/summary?group_by=model"), "items").([]any)
	if sum := rows[0].(map[string]any); len(rows) != 1 || sum["cost_nanos"].(float64) != 36e9 {
		t.Errorf("the usage sums up to %v, want 36 dollars", rows)
	}
}
