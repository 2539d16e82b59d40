package admin_test

import (
	"testing"

	"relay/admin"
	"relay/store"
)

func TestList_LeavesShippedRowsWithoutAKeyOutWhenAsked(t *testing.T) {
	r := start(t)
	client := r.client()
	system := &store.Ref{Kind: store.KindSystem}
	var shipped, own store.Host
	_, err := r.db.Write(func(e *store.Edit) error {
		shipped = store.Host{Metadata: store.Metadata{Name: "shipped", Owner: system}, Spec: store.HostSpec{BaseURL: "https://shipped.example/v1", Auth: "bearer"}}
		own = store.Host{Metadata: store.Metadata{Name: "own"}, Spec: store.HostSpec{BaseURL: "https://own.example/v1", Auth: "bearer"}}
		if err := e.Put(&shipped); err != nil {
			return err
		}
		return e.Put(&own)
	})
	if err != nil {
		t.Fatal(err)
	}
	count := func(usable bool) int {
		page, err := admin.List[store.HostSpec](t.Context(), client, admin.ListQuery{Usable: usable})
		if err != nil {
			t.Fatal(err)
		}
		return page.Total
	}
	if all, usable := count(false), count(true); all != usable+1 {
		t.Errorf("%d hosts in all, %d usable; want one less", all, usable)
	}
	_, err = r.db.Write(func(e *store.Edit) error {
		return e.Put(&store.HostKey{Metadata: store.Metadata{Name: "k"}, Spec: store.HostKeySpec{HostID: shipped.Metadata.ID, Source: store.KeySource{Kind: "env", Env: "K"}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	if all, usable := count(false), count(true); all != usable {
		t.Errorf("%d hosts in all, %d usable; want as many, since the shipped one has a key", all, usable)
	}
}
