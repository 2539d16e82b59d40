package cmd_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// door is a call that wants a key, and how its shape begins to tell that there
// is none.
type door struct {
	method, path, body, refusal string
	inQuery                     bool // the shape's clients put the key into ?key=
}

// doors are calls of every shape, whole and streamed, and lists.
func doors() []door {
	const (
		openai    = `{"error":{"message":"`
		anthropic = `{"type":"error","error":{"type":"authentication_error","message":"`
		gemini    = `{"error":{"code":401,"message":"`
		ollama    = `{"error":"`
		contents  = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
		messages  = `"messages":[{"role":"user","content":"hi"}]}`
	)
	return []door{
		{"POST", "/v1/chat/completions", `{"model":"to-chat",` + messages, openai, false},
		{"POST", "/openai/v1/chat/completions", `{"model":"to-messages",` + messages, openai, false},
		{"POST", "/v1/messages", `{"model":"to-messages","max_tokens":9,` + messages, anthropic, false},
		{"POST", "/anthropic/v1/messages", `{"model":"to-chat","max_tokens":9,` + messages, anthropic, false},
		{"POST", "/v1/messages/count_tokens", `{"model":"to-chat",` + messages, anthropic, false},
		{"POST", "/v1/responses", `{"model":"to-chat","input":"hi"}`, openai, false},
		{"POST", "/v1/generate", `{"model":"to-gemini","input":"hi"}`, openai, false},
		{"POST", "/v1beta/models/to-gemini:generateContent", contents, gemini, true},
		{"POST", "/v1beta/models/to-chat:generateContent", contents, gemini, true},
		{"POST", "/gemini/v1beta/models/to-gemini:generateContent", contents, gemini, true},
		{"POST", "/api/chat", `{"model":"to-ollama","stream":false,` + messages, ollama, false},
		{"POST", "/api/chat", `{"model":"to-chat","stream":false,` + messages, ollama, false},
		{"GET", "/v1/models", "", openai, false},
		{"GET", "/v1/usage", "", openai, false},
		{"GET", "/v1beta/models", "", gemini, true},
		{"GET", "/api/tags", "", ollama, false},
	}
}

// knock makes the call with headers, which come in pairs.
func (s *serving) knock(d door, query string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), d.method, s.inference+d.path+query, strings.NewReader(d.body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			r.Header.Add(headers[i], headers[i+1])
		}
	}
	return s.roundTrip(r)
}

// opened fails the test unless the door has opened, and closed unless it refuses
// for want of a key, or because there are two, in its own shape.
func opened(t *testing.T, name string, d door, answer *http.Response, text string) {
	t.Helper()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s %s: %d %s", name, d.path, answer.StatusCode, text)
	}
}

func closed(t *testing.T, name string, d door, begins string, answer *http.Response, text string) {
	t.Helper()
	if answer.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(text, d.refusal+begins) || answer.Header.Get("WWW-Authenticate") != `Bearer realm="relay"` {
		t.Errorf("%s %s: %d %s %v", name, d.path, answer.StatusCode, text, answer.Header)
	}
}

const (
	staleKey  = "sk-ant-api03-a-stale-key-of-another-vendor"
	noKey     = "No valid relay key."
	twoKeys   = "The request carries two different relay keys."
	bearerKey = "Bearer "
)

func TestServe_TakesAValidKeyWhereverItStands(t *testing.T) {
	s, up := speaking(t, nil)
	valid, other := s.done("", "key", "add", "laptop"), s.done("", "key", "add", "phone")
	for _, d := range doors() {
		for _, bearer := range []string{"", valid, staleKey} {
			for _, apiKey := range []string{"", valid, staleKey} {
				name, value := fmt.Sprintf("bearer %.6s, x-api-key %.6s,", bearer, apiKey), ""
				if bearer != "" {
					value = bearerKey + bearer
				}
				answer, text := s.knock(d, "", "Authorization", value, "X-Api-Key", apiKey)
				if bearer == valid || apiKey == valid {
					opened(t, name, d, answer, text)
				} else {
					closed(t, name, d, noKey, answer, text)
				}
			}
		}
		for _, headers := range [][]string{
			{"Authorization", "bearer " + valid}, {"Authorization", "  BEARER   " + valid + "  "}, {"X-Goog-Api-Key", valid}, {"X-Relay-Key", valid},
			{"X-Goog-Api-Key", valid, "X-Api-Key", staleKey, "Authorization", bearerKey + staleKey},
		} {
			answer, text := s.knock(d, "", headers...)
			opened(t, headers[0], d, answer, text)
		}
		for _, headers := range [][]string{
			{"Authorization", bearerKey + valid, "X-Api-Key", other}, {"X-Goog-Api-Key", other, "X-Api-Key", valid}, {"X-Relay-Key", other, "Authorization", bearerKey + valid},
		} {
			answer, text := s.knock(d, "", headers...)
			closed(t, "two keys", d, twoKeys, answer, text)
		}
		s.knockWithQuery(d, valid, other)
	}
	for _, sent := range up.asked() {
		if strings.Contains(sent, valid) || strings.Contains(sent, staleKey) {
			t.Fatalf("a credential of the caller went upstream: %s", sent)
		}
	}
}

