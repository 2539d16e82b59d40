package admin_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"relay/admin"
	"relay/store"
)

func (f *fixture) names(query string) (names []string, next string) {
	f.t.Helper()
	body := f.send("GET", "/api/providers?"+query, "").want(200).json()
	for _, item := range body["items"].([]any) {
		names = append(names, item.(map[string]any)["metadata"].(map[string]any)["name"].(string))
	}
	next, _ = body["next"].(string)
	return names, next
}

func TestList_SelectsByTextAndLabels(t *testing.T) {
	f := start(t)
	f.create(store.KindProvider, `{"metadata":{"name":"alpha","labels":{"tier":"1","eu":"yes"}},"spec":{}}`)
	f.create(store.KindProvider, `{"metadata":{"name":"beta","description":"Not ALPHA","labels":{"tier":"2"}},"spec":{}}`)
	f.create(store.KindProvider, `{"metadata":{"name":"gamma"},"spec":{}}`)
	for query, want := range map[string][]string{
		"":                              {"alpha", "beta", "gamma"},
		"q=alpha":                       {"alpha", "beta"},
		"label=tier%3D2":                {"beta"},
		"label=tier":                    {"alpha", "beta"},
		"label=tier%3D1&label=eu%3Dyes": {"alpha"},
		"label=tier%3D2&label=eu":       nil,
		"sort=-name":                    {"gamma", "beta", "alpha"},
		"sort=-createdAt&limit=0":       nil,
	} {
		if query == "sort=-createdAt&limit=0" {
			f.send("GET", "/api/providers?"+query, "").want(http.StatusBadRequest).holds("query.limit")
			continue
		}
		if got, _ := f.names(query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	f.send("GET", "/api/providers?sort=price", "").want(http.StatusBadRequest).holds("query.sort", "createdAt")
}

func TestList_PagesShowEveryRowOnceWhateverIsDeletedMeanwhile(t *testing.T) {
	f := start(t)
	ids := map[string]string{}
	for i := range 25 {
		name := fmt.Sprintf("p%02d", i)
		ids[name] = f.create(store.KindProvider, `{"metadata":{"name":"`+name+`"},"spec":{}}`)
	}
	for _, sort := range []string{"", "sort=-updatedAt&"} {
		var all []string
		for cursor := ""; ; {
			names, next := f.names(sort + "limit=10&cursor=" + cursor)
			all = append(all, names...)
			if cursor = next; next == "" {
				break
			}
		}
		slices.Sort(all)
		if all = slices.Compact(all); len(all) != 25 {
			t.Errorf("%q: %d rows on all pages, want 25", sort, len(all))
		}
	}
	names, next := f.names("limit=10")
	f.send("DELETE", "/api/providers/by-id/"+ids[names[9]], "").want(http.StatusNoContent)
	if names, _ = f.names("limit=10&cursor=" + next); names[0] != "p10" {
		t.Errorf("the page after a deletion begins with %s, want p10", names[0])
	}
	f.send("GET", "/api/providers?sort=-name&cursor="+next, "").want(http.StatusBadRequest).holds("query.cursor")
	f.send("GET", "/api/providers?cursor=zzz", "").want(http.StatusBadRequest).holds("query.cursor")
}

func TestListAll_FollowsThePages(t *testing.T) {
	f := start(t)
	all, err := admin.ListAll[store.TeamSpec](context.Background(), f.client(), admin.ListQuery{})
	if err != nil || len(all) != 1 || all[0].Metadata.Name != "default" {
		t.Errorf("teams %v, %v", all, err)
	}
}
