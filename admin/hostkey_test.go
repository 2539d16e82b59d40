package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"relay/admin"
	"relay/gateway/plan"
	"relay/store"
)

const hostBody = `{"metadata":{"name":"up"},"spec":{"baseURL":"https://up.example/v1","auth":"bearer"}}`

func TestHostKey_TakesAValueAndNeverShowsIt(t *testing.T) {
	f := start(t)
	f.create(store.KindHost, hostBody)
	const value = "sk-canary-0123456789-abcdef"
	made := f.send("POST", "/api/host-keys", `{"metadata":{"name":"a"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"`+value+`"}}`).
		want(http.StatusCreated).holds(`"valueHint":"sk-…cdef"`, `"hostName":"up"`)
	for _, answer := range []*reply{made, f.send("GET", "/api/host-keys", ""), f.send("GET", "/api/export", "")} {
		if strings.Contains(answer.text, value) || strings.Contains(answer.text, "[redacted]") || strings.Contains(answer.text, `"value":`) {
			t.Errorf("an answer shows the value: %s", answer.text)
		}
	}
	key := f.db.Catalog().HostKeys.ByName("a")
	if opened, err := f.db.HostKeyValue(key); err != nil || opened.Reveal() != value {
		t.Errorf("the stored value does not come back: %v", err)
	}
}

func TestHostKey_IsRotatedByItsOwnCallOnly(t *testing.T) {
	f := start(t)
	f.create(store.KindHost, hostBody)
	id := f.create(store.KindHostKey, `{"metadata":{"name":"a"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"first-value"}}`)
	byID := "/api/host-keys/by-id/" + id
	f.send("PATCH", byID, `{"spec":{"value":"second-value"}}`).want(http.StatusBadRequest).holds("spec.value", "rotate")
	f.send("PUT", byID, f.send("GET", "/api/host-keys/a", "").text).want(200)

	f.send("POST", byID+"/rotate", `{"value":"second-value"}`).want(200)
	if opened, err := f.db.HostKeyValue(f.db.Catalog().HostKeys.Get(id)); err != nil || opened.Reveal() != "second-value" {
		t.Errorf("after the rotation: %v", err)
	}
	f.send("POST", byID+"/rotate", `{"value":""}`).want(http.StatusBadRequest).holds(`"field":"value"`)
	f.send("POST", byID+"/rotate", `{"value":"sk-wr-mine"}`).want(http.StatusBadRequest).holds("relay key")

	env := f.create(store.KindHostKey, `{"metadata":{"name":"b"},"spec":{"hostId":"up","source":{"kind":"env","env":"UP_KEY"}}}`)
	f.send("POST", "/api/host-keys/by-id/"+env+"/rotate", `{"value":"x"}`).want(http.StatusConflict).holds("UP_KEY")
	f.send("PATCH", "/api/host-keys/by-id/"+env, `{"spec":{"source":{"kind":"stored","env":null},"value":"kept-here-now"}}`).want(200)
}

// liveState is a server that observes one host and one key.
type liveState struct{ host, key string }

func (l liveState) InFlight() int           { return 3 }
func (l liveState) ResetKey(id string) bool { return id == l.key }

func (l liveState) Listed(string, string) (string, bool) { return "", false }
func (l liveState) KeyStates() map[string]plan.KeyState {
	return map[string]plan.KeyState{l.key: {State: "open", Reason: "401 from the host"}}
}
func (l liveState) HostStates() map[string]plan.HostState {
	return map[string]plan.HostState{l.host: {Health: "unreachable", LastError: "connection refused", ConsecutiveFailures: 4}}
}

func TestHosts_ShowWhatTheRunningServerObserves(t *testing.T) {
	live := &liveState{}
	f := start(t, func(o *admin.Options) { o.Live = live })
	live.host = f.create(store.KindHost, hostBody)
	live.key = f.create(store.KindHostKey, `{"metadata":{"name":"a"},"spec":{"hostId":"up","source":{"kind":"env","env":"K"}}}`)
	host := f.send("GET", "/api/hosts/up", "").want(200).holds(`"health":"unreachable"`, `"consecutiveFailures":4`)
	f.send("GET", "/api/host-keys", "").want(200).holds(`"state":"open"`)
	f.send("PUT", "/api/hosts/by-id/"+live.host, host.text).want(200)
	f.send("GET", "/api/status", "").want(200).holds(`"live":true`, `"inFlight":3`, `"unreachable"`, `"open"`)
}
