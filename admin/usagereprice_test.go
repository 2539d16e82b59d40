package admin_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"relay/admin"
	"relay/store"
)

// pricedModel makes a model at a host, with a pricing whose output costs a dollar
// for a million tokens from 2026-11-30 on, and three before.
func pricedModel(f *fixture) (model, host string) {
	f.t.Helper()
	host = f.create(store.KindHost, `{"metadata":{"name":"lab"},"spec":{"baseURL":"http://127.0.0.1:9/v1","auth":"none"}}`)
	model = f.create(store.KindModel, `{"metadata":{"name":"m"},"spec":{}}`)
	f.create(store.KindPricing, `{"metadata":{"name":"p"},"spec":{"currency":"USD","rates":[{"meter":"tokens.output","unit":"per_million","amount":"1","from":"2026-11-30"},{"meter":"tokens.output","unit":"per_million","amount":"3","to":"2026-11-30"}]}}`)
	f.create(store.KindHostBinding, `{"metadata":{},"spec":{"modelId":"m","hostId":"lab","pricingId":"p"}}`)
	return model, host
}

// recordAt writes an unpriced event of 100 output tokens for each number of hours
// ago.
func (f *fixture) recordAt(model, host string, hoursAgo ...int) {
	f.t.Helper()
	f.db.StartUsage(nil)
	for _, ago := range hoursAgo {
		at := f.now.Add(-time.Duration(ago) * time.Hour)
		e := store.Event{At: at, RequestID: fmt.Sprint("r", ago), Status: 200, Model: model, Host: host, Tokens: store.Tokens{Output: 100}}
		f.db.RecordUsage(0, at, store.AppendEvent(nil, &e), 0)
	}
}

func TestReprice_PricesEachRequestByItsDayAndSummariesFollow(t *testing.T) {
	f := start(t) // it is noon of 2026-11-30
	model, host := pricedModel(f)
	f.recordAt(model, host, 1, 11, 13, 30)
	ctx, c := context.Background(), f.client()
	want := store.Repriced{Events: 4, Changed: 4, NewlyPriced: 4, AfterNanos: 2*100_000 + 2*300_000}
	tried, err := c.Reprice(ctx, admin.RepriceRequest{Since: "7d", DryRun: true})
	if err != nil || *tried != want {
		t.Errorf("tried %+v, %v", tried, err)
	}
	rows, err := c.UsageSummary(ctx, admin.UsageFilter{}, "")
	if err != nil || rows[0].CostNanos != 0 || rows[0].Unpriced != 4 {
		t.Errorf("after a trial: %+v, %v", rows, err)
	}
	done, err := c.Reprice(ctx, admin.RepriceRequest{Since: "20h"})
	if err != nil || done.Events != 3 || done.AfterNanos != 500_000 {
		t.Errorf("done %+v, %v", done, err)
	}
	rows, err = c.UsageSummary(ctx, admin.UsageFilter{}, "")
	if err != nil || rows[0].CostNanos != 500_000 || rows[0].Unpriced != 1 {
		t.Errorf("after it: %+v, %v", rows, err)
	}
}

func TestReprice_IsAuditedUnlessItIsATrial(t *testing.T) {
	f := start(t)
	f.recordAt(f.create(store.KindModel, `{"metadata":{"name":"m"},"spec":{}}`), "none", 1)
	f.send("POST", "/api/usage/reprice", `{"since":"7d","dryRun":true}`).want(200)
	if n := len(f.logged("?action=reprice-usage")); n != 0 {
		t.Errorf("a trial left %d entries", n)
	}
	f.send("POST", "/api/usage/reprice", `{"since":"7d"}`).want(200)
	if n := len(f.logged("?action=reprice-usage")); n != 1 {
		t.Errorf("%d entries", n)
	}
	f.send("POST", "/api/usage/reprice", `{}`).want(http.StatusBadRequest).holds("since")
	f.send("POST", "/api/usage/reprice", `{"since":"yesterday"}`).want(http.StatusBadRequest).holds("since")
	f.send("POST", "/api/usage/reprice", `{"since":"1d","until":"soon"}`).want(http.StatusBadRequest).holds("until")
}

func TestCatalogue_IsAnsweredAsAbsentWhereThereIsNone(t *testing.T) {
	f := start(t)
	for _, call := range [][3]string{
		{"GET", "/api/catalog", ""}, {"GET", "/api/catalog/diff", ""}, {"POST", "/api/catalog/rollback", `{}`}, {"POST", "/api/catalog/update", `{"text":"x","source":"y"}`},
	} {
		f.send(call[0], call[1], call[2]).want(http.StatusServiceUnavailable).holds("no catalogue")
	}
}
