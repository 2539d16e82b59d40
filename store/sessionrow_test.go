package store_test

import (
	"testing"
	"time"

	"relay/store"
)

func TestSessions_OutliveARestartUntilTheyAreDeleted(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	a, b := store.Session{Hash: [32]byte{1}, User: "u-1", Stamp: "s", Began: at, Seen: at}, store.Session{Hash: [32]byte{2}, User: "u-2", Began: at, Seen: at}
	for _, s := range []store.Session{a, b} {
		if err := db.PutSession(s); err != nil {
			t.Fatal(err)
		}
	}
	a.Seen = at.Add(time.Hour)
	if err := db.PutSession(a); err != nil {
		t.Fatal(err)
	}
	mustClose(t, db)
	db = mustOpen(t, o)
	if all, err := db.Sessions(); err != nil || len(all) != 2 || all[0] != a || all[1] != b {
		t.Errorf("sessions %+v, %v", all, err)
	}
	if err := db.DeleteSessions(a.Hash, [32]byte{9}); err != nil {
		t.Fatal(err)
	}
	if all, err := db.Sessions(); err != nil || len(all) != 1 || all[0] != b {
		t.Errorf("sessions %+v, %v", all, err)
	}
	mustClose(t, db)
}

func TestRevokedTokens_AreForgottenOnceTheyHaveExpired(t *testing.T) {
	o := inDir(newDir(t))
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { return now }
	db := mustOpen(t, o)
	for id, life := range map[string]time.Duration{"a": time.Hour, "b": 3 * time.Hour} {
		if err := db.RevokeToken(id, now.Add(life)); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, db)
	db = mustOpen(t, o)
	if !db.TokenRevoked("a") || !db.TokenRevoked("b") || db.TokenRevoked("c") {
		t.Error("a restart has lost revocations")
	}
	now = now.Add(2 * time.Hour)
	if err := db.RevokeToken("c", now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if db.TokenRevoked("a") || !db.TokenRevoked("b") || !db.TokenRevoked("c") {
		t.Error("what has expired is kept, or more is forgotten")
	}
	mustClose(t, db)
}

func TestTokenKeys_VerifyOnAfterTheirSuccessor(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	rotate := func() {
		t.Helper()
		if _, err := db.Write(func(e *store.Edit) error { return e.RotateTokenKey(now, now.Add(24*time.Hour)) }); err != nil {
			t.Fatal(err)
		}
	}
	keys := func() []store.TokenKey {
		t.Helper()
		keys, err := db.TokenKeys(now)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if len(keys()) != 0 {
		t.Error("there are keys before the first")
	}
	rotate()
	first := keys()
	rotate()
	both := keys()
	if len(first) != 1 || len(both) != 2 || !both[1].Private.Equal(first[0].Private) || !both[0].Until.IsZero() || !both[1].Until.Equal(now.Add(24*time.Hour)) {
		t.Fatalf("first %v, both %v", first, both)
	}
	mustClose(t, db)
	db = mustOpen(t, o)
	if again := keys(); len(again) != 2 || !again[0].Private.Equal(both[0].Private) {
		t.Errorf("after a restart %v", again)
	}
	now = now.Add(24 * time.Hour)
	if left := keys(); len(left) != 1 || left[0].ID != both[0].ID {
		t.Errorf("a day later %v", left)
	}
	rotate()
	rotate()
	if left := keys(); len(left) != 3 {
		t.Errorf("%d keys after two more", len(left))
	}
	mustClose(t, db)
}
