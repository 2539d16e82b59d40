package ui_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"relay/ui"
)

// pages gets paths of one handler. Headers come in pairs.
type pages struct{ http.Handler }

func (p pages) get(path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// shipped lists the files under static by their path in a URL.
func shipped(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := fs.WalkDir(os.DirFS("static"), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, "/"+name)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	return paths
}

func TestHandler_ServesEveryFileGuarded(t *testing.T) {
	p := pages{ui.Handler()}
	for _, path := range append(shipped(t), "/", "/nothing.js") {
		h := p.get(path).Header()
		policy := h.Get("Content-Security-Policy")
		for _, part := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
			"base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
		} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy lacks %s: %s", path, part, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, h)
		}
	}
	if got := p.get("/nothing.js").Code; got != http.StatusNotFound {
		t.Errorf("an unknown path answers %d", got)
	}
	if got := p.get("/vendor/").Code; got != http.StatusNotFound {
		t.Errorf("a folder answers %d", got)
	}
}

func TestHandler_NamesTheImportMapByItsHash(t *testing.T) {
	p := pages{ui.Handler()}
	w := p.get("/")
	found := regexp.MustCompile(`(?s)<script type="importmap">(.*?)</script>`).FindSubmatch(w.Body.Bytes())
	if found == nil {
		t.Fatal("the page has no import map")
	}
	sum := sha256.Sum256(found[1])
	want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, want) {
		t.Errorf("the policy lacks %s: %s", want, got)
	}
}

func TestHandler_SendsAFileOnceAndPacked(t *testing.T) {
	p := pages{ui.Handler()}
	for _, path := range shipped(t) {
		plain, packed := p.get(path), p.get(path, "Accept-Encoding", "br, gzip;q=0.8")
		tag := plain.Header().Get("ETag")
		if tag == "" || p.get(path, "If-None-Match", tag).Code != http.StatusNotModified {
			t.Errorf("%s: tag %q is not known again", path, tag)
		}
		if packed.Header().Get("Content-Encoding") != "gzip" {
			continue
		}
		reader, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reader)
		if err != nil || string(text) != plain.Body.String() || packed.Header().Get("ETag") == tag {
			t.Errorf("%s: packed and plain differ in more than their tag: %v", path, err)
		}
	}
	for _, refused := range []string{"", "br", "gzip;q=0", "identity"} {
		if got := p.get("/app.js", "Accept-Encoding", refused).Header().Get("Content-Encoding"); got != "" {
			t.Errorf("Accept-Encoding %q: sent %s", refused, got)
		}
	}
}

func TestStatic_IsSmallAndAsksForNothingOutside(t *testing.T) {
	outside := regexp.MustCompile(`(?i)(src|href|from|import|fetch\()\s*[=(]?\s*["'\x60](https?:)?//`)
	rooted := regexp.MustCompile(`(src|href)="/|fetch\(["'\x60]/|from ["']/`)
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|style="|\son[a-z]+="|localStorage|sessionStorage`)
	total := 0
	for _, path := range shipped(t) {
		text, err := os.ReadFile(filepath.Join("static", path))
		if err != nil {
			t.Fatal(err)
		}
		total += len(text)
		if strings.HasPrefix(path, "/vendor/") {
			continue
		}
		for name, pattern := range map[string]*regexp.Regexp{"outside": outside, "rooted": rooted, "markup": markup} {
			if found := pattern.Find(text); found != nil {
				t.Errorf("%s: %s: %q", path, name, found)
			}
		}
	}
	if total > 250<<10 {
		t.Errorf("%d bytes in all, more than 250 KiB", total)
	}
}

func TestVendor_HoldsWhatTheLockSays(t *testing.T) {
	lock, err := os.ReadFile("vendor.lock")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(lock)) {
		fields := strings.Fields(line)
		if len(fields) != 6 || fields[0] == "#" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("static/vendor", fields[0]))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != fields[5] {
			t.Errorf("%s is not what vendor.lock says", fields[0])
		}
		listed["/vendor/"+fields[0]] = true
	}
	for _, path := range shipped(t) {
		if strings.HasPrefix(path, "/vendor/") && !listed[path] {
			t.Errorf("%s is not in vendor.lock", path)
		}
	}
}
