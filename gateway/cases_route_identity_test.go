package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/store"
)

// newOpen is a stand that serves requests without a credential under service
// account local, in the project of all others.
func newOpen(t *testing.T) (*rig, *gatewaytest.Upstream) {
	t.Helper()
	r, up := newStand(t)
	r.open.Store(true)
	r.account()
	put(r, plan.LocalAccount, store.ServiceAccountSpec{ProjectID: r.record(store.KindProject, "bots")})
	up.Otherwise(answer)
	return r, up
}

func TestOpen_ServesRequestsWithoutACredentialUnderTheLadderOfLocal(t *testing.T) {
	r, up := newOpen(t)
	r.want(r.call("", chatBody), 200, "hello")
	r.want(r.call("", chatBody, "Authorization: Bearer "), 200, "hello") // what an SDK without a key sends
	r.want(r.call("", chatBody, "x-api-key:"), 200, "hello")
	for _, e := range r.events(3) {
		local := store.Credential{Kind: store.KindServiceAccount, ID: r.record(store.KindServiceAccount, plan.LocalAccount)}
		if e.Credential != local || e.Principal.ID != local.ID || e.Project != r.record(store.KindProject, "bots") || e.Tokens.Input != 100 {
			t.Errorf("event %+v", e)
		}
	}
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		if got := up.Request(1).Header(name); name == "X-Api-Key" && len(got) > 0 || name == "Authorization" && got[0] != "Bearer secret-of-UP_1" {
			t.Errorf("%s went up as %q", name, got)
		}
	}
	list := gatewaytest.Do(t, r.addr, "GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n")
	r.want(list, 200, `"chat"`)
	put(r, plan.LocalAccount, store.ServiceAccountSpec{ProjectID: r.record(store.KindProject, "bots"), Limits: &store.Limits{RPM: int64p(1)}})
	r.want(r.call("", chatBody), 200, "")
	r.want(r.call("", chatBody), 429, "Limit of service-account local: 1 of 1 requests")
	off := false
	put(r, "open", store.PolicySpec{Enabled: &off})
	r.want(r.call("", chatBody), 403, "policy_disabled")
}

func TestOpen_AWrongCredentialIsStillRefused(t *testing.T) {
	past := noon.AddDate(-1, 0, 0)
	r, _ := newOpen(t)
	revoked := r.key("gone", store.RelayKeySpec{RevokedAt: &past})
	r.want(r.call(revoked, chatBody), 401, "key_revoked")
	for _, header := range []string{
		"Authorization: Bearer sk-wr-unknown-0123456789", "Authorization: Bearer ollama", "Authorization: Basic dXNlcjpwYXNz", "x-api-key: anything",
		"x-goog-api-key: anything", "X-Relay-Key: anything",
	} {
		r.want(r.call("", chatBody, header), 401, "unauthenticated")
	}
	r.want(r.call(r.key("laptop", store.RelayKeySpec{}), chatBody), 200, "hello")
	if e := r.events(2); e[len(e)-1].Credential.Kind != store.KindRelayKey {
		t.Errorf("event %+v", e[len(e)-1])
	}
}

func TestOpen_IsShutWithoutItsServiceAccountAndByDefault(t *testing.T) {
	off := false
	r, up := newOpen(t)
	spec := store.ServiceAccountSpec{ProjectID: r.record(store.KindProject, "bots"), Enabled: &off}
	put(r, plan.LocalAccount, spec)
	r.want(r.call("", chatBody), 503, "record_invalid")
	r.remove(store.KindServiceAccount, plan.LocalAccount)
	r.want(r.call("", chatBody), 401, "unauthenticated")
	r.open.Store(false)
	spec.Enabled = nil
	put(r, plan.LocalAccount, spec)
	r.want(r.call("", chatBody), 401, "unauthenticated")
	r.wantArrived(up, 0)
}

