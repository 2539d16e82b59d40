package cmd_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"relay/store"
)

// pages reads what the control listener shows.
func (s *serving) pages(seen *evidence) {
	s.t.Helper()
	paths := []string{
		"/metrics", "/readyz", "/livez", "/", "/console.js", "/api/status", "/api/version", "/api/export", "/api/openapi.json", "/api/master-key",
		"/api/usage/events", "/api/usage/summary?group_by=model", "/api/accounts/organization:default/effective", "/api/policies/default/rate-limits",
	}
	for _, kind := range store.Kinds() {
		paths = append(paths, "/api/"+kind.Plural()+"?limit=1000")
	}
	for _, name := range []string{"up", "second", "third"} {
		paths = append(paths, "/api/host-keys/"+name, "/api/host-keys/by-id/"+s.control.id("/api/host-keys/"+name)+"/health")
	}
	for _, path := range paths {
		status, text := s.control.send(http.MethodGet, path, "")
		if status != http.StatusOK && path != "/console.js" {
			s.t.Errorf("GET %s: %d %s", path, status, text)
		}
		seen.add("GET "+path, text)
	}
	question := `{"credential":"alice","model":"rude","endpoint":"chat"}`
	_, text := s.control.send(http.MethodPost, "/api/explain", question)
	seen.add("/api/explain", text)
	wrong := control{s.t, s.control.url, "admin-CANARY-wrong-1q2w3e4r5t6y"}
	seen.add("a refusal by the control API", wrong.must(http.StatusUnauthorized, http.MethodGet, "/api/relay-keys", ""))
	seen.add("a refused record", s.control.must(http.StatusBadRequest, http.MethodPost, "/api/host-keys", `{"metadata":{"name":"bad"},"spec":{"hostId":"up","valu":"sk-proj-CANARY-wrong-0a1b2c3d4e5f"}}`))
	seen.add("a backup", s.control.must(http.StatusOK, http.MethodGet, "/api/backup", ""))
}

// files reads the data dir. What is there to hold a secret must be readable by
// its owner alone.
func (s *serving) files(seen *evidence, dir string) {
	s.t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if info, err := entry.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			s.t.Errorf("%s has the mode %v", path, info.Mode())
		}
		if entry.Name() != "first-run.txt" {
			seen.add(entry.Name(), string(text))
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if !slices.Contains(seen.where, "relay.db") {
		s.t.Errorf("no database among %v", seen.where)
	}
}
