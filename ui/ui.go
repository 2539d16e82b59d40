// Package ui is the embedded admin UI: static files served by the control
// listener. There is no build step: what lies under static is what a browser
// gets. It makes no outside request, and its paths are relative, so that it can
// be served under any prefix.
package ui

import (
	"embed"
	"net/http"
	"strings"
)

//go:embed static
var files embed.FS

const index = "index.html"

// Handler serves the files under a strict content security policy. It reads,
// hashes and compresses them once.
func Handler() http.Handler {
	assets := load(files, "static")
	policy := policyFor(assets[index].plain)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header(), policy)
		found, ok := assets[nameOf(r)]
		if !ok {
			http.Error(w, "there is no such page", http.StatusNotFound)
			return
		}
		found.serve(w, r)
	})
}

func nameOf(r *http.Request) string {
	if name := strings.TrimPrefix(r.URL.Path, "/"); name != "" {
		return name
	}
	return index
}
