package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"relay/gateway/plan"
	"relay/limiter"
)

// explanationTables are the parts of an explanation: the answer, the rungs, the
// keys of the route and of the models that it goes on with, the limits. What is
// empty is left out.
func explanationTables(e plan.Explanation) []table {
	tables := []table{answerTable(e), rungTable(e.Rungs)}
	if t := routeTable(e.Route); len(t.rows) > 0 {
		tables = append(tables, t)
	}
	if t := fallbackTable(e.Route); len(t.rows) > 0 {
		tables = append(tables, t)
	}
	if t := limitTable(limitsOf(e)); len(t.rows) > 0 {
		tables = append(tables, t)
	}
	return tables
}

func answerTable(e plan.Explanation) table {
	who := e.Account
	if e.Credential != nil {
		who = e.Credential
	}
	t := details(
		[]string{"request", fmt.Sprintf("%s at endpoint %s, by %s %s", e.Model, e.Endpoint, strings.ReplaceAll(string(who.Kind), "-", " "), who.Name)},
		[]string{"answer", answerText(e)},
		[]string{"counters", countersText(e)},
	)
	for _, note := range e.Notes {
		t.rows = append(t.rows, []string{"note", note})
	}
	return t
}

func answerText(e plan.Explanation) string {
	if !e.Allowed {
		return fmt.Sprintf("refused by %s, %s: %s", e.Refusal.By, e.Refusal.Code, e.Refusal.Message)
	}
	for _, pool := range poolsOf(e.Route) {
		for _, k := range pool.Keys {
			if k.Takes {
				return fmt.Sprintf("it would pass, to %s at %s%s", k.UpstreamName, k.Host, translatedText(k))
			}
		}
	}
	return "it would pass"
}

// translatedText tells of a request that does not pass as it is.
func translatedText(k plan.ExplainedKey) string {
	if k.Translated == "" {
		return ""
	}
	return ", translated into " + string(k.Translated)
}

// poolsOf are the pools of a route and of those models it goes on with that
// have room, in the order in which they are tried.
func poolsOf(route *plan.ExplainedRoute) []plan.ExplainedPool {
	if route == nil {
		return nil
	}
	pools := slices.Clone(route.Pools)
	for _, f := range route.Fallbacks {
		if f.Takes {
			pools = append(pools, f.Pools...)
		}
	}
	return pools
}

// limitsOf are the limits of the caller, and those of each model that the
// request may go on with.
func limitsOf(e plan.Explanation) []plan.LimitState {
	limits := slices.Clone(e.Limits)
	if e.Route != nil {
		for _, f := range e.Route.Fallbacks {
			limits = append(limits, f.Limits...)
		}
	}
	return limits
}

func countersText(e plan.Explanation) string {
	switch {
	case e.Live:
		return "as they stand now"
	case e.AsOf.IsZero():
		return "not live: Relay is not running, and nothing has been counted yet"
	}
	return "not live: Relay is not running; from what was last counted, " + e.AsOf.Local().Format(time.DateTime)
}

func rungTable(rungs []plan.RungVerdict) table {
	t := table{columns: []column{left("rung"), left("name"), left("policy"), left("says"), left("why")}}
	for _, r := range rungs {
		policy := "-"
		if r.Policy != nil {
			policy = r.Policy.Name
		}
		verdict := r.Verdict
		if verdict == "silent" {
			verdict = "-"
		}
		t.rows = append(t.rows, []string{r.Rung, r.Record.Name, policy, verdict, r.Reason})
	}
	return t
}

func routeTable(route *plan.ExplainedRoute) table {
	t := table{columns: []column{left("pool"), left("host"), left("key"), left("called"), left("price"), left("state")}}
	if route == nil {
		return t
	}
	t.rows = keyRows(route.Pools, route.PassedOver)
	return t
}

func keyRows(pools []plan.ExplainedPool, passed []plan.PassedKey) [][]string {
	var rows [][]string
	for _, pool := range pools {
		name := pool.Name
		if pool.Selection != plan.Prioritized {
			name += " (" + pool.Selection + ")"
		}
		for _, k := range pool.Keys {
			rows = append(rows, []string{name, k.Host, k.HostKey, k.UpstreamName + translatedText(k), priceText(k.Price), keyStateText(k)})
		}
	}
	for _, k := range passed {
		rows = append(rows, []string{"-", k.Host, cmp.Or(k.HostKey, "-"), "-", "-", "passed over: " + k.Reason})
	}
	return rows
}

// fallbackTable has the keys of each model that the route goes on with, and a
// row for a model without any.
func fallbackTable(route *plan.ExplainedRoute) table {
	t := table{columns: []column{left("then"), left("pool"), left("host"), left("key"), left("called"), left("price"), left("state")}}
	if route == nil {
		return t
	}
	for _, f := range route.Fallbacks {
		rows := keyRows(f.Pools, f.PassedOver)
		if len(rows) == 0 || f.Alias || !f.Takes {
			rows = append([][]string{{"-", "-", "-", "-", "-", legText(f)}}, rows...)
		}
		for i, row := range rows {
			name := ""
			if i == 0 {
				name = legName(f)
			}
			t.rows = append(t.rows, append([]string{name}, row...))
		}
	}
	return t
}

func legName(f plan.ExplainedFallback) string {
	name := f.Model.Name
	if f.Weight > 0 {
		name += fmt.Sprintf(" (weight %d)", f.Weight)
	}
	if f.Through != "" {
		name += " (through " + f.Through + " only)"
	}
	return name
}

func legText(f plan.ExplainedFallback) string {
	switch {
	case !f.Takes:
		return "passed over: " + f.Reason
	case f.Alias:
		return "stands for what follows"
	}
	return "takes it"
}

func priceText(p *plan.Price) string {
	if p == nil {
		return "no price"
	}
	var parts []string
	if p.InputPerMillion != "" {
		parts = append(parts, "$"+p.InputPerMillion+"/M in")
	}
	if p.OutputPerMillion != "" {
		parts = append(parts, "$"+p.OutputPerMillion+"/M out")
	}
	return cmp.Or(strings.Join(parts, ", "), p.Pricing)
}

func keyStateText(k plan.ExplainedKey) string {
	switch {
	case !k.Takes:
		return "not now: " + k.Reason
	case k.State != nil && k.State.State == "half-open":
		return "on trial: " + k.State.Reason
	case k.Health != nil && k.Health.Health == "unreachable":
		return "host unreachable lately: " + k.Health.LastError
	}
	return "takes it"
}

func limitTable(limits []plan.LimitState) table {
	t := table{columns: []column{left("limit"), right("used"), right("left"), left("back to 0"), left("now")}}
	for _, l := range limits {
		t.rows = append(t.rows, []string{l.Text, limitAmount(l, l.Used), limitAmount(l, l.Room), resetText(l), limitVerdict(l)})
	}
	return t
}

func limitAmount(l plan.LimitState, n int64) string {
	if l.Meter == string(limiter.MeterCost) {
		return dollars(n)
	}
	return grouped(n)
}

func resetText(l plan.LimitState) string {
	if l.ResetSeconds == nil || *l.ResetSeconds == 0 {
		return "-"
	}
	return "in " + roughly(time.Duration(*l.ResetSeconds)*time.Second)
}

func limitVerdict(l plan.LimitState) string {
	switch {
	case l.Refuses && l.RetryAfterSeconds > 0:
		return "refuses; room in " + roughly(time.Duration(l.RetryAfterSeconds)*time.Second)
	case l.Refuses:
		return "refuses"
	case l.WarnsOnly && l.Room == 0:
		return "warns"
	}
	return "has room"
}
