package admin

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"relay/store"
)

// find returns the record with the id or the name.
func find(c *store.Catalog, kind store.Kind, ref string) (store.AnyRecord, error) {
	table := c.Of(kind)
	if rec := table.Find(ref); rec != nil {
		return rec, nil
	}
	if rec := table.FindByName(ref); rec != nil {
		return rec, nil
	}
	return nil, missing(kind)
}

// current returns the record with the id as the catalog has it, unless the
// caller knows only an older version of it.
func current[S any](c *store.Catalog, kind store.Kind, id, ifMatch string) (*store.Record[S], error) {
	rec, ok := c.Of(kind).Find(id).(*store.Record[S])
	if !ok {
		return nil, missing(kind)
	}
	if !matches(ifMatch, rec.Metadata.Generation) {
		return nil, &store.Error{Code: store.CodeStale, Message: "the record has changed since it was read; read it again and repeat the change"}
	}
	return rec, nil
}

func missing(kind store.Kind) error {
	return &store.Error{
		Code:    store.CodeNotFound,
		Message: "there is no such " + string(kind) + "; GET /api/" + kind.Plural() + " lists them",
	}
}

func invalid(problems ...store.Problem) error {
	return store.ProblemsError(store.CodeInvalid, problems)
}

func etag(rec store.AnyRecord) string {
	return quotedGeneration(rec.Meta().Generation)
}

func quotedGeneration(generation uint64) string {
	return `"` + strconv.FormatUint(generation, 10) + `"`
}

// matches reports whether an If-Match header, which may list several tags,
// allows the generation. An absent one does.
func matches(ifMatch string, generation uint64) bool {
	if ifMatch == "" {
		return true
	}
	for tag := range strings.SplitSeq(ifMatch, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || tag == quotedGeneration(generation) {
			return true
		}
	}
	return false
}

// unescaped undoes the escaping of a path segment, which the router leaves.
func unescaped(segment string) string {
	if text, err := url.PathUnescape(segment); err == nil {
		return text
	}
	return segment
}

// escapedNames lets model names keep their slashes: /api/models/lab/coder:7b
// is /api/models/lab%2Fcoder:7b to the router.
func escapedNames(next http.Handler) http.Handler {
	const models = "/api/models/"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.EscapedPath(), models)
		if !ok || !strings.Contains(name, "/") || strings.HasPrefix(name, "by-id/") {
			next.ServeHTTP(w, r)
			return
		}
		inner := r.Clone(r.Context())
		inner.URL.RawPath = models + strings.ReplaceAll(name, "/", "%2F")
		next.ServeHTTP(w, inner)
	})
}

func statusText(status int) string { return strconv.Itoa(status) }