// knockWithQuery holds a door to reading ?key= exactly where its clients use it.
func (s *serving) knockWithQuery(d door, valid, other string) {
	s.t.Helper()
	for _, c := range []struct {
		query   string
		headers []string
		begins  string // empty: it opens
	}{
		{"?key=" + valid, nil, ""},
		{"?key=" + valid, []string{"X-Goog-Api-Key", staleKey}, ""},
		{"?key=" + staleKey, nil, noKey},
		{"?key=" + valid, []string{"X-Goog-Api-Key", other}, twoKeys},
	} {
		answer, text := s.knock(d, c.query, c.headers...)
		switch {
		case !d.inQuery && slices.Contains(c.headers, other):
			opened(s.t, c.query, d, answer, text) // by the header alone
		case !d.inQuery:
			closed(s.t, c.query, d, noKey, answer, text)
		case c.begins == "":
			opened(s.t, c.query, d, answer, text)
		default:
			closed(s.t, c.query, d, c.begins, answer, text)
		}
	}
}

// What a stranger sends is never told apart; the holder of a whole key is told
// what became of it.
func TestServe_TellsStrangersOfKeysNothingAndHoldersWhatBecameOfTheirs(t *testing.T) {
	s, _ := speaking(t, nil)
	s.done("", "key", "add", "laptop")
	expired := s.done("", "key", "add", "late", "--expires", "1s")
	disabled, revoked := s.done("", "key", "add", "off"), s.done("", "key", "add", "gone")
	s.done("", "key", "edit", "off", "--enabled=false")
	s.done("", "key", "revoke", "gone", "--yes")
	list := door{"GET", "/v1/models", "", `{"error":{"message":"`, false}
	first, failures := "", 0
	for _, key := range []string{"sk-wr-TESTWRONG123456", "sk-wr-", disabled + "x", disabled[:len(disabled)-1], strings.ToUpper(disabled), "malformed", "' OR 1=1 --", staleKey} {
		answer, text := s.knock(list, "", "Authorization", bearerKey+key, "X-Request-Id", "one")
		closed(t, key, list, noKey, answer, text)
		failures++
		answer.Header.Del("Date")
		if told := fmt.Sprint(answer.StatusCode, answer.Header, text); first == "" {
			first = told
		} else if told != first {
			t.Errorf("%q is told %s, another %s", key, told, first)
		}
	}
	for name, c := range map[string]struct{ key, code string }{"late": {expired, "key_expired"}, "off": {disabled, "key_disabled"}, "gone": {revoked, "key_revoked"}} {
		text := s.refusedAs(list, c.key, c.code, &failures)
		for _, told := range []string{c.key, hashed(c.key)[:8], "sha256", "hash", "bolt", "relay.db", "relay/"} {
			if strings.Contains(text, told) {
				t.Errorf("%s is told %q: %s", name, told, text)
			}
		}
	}
	_, metrics := s.control.send(http.MethodGet, "/metrics", "")
	if want := fmt.Sprintf("\nrelay_auth_failures_total %d\n", failures); !strings.Contains(metrics, want) {
		t.Errorf("the metrics lack %s", want)
	}
}

// refusedAs asks until the key is refused with the code, and returns what was
// told then. A key is good for a second before it expires.
func (s *serving) refusedAs(d door, key, code string, failures *int) string {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		answer, text := s.knock(d, "", "Authorization", bearerKey+key)
		if answer.StatusCode == http.StatusOK {
			continue
		}
		*failures++
		if answer.StatusCode != http.StatusUnauthorized || !strings.Contains(text, `"code":"`+code+`"`) {
			s.t.Errorf("%s: %d %s", code, answer.StatusCode, text)
		}
		return text + fmt.Sprint(answer.Header)
	}
	s.t.Fatalf("nothing is refused as %s", code)
	return ""
}

func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
