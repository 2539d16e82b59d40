package gateway

import (
	"encoding/json"

	"relay/gateway/plan"
	"relay/limiter"
)

// ownUsage is what GET /v1/usage tells a caller: its own models, limits and
// budgets, and nothing of others.
type ownUsage struct {
	Object  string      `json:"object"`
	Key     ownKey      `json:"key"`
	Models  []string    `json:"models"`
	Limits  []ownLimit  `json:"limits"`
	Budgets []ownBudget `json:"budgets"`
}

type ownKey struct {
	Name   string `json:"name"`
	Prefix string `json:"prefix"`
}

// ownLimit is a limit with what is left of it. Reset is the number of seconds
// until all of it is free again by itself; null for requests in flight.
type ownLimit struct {
	Owner     string `json:"owner"`
	Name      string `json:"name,omitempty"`
	Scope     string `json:"scope"`
	Model     string `json:"model,omitempty"`
	Meter     string `json:"meter"`
	Window    *int64 `json:"window"` // seconds
	Amount    int64  `json:"amount"`
	Used      int64  `json:"used"`
	Remaining int64  `json:"remaining"`
	Reset     *int64 `json:"reset_seconds"`
	SharedBy  int    `json:"shared_by,omitempty"`
}

// ownBudget is a budget in US dollars; Reset is null for one that never resets.
type ownBudget struct {
	Owner     string `json:"owner"`
	Period    string `json:"period"`
	Amount    string `json:"amount_usd"`
	Spent     string `json:"spent_usd"`
	Remaining string `json:"remaining_usd"`
	Reset     *int64 `json:"reset_seconds"`
}

// showUsage answers GET /v1/usage. It is not metered.
func (x *exchange) showUsage() error {
	if err := x.mayRead(); err != nil {
		return err
	}
	own := ownUsage{
		Object: "usage", Key: ownKey{x.caller.KeyName, x.caller.Prefix},
		Models: []string{}, Limits: []ownLimit{}, Budgets: []ownBudget{},
	}
	own.add(x, "", x.caller.Limits)
	f := plan.Facts{Caller: x.caller, User: x.event.User, Now: x.s.clock.Now()}
	for _, s := range x.caller.Selective {
		own.add(x, "", s.Limits(&f))
	}
	for _, m := range x.caller.Access.Models() {
		own.Models = append(own.Models, m.Name)
		f.Model = m
		own.addModel(x, &f)
		own.add(x, m.Name, m.Limits)
	}
	body, err := json.Marshal(own)
	if err != nil {
		return err
	}
	x.sendJSON(body)
	return nil
}

// addModel adds the limits that count a model apart from others, or it alone.
func (o *ownUsage) addModel(x *exchange, f *plan.Facts) {
	none := *f
	none.Model = nil
	for _, s := range x.caller.Selective {
		if len(s.Limits(&none)) == 0 {
			o.add(x, f.Model.Name, s.Limits(f))
		}
	}
	for _, perModel := range x.caller.ModelLimits {
		limit := perModel.Of(f.Model)
		o.add(x, f.Model.Name, limit.Limits)
		for _, s := range limit.Selective {
			o.add(x, f.Model.Name, s.Limits(f))
		}
	}
}

func (o *ownUsage) add(x *exchange, model string, limits []*limiter.Limit) {
	for _, l := range limits {
		reading := x.s.opt.Readings.Read(x.s.clock.Now(), l.Counter)
		if reading.Name.Meter == limiter.MeterCost {
			o.Budgets = append(o.Budgets, newOwnBudget(l, reading))
		} else {
			o.Limits = append(o.Limits, newOwnLimit(model, l, reading))
		}
	}
}

func newOwnLimit(model string, l *limiter.Limit, r limiter.Reading) ownLimit {
	own := ownLimit{
		Owner: l.Source.Owner, Name: l.Source.Name, Scope: l.Source.Scope.String(), Model: model,
		Meter: string(r.Name.Meter), Amount: l.Amount, Used: r.Used, Remaining: max(l.Amount-r.Used, 0),
		SharedBy: l.Source.SharedBy,
	}
	if r.Name.Meter != limiter.MeterConcurrency {
		window := r.Name.Window
		own.Window, own.Reset = &window, seconds(r)
	}
	return own
}

func newOwnBudget(l *limiter.Limit, r limiter.Reading) ownBudget {
	return ownBudget{
		Owner: l.Source.Owner, Period: r.Name.Period, Amount: usd(l.Amount), Spent: usd(r.Used),
		Remaining: usd(max(l.Amount-r.Used, 0)), Reset: seconds(r),
	}
}

// seconds rounds the time to a reset up; nil when there is none by itself.
func seconds(r limiter.Reading) *int64 {
	if r.Reset < 0 {
		return nil
	}
	whole := int64((r.Reset + 999_999_999) / 1_000_000_000)
	return &whole
}
