package gateway_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// canary is a provider key in which every form of writing it differs.
const canary = `up/CANARY+7Hq2=="<Vx9>&Zk4'tR8mW1pLs6`

// forms are the ways in which text can hold a secret.
func forms(secret string) map[string]string {
	quoted, _ := json.Marshal(secret)
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(secret)
	return map[string]string{
		"clear":          secret,
		"JSON":           strings.Trim(plain.String(), "\"\n"),
		"JSON for HTML":  strings.Trim(string(quoted), `"`),
		"JSON of others": strings.ReplaceAll(strings.Trim(plain.String(), "\"\n"), "/", `\/`),
		"query":          url.QueryEscape(secret),
		"path":           url.PathEscape(secret),
		"base64":         base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 for URL": base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
}

// findSecret fails the test when the text holds the secret in some form, or
// the better part of it.
func findSecret(t *testing.T, where, text, secret string) {
	t.Helper()
	for name, part := range map[string]string{"a secret": secret, "the beginning of a secret": secret[:len(secret)*2/3], "the end of a secret": secret[len(secret)/3:]} {
		for form, written := range forms(part) {
			if strings.Contains(text, written) {
				t.Errorf("%s holds %s (%s): %.900q", where, name, form, text)
			}
		}
	}
}

// canaries gives both hosts the canary as their key, from a file.
func (r *rig) canaries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(canary+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, host := range hosts() {
		put(r, host+"-1", store.HostKeySpec{HostID: r.record(store.KindHost, host), Source: store.KeySource{Kind: "file", Path: path}})
	}
}

// echoes are upstreams that say the key back, written as it is given.
func echoes(k kind, said string) map[string]gatewaytest.Script {
	s := k.streaming()
	first := s.answer(7, 3)[0]
	object := `{"error":{"message":"key ` + said + ` is bad","type":"` + said + `","code":"` + said + `","param":"` + said + `"}}`
	long := `{"error":{"message":"` + strings.Repeat("x", 512-30) + said + `"}}`
	all := map[string]gatewaytest.Script{
		"200 with an error": gatewaytest.JSON(200, object),
		"no JSON":           gatewaytest.JSON(500, "key "+said+" is bad"),
		"long":              gatewaytest.JSON(500, long),
		"long, with 200":    gatewaytest.JSON(200, long),
		"long, no JSON":     gatewaytest.JSON(502, strings.Repeat("x", 512-30)+said),
		"first event":       s.streams(s.failingFirst(object)),
		"later event":       s.streams(first, s.failing(object)),
		"long later event":  s.streams(first, s.failing(long)),
	}
	for _, status := range []int{400, 401, 403, 404, 422, 429, 500, 503} {
		all[fmt.Sprint(status)] = gatewaytest.JSON(status, object)
	}
	return all
}

func TestSecrets_AnUpstreamThatEchoesItsKeyShowsItToNobody(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			log, registry := &journal{}, prometheus.NewRegistry()
			r, up := newStand(t, func(o *gateway.Options) { o.Log, o.Metrics = zerolog.New(log).Level(zerolog.TraceLevel), registry })
			r.canaries(t)
			key := r.key("laptop", store.RelayKeySpec{})
			calls := 0
			for form, said := range forms(canary) {
				for name, script := range echoes(k, said) {
					if form == "clear" && k.isNameless(name) {
						continue // it is neither JSON nor named: nobody can tell it from an answer
					}
					where := name + ", " + form
					up.Otherwise(script)
					a := r.ask(k, key)
					calls++
					if a.Status == 503 {
						t.Fatalf("%s: the key was not tried: %s", where, a.Body)
					}
					if name == "400" && !strings.Contains(a.Body, "key [redacted] is bad") {
						t.Errorf("%s: what is no secret is missing from %s", where, a.Body)
					}
					findSecret(t, "the answer to "+where, a.Body+fmt.Sprint(a.Header), canary)
					findSecret(t, "the state of the key after "+where, fmt.Sprintf("%+v", r.server.KeyStates()), canary)
					for id := range r.server.KeyStates() {
						r.server.ResetKey(id)
					}
				}
			}
			page, _, err := r.db.Events(store.EventQuery{Limit: 1000})
			if err != nil {
				t.Fatal(err)
			}
			mustHaveOwnErrorKinds(t, page)
			events, _ := json.Marshal(page)
			findSecret(t, "the usage", string(events), canary)
			findSecret(t, "the log", log.String(), canary)
			findSecret(t, "the log", log.String(), key)
			findSecret(t, "/metrics", scraped(registry), canary)
			if n := len(up.Requests()); n != calls || !strings.Contains(log.String(), `"message":"request"`) {
				t.Errorf("%d calls reached the upstream %d times", calls, n)
			}
		})
	}
}

// isNameless reports whether an echo is an event whose data alone tell what it is.
func (k kind) isNameless(echo string) bool {
	switch k.contentType {
	case "application/json":
		return strings.HasSuffix(echo, " event") || echo == "200 with an error" // which is an element
	case "application/x-ndjson":
		return strings.HasSuffix(echo, " event")
	}
	return false
}

// mustHaveOwnErrorKinds fails the test unless usage tells failures in Relay's words.
func mustHaveOwnErrorKinds(t *testing.T, events []store.Event) {
	t.Helper()
	for _, e := range events {
		if !slices.Contains(ownErrorKinds(), e.ErrorKind) {
			t.Errorf("a usage event has the error kind %q", e.ErrorKind)
		}
	}
}

// ownErrorKinds are what may become of an upstream's failure.
func ownErrorKinds() []string {
	return []string{"upstream_error", "upstream_auth", "upstream_unavailable", "upstream_invalid_response", "truncated"}
}

// A panic that a caller sees is told by an id alone.
func TestSecrets_APanicLeavesItsStackInTheLogAndNothingElse(t *testing.T) {
	for _, k := range kinds() {
		if k.streamed {
			continue
		}
		log := &journal{}
		r, up := newStand(t, func(o *gateway.Options) { o.Log = zerolog.New(log).Level(zerolog.TraceLevel) })
		r.canaries(t)
		up.Otherwise(k.says(5, 5))
		key := r.key("laptop", store.RelayKeySpec{})
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			r.server.ServeHTTP(&frail{w, 1, 1 << 20}, req)
		}))
		a := gatewaytest.Do(t, strings.TrimPrefix(front.URL, "http://"), k.request(key))
		front.Close()
		r.want(a, 500, "Relay failed inside; the log has the details under ")
		_, id, _ := strings.Cut(a.Body, "under ")
		id, _, _ = strings.Cut(id, ".")
		if !strings.Contains(log.String(), `"error_id":"`+id+`"`) || !strings.Contains(log.String(), "cases_secret_test.go") || strings.Contains(a.Body, "goroutine") {
			t.Errorf("the log has %s, the caller %s", log.String(), a.Body)
		}
		findSecret(t, "the log", log.String(), canary)
		findSecret(t, "the log", log.String(), key)
	}
}

func scraped(registry *prometheus.Registry) string {
	page := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return page.Body.String()
}
