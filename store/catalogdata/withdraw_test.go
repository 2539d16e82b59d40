package catalogdata_test

import (
	"fmt"
	"testing"

	"relay/store"
	"relay/store/catalogdata"
	"relay/store/storetest"
)

func withdraw(t *testing.T, db *store.DB, present, former *catalogdata.Data) []string {
	t.Helper()
	var done []string
	_, err := db.Write(func(e *store.Edit) error {
		if _, err := former.Apply(e); err != nil {
			return err
		}
		changes, err := present.Withdraw(e, former)
		for _, c := range changes {
			done = append(done, fmt.Sprintf("%s %s %s", c.Action, c.Kind, c.Name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func newer(t *testing.T) *catalogdata.Data {
	t.Helper()
	return mustRead(t, edited(t, "release: 1", "release: 2"), second)
}

func TestWithdraw_DeletesWhatOnlyTheNewerCatalogueHasAndLetsItComeBack(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	apply(t, db, newer(t))
	want(t, withdraw(t, db, newer(t), mustRead(t, small)), "delete host-binding acme-2-acme", "delete pricing acme-2-acme", "delete model acme-2")
	if c := db.Catalog(); c.Models.Len() != 1 || c.HostBindings.Len() != 1 || c.Hosts.Len() != 1 {
		t.Errorf("%d models, %d bindings, %d hosts are left", c.Models.Len(), c.HostBindings.Len(), c.Hosts.Len())
	}
	want(t, apply(t, db, newer(t)), "create model acme-2", "create pricing acme-2-acme", "create host-binding acme-2-acme")
}

func TestWithdraw_LeavesWhatWasEditedAndWhatIsNeeded(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, newer(t))
	change(t, db, db.Catalog().HostBindings.ByName("acme-2-acme"), func(b *store.HostBinding) { b.Spec.Priority = 5 })
	want(t, withdraw(t, db, newer(t), mustRead(t, small)), "drift host-binding acme-2-acme", "needed pricing acme-2-acme", "needed model acme-2")
}

func TestDetails_SayWhichMembersAndPricesDiffer(t *testing.T) {
	db := storetest.Open(t)
	apply(t, db, mustRead(t, small))
	change(t, db, db.Catalog().Hosts.ByName("acme"), func(h *store.Host) { h.Spec.ProxyURL = "http://proxy.example:3128" })
	before := db.Catalog()
	data := mustRead(t, edited(t, "release: 1", "release: 2", "context: 1000", "context: 2000", "input: 1.00, output: 2.00}", "input: 1.00, cache_read: 0.10, output: 3.00}"))
	var details []catalogdata.Detail
	_, err := db.Write(func(e *store.Edit) error {
		changes, err := data.Apply(e)
		if err != nil {
			return err
		}
		details, err = data.Details(before, changes)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, d := range details {
		told = append(told, fmt.Sprint(d.Action, " ", d.Kind, " ", d.Name, " ", d.Members, " ", d.Prices))
	}
	want(t, told,
		"update model acme-1 [contextWindow] []", "drift host acme [proxyURL] []",
		"update pricing acme-1-acme [rates] [cache_read: none -> 0.10 output: 2.00 -> 3.00]")
}
