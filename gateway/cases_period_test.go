package gateway_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// stock makes the catalog of newStand on a machine's first rig. Each call of
// 1,000 tokens costs 0.75 dollars.
func stock(r *rig) *gatewaytest.Upstream {
	up := gatewaytest.New(r.tb)
	r.stock(up)
	r.priced("750")
	return up
}

// spend makes two calls, 1.50 dollars of a budget of 1.
func (r *rig) spend(k kind, up *gatewaytest.Upstream, key string) {
	r.tb.Helper()
	for range 2 {
		up.Play(k.says(900, 100))
		r.want(r.ask(k, key), 200, "")
	}
	if spent := r.used(key, limiter.MeterCost); spent != 1_500_000_000 {
		r.tb.Fatalf("%d nano-dollars are spent", spent)
	}
}

// boundaries are a moment within a period, and the one at which the next
// begins.
func boundaries(t *testing.T) []boundary {
	t.Helper()
	local := func(zone string, year, month, day, hour int) time.Time {
		l, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		return time.Date(year, time.Month(month), day, hour, 0, 0, 0, l)
	}
	return []boundary{
		{"UTC", "day", local("UTC", 2026, 3, 2, 13), local("UTC", 2026, 3, 3, 0)},
		{"UTC", "week", local("UTC", 2026, 3, 8, 13), local("UTC", 2026, 3, 9, 0)},
		{"UTC", "month", local("UTC", 2027, 2, 28, 13), local("UTC", 2027, 3, 1, 0)},
		{"UTC", "month", local("UTC", 2028, 2, 28, 13), local("UTC", 2028, 3, 1, 0)},
		{"UTC", "month", local("UTC", 2026, 4, 30, 13), local("UTC", 2026, 5, 1, 0)},
		{"UTC", "month", local("UTC", 2026, 12, 31, 13), local("UTC", 2027, 1, 1, 0)},
		{"Europe/Berlin", "day", local("Europe/Berlin", 2026, 3, 29, 1), local("Europe/Berlin", 2026, 3, 30, 0)},   // of 23 hours
		{"Europe/Berlin", "day", local("Europe/Berlin", 2026, 10, 25, 1), local("Europe/Berlin", 2026, 10, 26, 0)}, // of 25 hours
		{"Europe/Berlin", "week", local("Europe/Berlin", 2026, 3, 23, 0), local("Europe/Berlin", 2026, 3, 30, 0)},
		{"Europe/Berlin", "month", local("Europe/Berlin", 2026, 10, 1, 0), local("Europe/Berlin", 2026, 11, 1, 0)},
		{"America/St_Johns", "day", local("America/St_Johns", 2026, 3, 8, 0), local("America/St_Johns", 2026, 3, 9, 0)},
		{"Pacific/Apia", "month", local("Pacific/Apia", 2026, 9, 30, 23), local("Pacific/Apia", 2026, 10, 1, 0)},
	}
}

type boundary struct {
	zone, period string
	within, next time.Time
}

func TestBudget_BeginsAnewWithItsPeriodWithoutAnyJob(t *testing.T) {
	for i, b := range boundaries(t) {
		for _, stopped := range []bool{false, true} {
			k := kinds()[i%len(kinds())]
			t.Run(fmt.Sprintf("%s %s until %s, stopped %v, %s", b.zone, b.period, b.next.Format(time.DateOnly), stopped, k.name), func(t *testing.T) {
				m := newMachine(t, b.zone, b.within)
				r := m.boot()
				up := stock(r)
				budget := []store.Budget{{Amount: "1", Period: b.period}}
				r.account()
				edit(r, "open", func(p *store.Policy) { p.Spec.Budgets = budget })
				key := r.key("laptop", store.RelayKeySpec{})
				r.spend(k, up, key)
				r.at(b.next.Add(-time.Nanosecond))
				r.want(r.ask(k, key), 429, "quota of $1.00 a "+b.period+" is used up ($1.50); it resets "+b.next.Format("2006-01-02 15:04 MST"))
				if stopped {
					r = m.reboot(b.next)
				} else {
					r.at(b.next)
				}
				up.Play(k.says(900, 100))
				r.want(r.ask(k, key), 200, "")
				if spent := r.used(key, limiter.MeterCost); spent != 750_000_000 {
					t.Errorf("%d nano-dollars are spent in the new period, want one call's", spent)
				}
				if all := r.events(4); len(all) != 4 {
					t.Errorf("%d events are left of both periods, want 4", len(all))
				}
			})
		}
	}
}

