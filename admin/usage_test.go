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

// record writes n usage events of a model, a minute apart, the last one now.
func (f *fixture) record(n int, model string, status int) {
	f.t.Helper()
	f.db.StartUsage(nil)
	cost := int64(1000)
	for i := range n {
		at := f.now.Add(-time.Duration(i) * time.Minute)
		e := store.Event{
			At: at, RequestID: fmt.Sprintf("r-%s-%d", model, i), Source: "pipeline", Endpoint: "chat", Status: status,
			Model: model, Tokens: store.Tokens{Input: 10, Output: 5}, CostNanos: &cost,
		}
		f.db.RecordUsage(0, at, store.AppendEvent(nil, &e), 0)
	}
}

func TestUsage_ListsEventsNewestFirstWithNames(t *testing.T) {
	f := start(t)
	model := f.create(store.KindModel, `{"metadata":{"name":"lab/m"},"spec":{}}`)
	f.record(5, model, 200)
	c := f.client()
	var seen []string
	for cursor := ""; ; {
		page, err := c.UsageEvents(context.Background(), admin.UsageQuery{UsageFilter: admin.UsageFilter{Model: "lab/m"}, Limit: 2, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Items {
			seen = append(seen, e.RequestID)
			if e.ModelName != "lab/m" || e.Tokens.Input != 10 {
				t.Errorf("event %+v", e)
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if len(seen) != 5 || seen[0] != "r-"+model+"-0" {
		t.Errorf("events %v", seen)
	}
}

func TestUsage_IsFilteredAndSummedUp(t *testing.T) {
	f := start(t)
	model := f.create(store.KindModel, `{"metadata":{"name":"m"},"spec":{}}`)
	f.record(90, model, 200)
	f.record(3, "unknown", 500)
	ctx, c := context.Background(), f.client()
	rows, err := c.UsageSummary(ctx, admin.UsageFilter{}, "model")
	if err != nil || len(rows) != 2 || rows[0].Name != "m" || rows[0].Requests != 90 || rows[0].CostNanos != 90000 || rows[1].Errors != 3 {
		t.Errorf("rows %+v, %v", rows, err)
	}
	rows, err = c.UsageSummary(ctx, admin.UsageFilter{Since: "29m30s", Status: "2xx"}, "")
	if err != nil || len(rows) != 1 || rows[0].Requests != 30 {
		t.Errorf("rows %+v, %v", rows, err)
	}
	since := f.now.Add(-90 * time.Second).Format(time.RFC3339)
	rows, err = c.UsageSummary(ctx, admin.UsageFilter{Since: since, Model: "unknown"}, "day")
	if err != nil || len(rows) != 1 || rows[0].Requests != 2 || rows[0].Group != "2026-11-30" {
		t.Errorf("rows %+v, %v", rows, err)
	}
	f.send("GET", "/api/usage/summary?group_by=colour", "").want(http.StatusBadRequest).holds("query.group_by", "host_key")
	f.send("GET", "/api/usage/summary?since=yesterday", "").want(http.StatusBadRequest).holds("query.since")
	f.send("GET", "/api/usage/events?colour=red", "").want(http.StatusBadRequest).holds("query.colour")
	f.send("GET", "/api/usage/events?cursor=red", "").want(http.StatusBadRequest).holds("cursor")
}
