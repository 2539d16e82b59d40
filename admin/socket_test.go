package admin_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relay/admin"
)

// socketDir is short, unlike the names of test folders.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "relay")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestServeSocket_IsTrustedAndForTheOwnerOnly(t *testing.T) {
	f, path := start(t), filepath.Join(socketDir(t), "relay.sock")
	server, err := admin.ServeSocket(path, f.handler)
	if err != nil {
		t.Fatal(err)
	}
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", stat.Mode(), err)
	}
	client := admin.NewSocketClient(path)
	if status, err := client.Status(context.Background()); err != nil || status.Version != "1.2.3" {
		t.Errorf("status %+v, %v", status, err)
	}
	if _, err := admin.ServeSocket(path, f.handler); err == nil || !strings.Contains(err.Error(), "another process answers") {
		t.Errorf("a second server: %v", err)
	}
	client.Close()
	if err := server.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestServeSocket_ReplacesAStaleSocketAndNothingElse(t *testing.T) {
	f, path := start(t), filepath.Join(socketDir(t), "relay.sock")
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	server, err := admin.ServeSocket(path, f.handler)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.ServeSocket(path, f.handler); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("a file in its place: %v", err)
	}
	long := "/tmp/" + strings.Repeat("x", 100)
	if _, err := admin.ServeSocket(long, f.handler); err == nil || !strings.Contains(err.Error(), "socket:") {
		t.Errorf("a long path: %v", err)
	}
}

func TestEnsureToken_MakesOneThatLasts(t *testing.T) {
	dir := t.TempDir()
	first, err := admin.EnsureToken(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "admin.token")
	if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 || len(first.Reveal()) < 43 {
		t.Errorf("mode %v, %d characters, %v", stat.Mode(), len(first.Reveal()), err)
	}
	if second, err := admin.EnsureToken(dir); err != nil || second.Reveal() != first.Reveal() {
		t.Errorf("the second time: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.EnsureToken(dir); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others may read: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil || os.Chmod(path, 0o600) != nil {
		t.Fatal(err)
	}
	if _, err := admin.EnsureToken(dir); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("an empty file: %v", err)
	}
}
