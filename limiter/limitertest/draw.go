package limitertest

import "relay/limiter"

// rules draws so many rules, no two of one counter but now and then a second
// limit over the first's.
func (g *generator) rules(n int) {
	names := map[limiter.Name]bool{}
	for len(g.trace.Rules) < n {
		r := g.rule()
		known := r.Name
		if known.Meter == limiter.MeterCost {
			known.Timezone = ""
		}
		if names[known] {
			continue
		}
		names[known] = true
		g.trace.Rules = append(g.trace.Rules, r)
	}
	if twice := g.trace.Rules[0]; g.IntN(4) == 0 && !isBucket(twice.Name) {
		twice.Amount, twice.Reserve = 8, g.IntN(2) == 0
		g.trace.Rules = append(g.trace.Rules, twice)
	}
}

func isBucket(n limiter.Name) bool {
	return n.Meter == limiter.MeterRequests && (n.Strategy == limiter.TokenBucket || n.Strategy == limiter.LeakyBucket)
}

func (g *generator) rule() Rule {
	places := []Rule{{Rung: limiter.ScopeKey, Order: 1}, {Rung: limiter.ScopeTeam}, {Rung: limiter.ScopeKey}}
	r := places[g.IntN(len(places))]
	r.Amount = 1 + g.Int64N(7)
	r.AtCap, r.Reserve = limiter.AtCap(g.IntN(2)), g.IntN(2) == 0
	r.Name = limiter.Name{Owner: one(g, "policy", "key"), Limit: "limits"}
	if g.scale.budgets && g.IntN(3) == 0 {
		r.Warn = g.IntN(4) == 0
		r.Name.Meter = limiter.MeterCost
		r.Name.Period = one(g, limiter.PeriodDay, limiter.PeriodWeek, limiter.PeriodMonth, limiter.PeriodTotal)
		r.Name.Timezone = one(g, "UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia")
		return r
	}
	r.Name.Meter = one(g, limiter.MeterRequests, limiter.MeterRequests, limiter.MeterRequests, limiter.MeterConcurrency,
		limiter.MeterTokens, limiter.MeterInput, limiter.MeterOutput, limiter.MeterCacheRead, limiter.MeterCacheCreation,
		limiter.MeterReasoning, limiter.MeterServerToolUseOutput)
	if r.Name.Meter != limiter.MeterConcurrency {
		r.Name.Strategy = one(g, limiter.SlidingWindow, limiter.FixedWindow, limiter.TokenBucket,
			limiter.LeakyBucket, limiter.SessionWindow, limiter.Aligned)
		r.Name.Window = one(g, g.scale.windows...)
	}
	return r
}

func one[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }
