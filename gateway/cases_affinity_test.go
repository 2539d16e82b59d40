package gateway_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// house is a rig with one host, of whose four keys two belong to each of two
// accounts.
type house struct {
	*rig
	up *gatewaytest.Upstream

	mu      sync.Mutex
	resting string // the key that gets a 429
}

func newHouse(t *testing.T, selection string) *house {
	t.Helper()
	h := &house{rig: newRig(t), up: gatewaytest.New(t)}
	h.host("up", h.up, 0)
	for i, account := range []string{"red", "red", "blue", "blue"} {
		h.hostKey("key-"+string(rune('1'+i)), account)
	}
	h.account()
	put(h.rig, "open", store.PolicySpec{Pools: []store.Pool{{Name: "main", HostIDs: []string{h.record(store.KindHost, "up")}, Selection: selection}}})
	h.up.Otherwise(func(x *gatewaytest.Exchange) error {
		h.mu.Lock()
		rests := h.resting != "" && x.Request.Header("Authorization")[0] == "Bearer secret-of-"+strings.ReplaceAll(h.resting, "-", "_")
		h.mu.Unlock()
		if rests {
			return gatewaytest.Join(gatewaytest.Head(429, "Content-Type: application/json", "Retry-After: 30", "Content-Length: 2"), gatewaytest.Raw("{}"))(x)
		}
		return answer(x)
	})
	return h
}

// hostKey adds a key of the account, which is made where it is missing; empty:
// of none.
func (h *house) hostKey(name, account string) {
	host := h.record(store.KindHost, "up")
	spec := store.HostKeySpec{HostID: host, Source: store.KeySource{Kind: "env", Env: strings.ReplaceAll(name, "-", "_")}}
	if account != "" {
		spec.AccountID = put(h.rig, account, store.HostAccountSpec{HostID: host}).Metadata.ID
	}
	put(h.rig, name, spec)
}

func (h *house) rest(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.resting = key
}

// talk makes a call and returns the key that has answered.
func (h *house) talk(key, body string, headers ...string) string {
	h.tb.Helper()
	a := h.call(key, body, headers...)
	if a.Status != 200 {
		h.tb.Fatalf("%d %s", a.Status, a.Body)
	}
	seen := h.up.Requests()
	return strings.ReplaceAll(strings.TrimPrefix(seen[len(seen)-1].Header("Authorization")[0], "Bearer secret-of-"), "_", "-")
}

func conversation(i int) string {
	return fmt.Sprintf(`{"model":"chat","prompt_cache_key":"conversation-%d","messages":[{"role":"user","content":"hi"}]}`, i)
}

// round lets each of so many conversations talk, and returns who has answered.
func (h *house) round(key string, conversations int) map[int]string {
	keys := map[int]string{}
	for i := range conversations {
		keys[i] = h.talk(key, conversation(i))
	}
	return keys
}

func accountOfKey(key string) string {
	return map[string]string{"key-1": "red", "key-2": "red", "key-3": "blue", "key-4": "blue"}[key]
}

func TestAffinity_AConversationStaysOnItsAccountUntilItsKeyRests(t *testing.T) {
	const conversations = 100
	h := newHouse(t, "") // by default, since the pool has keys of two accounts
	key := h.key("laptop", store.RelayKeySpec{})
	home := h.round(key, conversations)
	perAccount, perKey := map[string]int{}, map[string]int{}
	for _, k := range home {
		perAccount[accountOfKey(k)]++
		perKey[k]++
	}
	t.Logf("by account %v, by key %v", perAccount, perKey)
	for account, n := range perAccount {
		if n*100 < conversations/2*85 || n*100 > conversations/2*115 {
			t.Errorf("account %s has %d of %d conversations", account, n, conversations)
		}
	}
	if len(perKey) != 4 {
		t.Errorf("keys used: %v", perKey)
	}
	if again := h.round(key, conversations); !maps.Equal(again, home) {
		t.Error("conversations have moved without a cause")
	}

	h.rest("key-3")
	away := h.round(key, conversations)
	for i, k := range home {
		switch {
		case k != "key-3" && away[i] != k:
			t.Errorf("conversation %d has moved from %s to %s although its key does not rest", i, k, away[i])
		case k == "key-3" && away[i] != "key-4":
			t.Errorf("conversation %d has moved to %s, not to the other key of its account", i, away[i])
		}
	}
	h.rest("")
	h.advance(31 * time.Second)
	if back := h.round(key, conversations); !maps.Equal(back, home) {
		t.Error("not every conversation has gone back")
	}
	// A new plan and a further key move few.
	h.hostKey("key-5", "red")
	moved := 0
	for i, k := range h.round(key, conversations) {
		if k != home[i] {
			moved++
			if k != "key-5" || accountOfKey(home[i]) != "red" {
				t.Errorf("conversation %d has moved from %s to %s", i, home[i], k)
			}
		}
	}
	if moved == 0 || moved > 2*perAccount["red"]/3 {
		t.Errorf("%d of %d conversations have moved", moved, perAccount["red"])
	}
}