// A day is over, the month is not.
func TestBudget_OfALongerPeriodGoesOnWhenAShorterOneEnds(t *testing.T) {
	m := newMachine(t, "UTC", noon)
	r := m.boot()
	up := stock(r)
	key := r.key("laptop", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "1", Period: "day"}, {Amount: "3.50", Period: "month"}}})
	k := kinds()[0]
	up.Otherwise(k.says(900, 100))
	for day := range 2 {
		r.at(noon.AddDate(0, 0, day))
		r.want(r.ask(k, key), 200, "")
		r.want(r.ask(k, key), 200, "")
		r.want(r.ask(k, key), 429, "a day is used up ($1.50)")
	}
	r = m.reboot(noon.AddDate(0, 0, 2))
	r.want(r.ask(k, key), 200, "")
	r.want(r.ask(k, key), 429, "quota of $3.50 a month is used up ($3.75); it resets 2026-04-01 00:00 UTC")
	r.at(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
	r.want(r.ask(k, key), 200, "")
}

func TestBudget_PeriodsAreCalendarOnesInTheirZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	created := time.Date(2026, 3, 17, 13, 37, 0, 0, berlin)
	for i, c := range []struct {
		period string
		resets time.Time
		told   string
	}{
		{"day", time.Date(2026, 3, 18, 0, 0, 0, 0, berlin), "a day is used up ($1.50); it resets 2026-03-18 00:00 CET. Ask your gateway administrator."},
		{"week", time.Date(2026, 3, 23, 0, 0, 0, 0, berlin), "a week is used up ($1.50); it resets 2026-03-23 00:00 CET. Ask your gateway administrator."},
		{"month", time.Date(2026, 4, 1, 0, 0, 0, 0, berlin), "a month is used up ($1.50); it resets 2026-04-01 00:00 CEST. Ask your gateway administrator."},
		{"total", time.Time{}, "in total is used up ($1.50). Ask your gateway administrator."},
	} {
		for _, k := range kinds()[i:min(i+2, len(kinds()))] {
			t.Run(c.period+" "+k.name, func(t *testing.T) {
				m := newMachine(t, "Europe/Berlin", created)
				r := m.boot()
				up := stock(r)
				key := r.key("laptop", store.RelayKeySpec{Budgets: []store.Budget{{Amount: "1", Period: c.period}}})
				r.spend(k, up, key)
				a := r.ask(k, key)
				r.want(a, 429, "Budget of key laptop: quota of $1.00 "+c.told)
				wait := ""
				if !c.resets.IsZero() && k.shape != "openai_responses" { // whose agent would sit it out
					wait = strconv.Itoa(int(c.resets.Sub(created).Seconds()))
				}
				if a.Header.Get("Retry-After") != wait || a.Header.Get("X-Should-Retry") != "false" || a.Header.Get("X-Relay-Refused-By") != "budget" {
					t.Errorf("headers %v, want a wait of %q", a.Header, wait)
				}
				if _, _, holds := toldIn(k.shape, 429, "budget_exceeded"); !strings.Contains(a.Body, strings.TrimSuffix(holds, "}")) {
					t.Errorf("got %s", a.Body)
				}
				if got := r.resetOfBudget(key); got != wait {
					t.Errorf("/v1/usage tells of a reset in %q seconds, want %q", got, wait)
				}
				if c.resets.IsZero() {
					r.at(created.AddDate(10, 0, 0))
					r.want(r.ask(k, key), 429, "in total")
					r = m.reboot(created.AddDate(20, 0, 0))
					r.want(r.ask(k, key), 429, "in total")
					return
				}
				r.at(c.resets.Add(-time.Second))
				if a := r.ask(k, key); a.Status != 429 || a.Header.Get("Retry-After") != "1" {
					t.Errorf("a second before the reset: %d %v", a.Status, a.Header)
				}
				r.at(c.resets)
				up.Play(k.says(900, 100))
				r.want(r.ask(k, key), 200, "")
			})
		}
	}
}

// resetOfBudget is when the caller is told that its first budget begins anew.
func (r *rig) resetOfBudget(key string) string {
	r.tb.Helper()
	var told struct {
		Budgets []struct {
			Reset *int64 `json:"reset_seconds"`
		}
	}
	a := r.get("/v1/usage", key)
	if err := json.Unmarshal([]byte(a.Body), &told); err != nil || len(told.Budgets) != 1 {
		r.tb.Fatalf("%v: %s", err, a.Body)
	}
	if told.Budgets[0].Reset == nil {
		return ""
	}
	return strconv.FormatInt(*told.Budgets[0].Reset, 10)
}