// The streams of a relay key end with it; those of local end with the account,
// not with the next plan.
func TestOpen_AStreamOutlivesPlansButNotTheAccount(t *testing.T) {
	for _, removed := range []bool{false, true} {
		r, up := newOpen(t)
		release := make(chan struct{})
		up.Play(gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(deltaEvent), gatewaytest.Wait(release), gatewaytest.Chunk(finishEvent, usageEvent, doneEvent), gatewaytest.LastChunk()))
		c := gatewaytest.Dial(t, r.addr)
		c.Send(request("", streamBody))
		answer := c.Response()
		if _, err := gatewaytest.ReadUntil(answer.Body, "hel"); err != nil {
			t.Fatal(err)
		}
		put(r, "elsewhere", store.ModelSpec{})
		if removed {
			r.remove(store.KindServiceAccount, plan.LocalAccount)
			until(t, "the stream is cut", func() bool { return r.server.InFlight() == 0 })
		}
		close(release)
		rest, _ := gatewaytest.ReadUntil(answer.Body, "[DONE]")
		if whole := strings.Contains(rest, "[DONE]"); whole == removed {
			t.Errorf("removed %v: the stream ended with %q", removed, rest)
		}
	}
}

func TestUnauthenticated_TellsClientsOfOllamaOfTheSwitch(t *testing.T) {
	r, _ := newStand(t)
	const hint = "inference.auth: open"
	r.want(r.call("", chatBody, "User-Agent: ollama/0.17.4 (amd64 linux) Go/go1.25"), 401, hint)
	r.want(r.call("", chatBody, "User-Agent: ollama-js/0.6.4"), 401, hint)
	r.want(r.call("sk-wr-unknown-0123456789", chatBody, "User-Agent: Ollama"), 401, hint)
	if a := r.call("", chatBody, "User-Agent: curl/8"); a.Status != 401 || strings.Contains(a.Body, hint) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestIdentity_IsRecordedOfTrustedCallersOnly(t *testing.T) {
	long := strings.Repeat("x", 127) + "é9"
	for name, c := range map[string]struct {
		members, header string
		user            string
	}{
		"user":                     {`"user":"maria",`, "", "maria"},
		"safety_identifier":        {`"safety_identifier":"maria",`, "", "maria"},
		"metadata.user_id":         {`"metadata":{"user_id":"maria","x":1},`, "", "maria"},
		"the header":               {"", "X-Openwebui-User-Id: maria", "maria"},
		"the header before a body": {`"user":"paul",`, "X-OpenWebUI-User-Id: maria", "maria"},
		"user before the others":   {`"metadata":{"user_id":"paul"},"safety_identifier":"paula","user":"maria",`, "", "maria"},
		"another header":           {"", "X-User: maria", ""},
		"no text":                  {`"user":17,"metadata":["user_id"],`, "", ""},
		"nothing":                  {`"user":"",`, "", ""},
		"escapes":                  {`"user":"m\u0061ria\u0000\n",`, "", "maria"},
		"long":                     {`"user":"` + long + `",`, "", long[:127]},
	} {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			up.Otherwise(answer)
			trusted := r.key("trusted", store.RelayKeySpec{TrustUser: true, UserHeader: "x-openwebui-user-id"})
			other := r.key("other", store.RelayKeySpec{UserHeader: "x-openwebui-user-id"})
			body := strings.Replace(chatBody, "{", "{"+c.members, 1)
			headers := []string{"session-id: s-1"}
			if c.header != "" {
				headers = append(headers, c.header)
			}
			r.want(r.call(trusted, body, headers...), 200, "")
			r.want(r.call(other, body, headers...), 200, "")
			e := r.events(2)
			if e[0].User != c.user || e[1].User != "" {
				t.Errorf("recorded %q and %q, want %q and nothing", e[0].User, e[1].User, c.user)
			}
			if e[0].Session != "s-1" || e[1].Session != "s-1" {
				t.Errorf("sessions %q and %q", e[0].Session, e[1].Session)
			}
			if sent := string(up.Request(0).Body); !strings.Contains(sent, c.members) {
				t.Errorf("sent %s", sent)
			}
		})
	}
}

func TestIdentity_ASessionIsWhatTheFirstOfItsHeadersSays(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	key := r.key("laptop", store.RelayKeySpec{})
	all := []string{"session-id: one", "X-Session-Id: two", "x-session-affinity: three", "X-Claude-Code-Session-Id: four"}
	for i := range all {
		r.want(r.call(key, chatBody, all[i:]...), 200, "")
	}
	r.want(r.call(key, chatBody, "session-id: "+strings.Repeat("x", 300)), 200, "")
	r.want(r.call(key, chatBody), 200, "")
	var got []string
	for _, e := range r.events(6) {
		got = append(got, e.Session)
	}
	if want := "one two three four " + strings.Repeat("x", 128) + " "; strings.Join(got, " ") != want {
		t.Errorf("recorded %q", got)
	}
}
