package admin_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"relay/admin"
	"relay/store"
	"relay/store/storetest"
)

func TestBackup_StreamsACopyThatIsWhole(t *testing.T) {
	f := start(t)
	oneKey(f)
	answer := f.send("GET", "/api/backup", "").want(200)
	if answer.header.Get("Content-Type") != "application/octet-stream" || answer.header.Get("Content-Length") != strconv.Itoa(len(answer.text)) {
		t.Errorf("headers %v for %d bytes", answer.header, len(answer.text))
	}
	for name, client := range map[string]*admin.Client{"remote": f.client(), "in process": admin.NewLocalClient(f.handler)} {
		path := filepath.Join(t.TempDir(), "copy.db")
		var got bytes.Buffer
		n, err := client.Backup(t.Context(), &got)
		if err != nil || n != int64(got.Len()) {
			t.Fatalf("%s: %d bytes, %v", name, n, err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		o := store.Options{Dir: t.TempDir(), MasterKey: store.NewSecret(storetest.MasterKey)}
		contents, err := store.Examine(t.Context(), o, path, func(fault string) { t.Error(fault) })
		if err != nil || contents.Installation != f.db.InstallationID() || contents.Generation != f.db.Catalog().Generation {
			t.Errorf("%s: %+v, %v", name, contents, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(f.db.Dir(), "backup-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBackup_IsForAdministratorsOnly(t *testing.T) {
	f := start(t)
	f.send("GET", "/api/backup", "", "Authorization", "").want(http.StatusUnauthorized)
	f.send("POST", "/api/backup", "{}").want(http.StatusMethodNotAllowed)
	var got bytes.Buffer
	stranger, err := admin.NewRemoteClient(f.url, store.NewSecret("another-token"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Backup(t.Context(), &got); err == nil || got.Len() > 0 {
		t.Errorf("got %d bytes, %v", got.Len(), err)
	}
}

func TestBackup_ThatIsCutShortIsAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("half"))
	}))
	defer server.Close()
	client, err := admin.NewRemoteClient(server.URL, store.Secret{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var got bytes.Buffer
	if _, err := client.Backup(t.Context(), &got); err == nil || !strings.Contains(err.Error(), "receive the backup") {
		t.Errorf("got %v", err)
	}
}
