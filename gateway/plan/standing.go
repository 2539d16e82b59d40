package plan

import (
	"cmp"

	"relay/limiter"
)

// Standing is what the counter of one rule stands at.
type Standing struct {
	Limit        string `json:"limit" doc:"The rate limit; or limits, for limits on the record itself; or budget."`
	Owner        string `json:"owner" doc:"Whose it is, such as policy chat."`
	Subject      string `json:"subject" doc:"Who counts together, such as team:research; the owner, where it counts alone."`
	Model        string `json:"model,omitempty"`
	Per          string `json:"per,omitempty" doc:"What the limit is split by, such as key=alice."`
	Meter        string `json:"meter"`
	Window       int64  `json:"window,omitempty" doc:"Seconds."`
	Period       string `json:"period,omitempty" doc:"Of a budget."`
	Used         int64  `json:"used"`
	Amount       int64  `json:"amount"`
	ResetSeconds *int64 `json:"resetSeconds,omitempty"`
}

// Standings returns what has been counted otherwise than in before, which maps
// counters to what they stood at and is brought up to date, at most limit of
// them; the rest is left for the next call. Counters that have always stood at
// 0 are left out.
func (p *Plan) Standings(counters Counters, before map[*limiter.Counter]int64, limit int) []Standing {
	seen, t := Observed{Counters: counters}, &tally{compiler: p.compiled}
	out := []Standing{}
	for name, l := range p.allLimits() {
		used := counters.Read(l.Counter).Used
		if used == before[l.Counter] {
			continue
		}
		if before[l.Counter] = used; used == 0 {
			delete(before, l.Counter)
		}
		s := t.stateOf(l)
		seen.read(&s, l)
		out = append(out, Standing{
			Limit: cmp.Or(s.Name, s.ID), Owner: s.Owner, Subject: t.subjectOf(name, s.Owner), Model: s.Model, Per: t.namedAll(name.Per),
			Meter: s.Meter, Window: s.Window, Period: s.Period, Used: s.Used, Amount: s.Amount, ResetSeconds: s.ResetSeconds,
		})
		if len(out) == limit {
			break
		}
	}
	return out
}

func (t *tally) subjectOf(name limiter.Name, owner string) string {
	if name.Subject == "" {
		return owner
	}
	return t.named(name.Subject, ":")
}