func TestAffinity_ManyConversationsSpreadEvenlyOverAccountsAndKeys(t *testing.T) {
	const conversations = 2000
	h := newHouse(t, "affinity")
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(answerBody))
	}))
	t.Cleanup(upstream.Close)
	edit(h.rig, "up", func(rec *store.Host) { rec.Spec.BaseURL = upstream.URL + "/v1" })
	key := h.key("laptop", store.RelayKeySpec{})
	perKey := map[string]int{}
	for i := range conversations {
		perKey[h.ask(i, key)]++
	}
	for k, n := range perKey {
		if n*100 < conversations/4*85 || n*100 > conversations/4*115 {
			t.Errorf("%s has %d of %d conversations", k, n, conversations)
		}
	}
	if len(perKey) != 4 {
		t.Errorf("keys used: %v", perKey)
	}
}

// ask lets a conversation talk without a connection, and returns the credential
// that the upstream saw.
func (h *house) ask(i int, key string) string {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(conversation(i)))
	r.Header.Set("Authorization", "Bearer "+key)
	h.server.ServeHTTP(w, r)
	return w.Header().Get("X-Request-Id")
}

// Two requests that say the same of their conversation go to one key, whatever
// else they say; those that differ in it do not all.
func TestAffinity_TellsConversationsApartByWhatRequestsSayOfThem(t *testing.T) {
	body := func(members string) string {
		return `{"model":"chat",` + members + `"messages":[{"role":"user","content":"%s"}]}`
	}
	system := func(text string) string {
		return `{"model":"chat","messages":[{"role":"system","content":"` + text + `"},{"role":"user","content":"%s"}]}`
	}
	long := strings.Repeat("x", 1024)
	for name, c := range map[string]struct {
		body    string // with a place for what a user says, and one for the conversation
		headers string
		one     bool // what stands in the second place does not tell
	}{
		"prompt_cache_key":              {body: body(`"prompt_cache_key":"<>",`)},
		"session-id":                    {body: body(``), headers: "session-id: <>"},
		"x-session-id":                  {body: body(``), headers: "X-Session-Id: <>"},
		"x-session-affinity":            {body: body(``), headers: "x-session-affinity: <>"},
		"x-claude-code-session-id":      {body: body(``), headers: "X-Claude-Code-Session-Id: <>"},
		"user":                          {body: body(`"user":"<>",`)},
		"safety_identifier":             {body: body(`"safety_identifier":"<>",`)},
		"metadata.user_id":              {body: body(`"metadata":{"a":1,"user_id":"<>"},`)},
		"system":                        {body: body(`"system":"<>",`)},
		"system blocks":                 {body: body(`"system":[{"type":"text","text":"<>"}],`)},
		"instructions":                  {body: body(`"instructions":"<>",`)},
		"system message":                {body: system("<>")},
		"developer message":             {body: strings.Replace(system("<>"), `"system"`, `"developer"`, 1)},
		"cache key before session":      {body: body(`"prompt_cache_key":"same",`), headers: "session-id: <>", one: true},
		"session before user":           {body: body(`"user":"<>",`), headers: "session-id: same", one: true},
		"user before system":            {body: system("<>")[:1] + `"user":"same",` + system("<>")[1:], one: true},
		"the first KiB of system text":  {body: system(long + "<>"), one: true},
		"what a user says tells nobody": {body: body(``), one: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, "affinity")
			key := h.key("laptop", store.RelayKeySpec{})
			used := map[string]bool{}
			for i := range 12 {
				mark := fmt.Sprintf("conversation %d", i)
				var headers []string
				if c.headers != "" {
					headers = []string{strings.Replace(c.headers, "<>", mark, 1)}
				}
				text := strings.Replace(c.body, "<>", mark, 1)
				first := h.talk(key, strings.Replace(text, "%s", "one", 1), headers...)
				if second := h.talk(key, strings.Replace(text, "%s", "two and more", 1), headers...); first != second {
					t.Errorf("%s: %s, then %s", mark, first, second)
				}
				used[first] = true
			}
			if c.one != (len(used) == 1) {
				t.Errorf("keys used: %v", used)
			}
		})
	}
}

func TestAffinity_CallersWithOneSystemTextAreApart(t *testing.T) {
	h := newHouse(t, "affinity")
	used := map[string]bool{}
	for i := range 12 {
		used[h.talk(h.key(fmt.Sprintf("laptop-%d", i), store.RelayKeySpec{}), chatBody)] = true
	}
	if len(used) == 1 {
		t.Errorf("all callers use %v", used)
	}
}

func TestSelection_IsPrioritizedWhereKeysAreOfOneAccountOrOfNone(t *testing.T) {
	for name, accounts := range map[string][]string{"one account": {"red", "red"}, "one account and none": {"red", ""}, "none": {"", ""}} {
		h := &house{rig: newRig(t), up: gatewaytest.New(t)}
		h.host("up", h.up, 0)
		for i, account := range accounts {
			h.hostKey(fmt.Sprintf("key-%d", i+1), account)
		}
		h.up.Otherwise(answer)
		key := h.key("laptop", store.RelayKeySpec{})
		for i, k := range h.round(key, 10) {
			if k != "key-1" {
				t.Errorf("%s: conversation %d is on %s", name, i, k)
			}
		}
	}
}

// The pool of every key that nobody has written down follows the same rule.
func TestSelection_IsAffinityInTheUnwrittenPoolToo(t *testing.T) {
	h := newHouse(t, "")
	put(h.rig, "open", store.PolicySpec{})
	used := map[string]bool{}
	for _, k := range h.round(h.key("laptop", store.RelayKeySpec{}), 30) {
		used[k] = true
	}
	if len(used) != 4 {
		t.Errorf("keys used: %v", used)
	}
}
