package gateway_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/store"
	"relay/store/token"
)

// refused fails the test unless the answer refuses the credential so.
func refused(t *testing.T, name string, k kind, a gatewaytest.Answer, status int, code, text string) {
	t.Helper()
	told, begins, holds := toldIn(k.shape, status, code)
	if a.Status != told || !strings.HasPrefix(a.Body, begins) || !strings.Contains(a.Body, holds) || !strings.Contains(a.Body, text) {
		t.Errorf("%s, %s: %d %s; want %s with %q", k.name, name, a.Status, a.Body, code, text)
	}
	if status == 401 && (a.Header.Get("WWW-Authenticate") != `Bearer realm="relay"` || a.Header.Get("X-Relay-Refused-By") != "key") {
		t.Errorf("%s, %s: %v", k.name, name, a.Header)
	}
}

const unknownText = "No valid relay key."

func TestInferenceTokens_StandForTheirUserInEveryHeaderOnEveryRoute(t *testing.T) {
	r, up := newStand(t)
	maria := r.user("maria")
	text, id := r.mint("maria", "bots")
	calls := 0
	for _, k := range kinds() {
		up.Otherwise(k.says(5, 5))
		for _, header := range []string{"Authorization: Bearer ", "x-api-key: ", "x-goog-api-key: ", "X-Relay-Key: ", "X-WR-API-Key: "} {
			if a := r.ask(k, "", header+text); a.Status != 200 {
				t.Errorf("%s, %s%d %s", k.name, header, a.Status, a.Body)
			}
			calls++
		}
		if k.shape == store.ShapeGemini {
			k.path += map[bool]string{true: "&", false: "?"}[strings.Contains(k.path, "?")] + "key=" + text
			if a := r.ask(k, ""); a.Status != 200 {
				t.Errorf("%s, in the query: %d %s", k.name, a.Status, a.Body)
			}
			calls++
		}
	}
	for _, path := range lookups() {
		if a := r.get(path, text); a.Status != 200 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	for _, e := range r.events(calls) {
		if e.Principal != (store.Ref{Kind: store.KindUser, ID: maria.Metadata.ID}) || e.Project != r.record(store.KindProject, "bots") ||
			e.Team == "" || e.Organization == "" || e.Credential != (store.Credential{Kind: plan.KindToken, ID: id, Prefix: text[:14]}) {
			t.Fatalf("event %+v", e)
		}
	}
	for _, sent := range up.Requests() {
		if strings.Contains(sent.Head+string(sent.Body), text[:40]) {
			t.Fatalf("the token went up: %s", sent.Head)
		}
	}
}

func TestInferenceTokens_TellWhoseTimeIsOver(t *testing.T) {
	r, up := newStand(t)
	for _, name := range []string{"maria", "disabled", "gone", "bumped", "demoted"} {
		r.user(name)
	}
	put(r, "old", store.ProjectSpec{TeamID: r.record(store.KindTeam, "research")})
	expired := r.claims("maria", "bots")
	expired.Expires = time.Now().Add(-time.Second)
	texts := map[string]string{"expired": r.signed(expired)}
	for _, name := range []string{"disabled", "gone", "bumped", "demoted"} {
		texts[name], _ = r.mint(name, "bots")
	}
	texts["no project"], _ = r.mint("maria", "old")
	revoked, id := r.mint("maria", "bots")
	texts["revoked"] = revoked
	for name, text := range texts {
		if a := r.get("/v1/models", text); name != "expired" && a.Status != 200 {
			t.Fatalf("%s, before: %d %s", name, a.Status, a.Body)
		}
	}
	if err := r.db.RevokeToken(id, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	edit(r, "disabled", func(u *store.User) { u.Spec.Disabled = true })
	edit(r, "bumped", func(u *store.User) { u.Spec.TokenVersion++ })
	r.remove(store.KindRoleBinding, "boss-demoted", "boss-gone")
	r.remove(store.KindUser, "gone")
	r.remove(store.KindProject, "old")
	for name, want := range map[string][2]string{
		"expired":    {"token_expired", "The inference token of maria@bots expired at " + expired.Expires.UTC().Format(time.RFC3339)},
		"revoked":    {"token_revoked", "The inference token of maria@bots has been revoked."},
		"disabled":   {"token_revoked", "User disabled is disabled."},
		"bumped":     {"token_revoked", "The inference token of bumped@bots has been revoked."},
		"demoted":    {"token_revoked", "User demoted may not have inference tokens in project bots any more."},
		"gone":       {"token_revoked", "Its user does not exist any more."},
		"no project": {"token_revoked", "Its project does not exist any more."},
	} {
		for _, k := range kinds() {
			refused(t, name, k, r.ask(k, texts[name]), 401, want[0], want[1])
		}
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
}

func TestInferenceTokens_ForgeriesAreAnsweredAsUnknownKeysAre(t *testing.T) {
	r, _ := newStand(t)
	r.user("maria")
	key, mine := r.signingKey(), r.claims("maria", "bots")
	right := r.signed(mine)
	head, rest, _ := strings.Cut(right, ".")
	body, signature, _ := strings.Cut(rest, ".")
	_, others, _ := ed25519.GenerateKey(nil)
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	expired := mine
	expired.Expires = time.Now().Add(-time.Hour)
	unknown := r.call("sk-wr-nobody-0123456789", chatBody)
	for name, text := range map[string]string{
		"another's signature":             token.Sign(r.db.InstallationID(), key.ID, others, mine),
		"another's signature, and old":    token.Sign(r.db.InstallationID(), key.ID, others, expired),
		"another installation":            token.Sign("installation-2", key.ID, key.Private, mine),
		"a key nobody knows":              token.Sign(r.db.InstallationID(), "k2", others, mine),
		"no signature":                    head + "." + body + ".",
		"a changed body":                  head + "." + body[:len(body)-1] + "A." + signature,
		"no algorithm":                    part(`{"alg":"none","kid":"`+key.ID+`"}`) + "." + body + ".",
		"another algorithm":               part(`{"alg":"HS256","typ":"JWT","kid":"`+key.ID+`"}`) + "." + body + "." + signature,
		"a vendor's":                      foreignToken(),
		"half of it":                      right[:len(right)/2],
		"a changed signature, cut":        right[:len(right)-1],
		"the header alone":                head + "..",
		"the header, and a lot behind it": head + "." + strings.Repeat("A", 5000) + "." + signature,
	} {
		a := r.call(text, chatBody)
		for _, own := range []string{"Date", "X-Relay-Request-Id"} {
			a.Header[own] = unknown.Header[own]
		}
		if a.Status != 401 || a.Body != unknown.Body || !sameHeaders(a.Header, unknown.Header) {
			t.Errorf("%s: %d %s %v", name, a.Status, a.Body, a.Header)
		}
	}
}

func TestInferenceTokens_OfAVendorDoNotCountBesideACredentialOfRelay(t *testing.T) {
	r, up := newStand(t)
	r.user("maria")
	text, _ := r.mint("maria", "bots")
	second, _ := r.mint("maria", "bots")
	key := r.key("laptop", store.RelayKeySpec{})
	forged := text[:len(text)-2] + "AA"
	for _, c := range []struct {
		headers []string
		status  int
		text    string
	}{
		{[]string{"Authorization: Bearer " + foreignToken(), "x-api-key: " + key}, 200, ""},
		{[]string{"Authorization: Bearer " + foreignToken(), "x-api-key: " + text}, 200, ""},
		{[]string{"Authorization: Bearer " + text, "x-api-key: " + foreignKey}, 200, ""},
		{[]string{"Authorization: Bearer " + text, "x-api-key: " + text}, 200, ""},
		{[]string{"Authorization: Bearer " + text, "x-api-key: " + second}, 401, ambiguousTokens},
		{[]string{"Authorization: Bearer " + text, "x-api-key: " + key}, 401, ambiguousTokens},
		{[]string{"Authorization: Bearer " + forged, "x-api-key: " + key}, 401, ambiguousTokens},
		{[]string{"Authorization: Bearer " + foreignToken()}, 401, unknownText},
		{[]string{"Authorization: " + text}, 401, unknownText},
		{[]string{"Authorization: Basic " + text}, 401, unknownText},
	} {
		for _, k := range representatives() {
			up.Otherwise(k.says(5, 5))
			if a := r.ask(k, "", c.headers...); a.Status != c.status || !strings.Contains(a.Body, c.text) {
				t.Errorf("%s %q: %d %s", k.name, c.headers, a.Status, a.Body)
			}
		}
	}
}

const ambiguousTokens = "The request carries two different credentials of this Relay. Send one."

func TestInferenceTokens_OfAFormerKeyWorkUntilItEnds(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	r.user("maria")
	former, _ := r.mint("maria", "bots")
	r.rotateTokenKey(time.Hour)
	present, _ := r.mint("maria", "bots")
	if former[:strings.IndexByte(former, '.')] == present[:strings.IndexByte(present, '.')] {
		t.Fatal("the key has not been rotated")
	}
	r.want(r.call(former, chatBody), 200, "hello")
	r.want(r.call(present, chatBody), 200, "hello")
	r.rotateTokenKey(-time.Second)
	r.want(r.call(former, chatBody), 200, "hello")
	r.want(r.call(present, chatBody), 401, unknownText)
}

func TestInferenceTokens_ASwitchForAnybodyDoesNotLetABadOneIn(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	r.user("maria")
	put(r, "local", store.ServiceAccountSpec{ProjectID: r.record(store.KindProject, "bots")})
	r.open.Store(true)
	text, id := r.mint("maria", "bots")
	r.want(r.call("", chatBody), 200, "hello")
	r.want(r.call(text[:len(text)-2]+"AA", chatBody), 401, unknownText)
	if err := r.db.RevokeToken(id, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	r.want(r.call(text, chatBody), 401, "token_revoked")
}

// What counts per key counts for all tokens of a user in a project: a new token
// is no new allowance, and neither is a new plan.
func TestInferenceTokens_OfOneMemberShareWhatCountsPerKey(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	r.user("maria")
	r.user("noor")
	r.bind([]string{"key"}, "team:research")
	for i := range 3 {
		text, _ := r.mint("maria", "bots")
		r.want(r.call(text, chatBody), 200, "hello")
		put(r, fmt.Sprintf("another-%d", i), store.ModelSpec{}) // a new plan
	}
	text, _ := r.mint("maria", "bots")
	r.want(r.call(text, chatBody), 429, "rate_limit_exceeded")
	others, _ := r.mint("noor", "bots")
	r.want(r.call(others, chatBody), 200, "hello")
	seen, err := plan.LimitsOf(r.server.Plan(), r.record(store.KindPolicy, "chat"), plan.Observed{Now: noon, Counters: readings{r}})
	if err != nil || len(seen.RateLimits) != 1 {
		t.Fatalf("%+v, %v", seen, err)
	}
	var told []string
	for _, c := range seen.RateLimits[0].Rules[0].Counters {
		told = append(told, fmt.Sprintf("%s %d", c.Per, c.Used))
	}
	if want := []string{"key=maria@bots 3", "key=noor@bots 1"}; !slices.Equal(sorted(told), want) {
		t.Errorf("counters %v, want %v", told, want)
	}
}

func sorted(texts []string) []string {
	slices.Sort(texts)
	return texts
}

func TestInferenceTokens_StayRelaysInProxyMode(t *testing.T) {
	r, up := newStand(t)
	up.Otherwise(answer)
	r.user("maria")
	r.proxying(true)
	text, id := r.mint("maria", "bots")
	r.want(r.call("", chatBody, proxied(text)...), 200, "hello")
	r.want(r.call("", chatBody, "X-Relay-Proxy: 1", "Authorization: Bearer "+text), 200, "hello") // a stranger, who sends it upstream
	if e := r.events(1)[0]; e.Source != "proxy" || e.Credential.ID != id {
		t.Errorf("event %+v", e)
	}
	for i, want := range []bool{true, false} {
		sent := up.Request(i).Head
		if strings.Contains(sent, "own-upstream-credential") != want || strings.Contains(sent, text[:40]) {
			t.Errorf("request %d went up with %s", i, sent)
		}
	}
}
