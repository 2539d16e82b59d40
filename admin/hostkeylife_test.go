package admin_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"relay/admin"
	"relay/gateway/plan"
	"relay/store"
)

// oneKey makes a host with a stored key and returns the path of the key.
func oneKey(f *fixture) string {
	f.create(store.KindHost, hostBody)
	return "/api/host-keys/by-id/" + f.create(store.KindHostKey,
		`{"metadata":{"name":"a"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"sk-canary-0123456789-abcdef"}}`)
}

func TestHostKeyTest_SaysInWordsWhatTheHostMadeOfTheKey(t *testing.T) {
	up := &scripted{models: []string{"m1", "m2"}}
	f := startWith(t, up)
	path := oneKey(f) + "/test"
	f.send("POST", path, "").want(200).holds(`"ok":true`, "host up takes the key and lists 2 models", `"models":2`)
	if up.key != "sk-canary-0123456789-abcdef" {
		t.Error("it was not tested with the stored value")
	}
	up.models, up.err = nil, &plan.UpstreamError{Status: 401, Class: "auth", Message: "host up does not accept the key"}
	answer := f.send("POST", path, "{}").want(200).holds(`"ok":false`, "host up does not accept the key (HTTP 401)", `"class":"auth"`, `"status":401`)
	if strings.Contains(answer.text, "canary") {
		t.Errorf("the answer shows the key: %s", answer.text)
	}
	up.err = context.DeadlineExceeded
	f.send("POST", path, "").want(200).holds(`"ok":false`, "host up did not answer within 30s")

	env := f.create(store.KindHostKey, `{"metadata":{"name":"b"},"spec":{"hostId":"up","source":{"kind":"env","env":"UP_KEY"}}}`)
	calls := up.calls
	f.send("POST", "/api/host-keys/by-id/"+env+"/test", "").want(200).holds(`"ok":false`, `"class":"value"`, "UP_KEY is unset")
	if up.calls != calls {
		t.Error("the host was called without a key")
	}
	f.send("POST", "/api/host-keys/by-id/00000000-0000-0000-0000-000000000000/test", "").want(http.StatusNotFound)
	if found, err := f.client().TestHostKey(t.Context(), env); err != nil || found.OK || found.Class != "value" {
		t.Errorf("the client has %+v, %v", found, err)
	}
}

// breaker is a running server with one key in use, whose breaker is open until
// it is reset.
type breaker struct {
	key  string
	open bool
}

func (b *breaker) InFlight() int                         { return 0 }
func (b *breaker) HostStates() map[string]plan.HostState { return nil }
func (b *breaker) Listed(string, string) (string, bool)  { return "", false }
func (b *breaker) KeyStates() map[string]plan.KeyState {
	if b.open {
		return map[string]plan.KeyState{b.key: {State: "open", Reason: "auth"}}
	}
	return map[string]plan.KeyState{b.key: {State: "closed"}}
}
func (b *breaker) ResetKey(id string) bool {
	b.open = b.open && id != b.key
	return id == b.key
}

func TestHostKeyReset_ClosesTheBreakerOfAKeyInUse(t *testing.T) {
	live := &breaker{open: true}
	f := start(t, func(o *admin.Options) { o.Live = live })
	path := oneKey(f)
	f.send("GET", path+"/health", "").want(200).holds(`"live":true`)
	f.send("POST", path+"/reset", "").want(http.StatusConflict).holds("not in use")
	live.key = strings.TrimPrefix(path, "/api/host-keys/by-id/")
	f.send("GET", path+"/health", "").want(200).holds(`"key":{"state":"open","reason":"auth"}`)
	f.send("POST", path+"/reset", "").want(200).holds(`"key":{"state":"closed"}`)
	if health, err := f.client().HostKeyHealth(t.Context(), live.key); err != nil || health.Key.State != "closed" {
		t.Errorf("the client has %+v, %v", health, err)
	}
	if health, err := f.client().ResetHostKey(t.Context(), live.key); err != nil || !health.Live {
		t.Errorf("the client has %+v, %v", health, err)
	}
}

func TestHostKeyReset_NeedsARunningServer(t *testing.T) {
	f := start(t)
	path := oneKey(f)
	f.send("POST", path+"/reset", "").want(http.StatusServiceUnavailable).holds("relay serve")
	f.send("POST", path+"/test", "").want(http.StatusServiceUnavailable).holds("relay serve")
	f.send("GET", path+"/health", "").want(200).holds(`{"live":false}`)
	f.send("POST", "/api/host-keys/by-id/none/reset", "").want(http.StatusNotFound)
}
