package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// asset is one file, ready to be sent.
type asset struct {
	mediaType     string
	plain, packed []byte // packed: gzip, nil where it saves nothing
	tag           string // of the content, without quotes
}

// load reads all files below root. The files are embedded, so that a fault in
// them is one of the program.
func load(from fs.FS, root string) map[string]asset {
	assets := map[string]asset{}
	err := fs.WalkDir(from, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		assets[strings.TrimPrefix(name, root+"/")], err = newAsset(name, text)
		return err
	})
	if err != nil {
		panic(err)
	}
	return assets
}

func newAsset(name string, text []byte) (asset, error) {
	kind, err := mediaType(name)
	if err != nil {
		return asset{}, err
	}
	sum := sha256.Sum256(text)
	return asset{
		mediaType: kind, plain: text, packed: pack(text),
		tag: base64.RawURLEncoding.EncodeToString(sum[:16]),
	}, nil
}

// mediaType does not ask the machine, whose tables differ.
func mediaType(name string) (string, error) {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8", nil
	case ".css":
		return "text/css; charset=utf-8", nil
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8", nil
	case ".svg":
		return "image/svg+xml", nil
	case ".LICENSE":
		return "text/plain; charset=utf-8", nil
	}
	return "", fmt.Errorf("%s: its media type is not known", name)
}

func pack(text []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(text) // a buffer takes all
	_ = w.Close()
	if b.Len() >= len(text) {
		return nil
	}
	return b.Bytes()
}

// serve answers with the content, or 304 to who has it already. Browsers ask
// each time, so that a new version of the program is never mixed with an old.
func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h, body, tag := w.Header(), a.plain, a.tag
	h.Set("Content-Type", a.mediaType)
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	if a.packed != nil && takesGzip(r.Header.Get("Accept-Encoding")) {
		body, tag = a.packed, a.tag+"-gz"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

func takesGzip(accepted string) bool {
	for part := range strings.SplitSeq(accepted, ",") {
		coding, parameter, _ := strings.Cut(part, ";")
		if coding = strings.TrimSpace(coding); coding != "gzip" && coding != "*" {
			continue
		}
		text, weighed := strings.CutPrefix(strings.TrimSpace(parameter), "q=")
		weight, err := strconv.ParseFloat(text, 64)
		return !weighed || err == nil && weight > 0
	}
	return false
}
