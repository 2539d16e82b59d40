package admin_test

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"relay/admin"
	"relay/store"
	"relay/store/storetest"
)

// A disk that takes no writes does not keep calls from being served, and what
// watches the process hears of it until writes succeed again.
func TestReadyz_WarnsWhileTheDiskTakesNoWrites(t *testing.T) {
	var file *os.File
	db := storetest.Open(t, func(o *store.Options) {
		o.OpenFile = func(path string, flag int, mode os.FileMode) (*os.File, error) {
			opened, err := os.OpenFile(path, flag, mode)
			file = opened
			return opened, err
		}
	})
	if err := admin.FirstBoot(db); err != nil {
		t.Fatal(err)
	}
	f := start(t, func(o *admin.Options) { o.DB = db })
	f.send("GET", "/readyz", "").want(200).holds(`"warnings":[]`)

	reopen(t, file, os.O_RDONLY)
	f.send("POST", "/api/providers", `{"metadata":{"name":"acme"},"spec":{}}`).want(http.StatusServiceUnavailable).holds("storage_unavailable")
	f.send("GET", "/readyz", "").want(200).holds(`"ready":true`, "the last write to the database failed")
	f.send("GET", "/api/status", "").want(200).holds(`"ready":true`, "the last write to the database failed")

	reopen(t, file, os.O_RDWR)
	f.send("POST", "/api/providers", `{"metadata":{"name":"acme"},"spec":{}}`).want(http.StatusCreated)
	if told := f.send("GET", "/readyz", "").want(200); !strings.Contains(told.text, `"warnings":[]`) {
		t.Errorf("after a write that succeeded: %s", told.text)
	}
}

// reopen puts another opening of the same file in the place of the one that the
// database has.
func reopen(t *testing.T, file *os.File, flag int) {
	t.Helper()
	other, err := os.OpenFile(file.Name(), flag, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Dup3(int(other.Fd()), int(file.Fd()), 0); err != nil {
		t.Fatal(err)
	}
}
