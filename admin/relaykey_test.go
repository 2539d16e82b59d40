package admin_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"relay/admin"
	"relay/store"
	"relay/store/storetest"
)

func hashOf(plaintext string) string {
	sum := sha256.Sum256([]byte(plaintext))
	return hex.EncodeToString(sum[:])
}

func TestRelayKey_ShowsItsPlaintextOnceAndNeverAgain(t *testing.T) {
	f := start(t)
	made := f.send("POST", "/api/relay-keys", `{"metadata":{"name":"script"},"spec":{"limits":{"rpm":10}}}`).want(http.StatusCreated)
	plaintext := made.at("plaintext")
	if !regexp.MustCompile(`^sk-wr-[A-Za-z0-9_-]{64}$`).MatchString(plaintext) {
		t.Fatalf("plaintext has the form %d characters of %.6s", len(plaintext), plaintext)
	}
	id := made.at("key", "metadata", "id")
	stored := f.db.Catalog().RelayKeys.Get(id)
	if stored.Spec.KeyHash != hashOf(plaintext) || stored.Spec.Prefix != plaintext[:14] {
		t.Errorf("stored hash %s and prefix %s", stored.Spec.KeyHash, stored.Spec.Prefix)
	}
	for _, path := range []string{"/api/relay-keys", "/api/relay-keys/script", "/api/export", "/api/status", "/api/relay-keys/by-id/" + id + "/references"} {
		if answer := f.send("GET", path, "").want(200); strings.Contains(answer.text, plaintext[14:]) {
			t.Errorf("%s shows the plaintext", path)
		}
	}
	if got := made.header.Get("Location"); got != "/api/relay-keys/by-id/"+id {
		t.Errorf("Location %q", got)
	}
}

func TestRelayKey_WithoutPrincipalGetsAServiceAccountOfItsName(t *testing.T) {
	f := start(t)
	f.send("POST", "/api/relay-keys", `{"metadata":{"name":"script"},"spec":{}}`).want(http.StatusCreated).
		holds(`"kind":"service-account"`, `"name":"script"`)
	account := f.db.Catalog().ServiceAccounts.ByName("script")
	if account == nil || account.Spec.ProjectID != f.db.Catalog().Projects.ByName("default").Metadata.ID {
		t.Errorf("service account %+v", account)
	}
	f.create(store.KindProject, `{"metadata":{"name":"other"},"spec":{"teamId":"default"}}`)
	f.send("POST", "/api/relay-keys", `{"metadata":{"displayName":"Second One"},"spec":{"projectId":"other"}}`).want(http.StatusCreated)
	if account := f.db.Catalog().ServiceAccounts.ByName("second-one"); account == nil {
		t.Error("no service account second-one")
	}
	f.send("POST", "/api/relay-keys", `{"metadata":{"name":"x"},"spec":{"projectId":"nowhere"}}`).
		want(http.StatusUnprocessableEntity).holds("spec.projectId")
}

func TestRelayKey_LeavesNoServiceAccountBehindWhenItIsRefused(t *testing.T) {
	f := start(t)
	f.send("POST", "/api/relay-keys", `{"metadata":{"name":"script"},"spec":{"endpoints":["teleport"]}}`).
		want(http.StatusBadRequest).holds("spec.endpoints[0]")
	if account := f.db.Catalog().ServiceAccounts.ByName("script"); account != nil {
		t.Error("the service account was made")
	}
}

func TestRelayKey_TakesAHashInsteadAndShowsNoPlaintext(t *testing.T) {
	f := start(t)
	hash := hashOf("a key of a former gateway")
	made := f.send("POST", "/api/relay-keys", `{"metadata":{"name":"old"},"spec":{"keyHash":"`+hash+`"}}`).want(http.StatusCreated)
	if _, shown := made.json()["plaintext"]; shown {
		t.Error("an answer without a plaintext of ours shows one")
	}
	f.send("POST", "/api/relay-keys", `{"metadata":{"name":"old2"},"spec":{"keyHash":"no hash"}}`).want(http.StatusBadRequest)
	f.send("POST", "/api/relay-keys", `{"metadata":{"name":"old3"},"spec":{"prefix":"sk-wr-abc"}}`).
		want(http.StatusBadRequest).holds("spec.prefix", "is read-only")
}

func TestRelayKey_RotatesWithAGraceAndIsRevoked(t *testing.T) {
	f := start(t)
	made := f.send("POST", "/api/relay-keys", `{"metadata":{"name":"k"},"spec":{}}`).want(http.StatusCreated)
	first, id := made.at("plaintext"), made.at("key", "metadata", "id")
	byID := "/api/relay-keys/by-id/" + id

	second := f.send("POST", byID+"/rotate", `{"graceSeconds":60}`).want(200).at("plaintext")
	key := f.db.Catalog().RelayKeys.Get(id)
	if key.Spec.KeyHash != hashOf(second) || key.Spec.PreviousHash != hashOf(first) || !key.Spec.PreviousUntil.Equal(f.now.Add(time.Minute)) {
		t.Errorf("after the rotation: %+v", key.Spec)
	}
	f.send("POST", byID+"/rotate", "").want(200)
	if key = f.db.Catalog().RelayKeys.Get(id); key.Spec.PreviousHash != "" {
		t.Error("without a grace the former plaintext works on")
	}
	f.send("POST", byID+"/rotate", `{"graceSeconds":86401}`).want(http.StatusBadRequest).holds("graceSeconds")

	f.send("POST", byID+"/revoke", "").want(200).holds("revokedAt")
	f.send("POST", byID+"/revoke", "{}").want(200)
	f.send("POST", byID+"/rotate", `{}`).want(http.StatusConflict).holds("revoked")
	f.send("POST", "/api/relay-keys/by-id/"+made.at("key", "spec", "principal", "id")+"/revoke", "").want(http.StatusNotFound)
}

func TestRelayKey_CanBeReadEditedAndReplaced(t *testing.T) {
	f := start(t)
	f.send("POST", "/api/relay-keys", `{"metadata":{"name":"k"},"spec":{}}`).want(http.StatusCreated)
	read := f.send("GET", "/api/relay-keys/k", "")
	byID := "/api/relay-keys/by-id/" + read.id()
	edited := strings.Replace(read.text, `"name":"k"`, `"name":"renamed"`, 1)
	f.send("PUT", byID, edited).want(200).holds(`"name":"renamed"`, read.at("spec", "prefix"))

	f.send("PATCH", byID, `{"spec":{"keyHash":"`+hashOf("another key altogether")+`"}}`).want(200)
	if key := f.db.Catalog().RelayKeys.ByName("renamed"); key.Spec.Prefix != "" {
		t.Errorf("the prefix %s belongs to the former key", key.Spec.Prefix)
	}
}

func TestFirstBoot_MakesTheDefaultsOnceInOneWrite(t *testing.T) {
	db := storetest.Open(t)
	before := db.Catalog().Generation
	for range 2 {
		if err := admin.FirstBoot(db); err != nil {
			t.Fatal(err)
		}
	}
	c := db.Catalog()
	if c.Generation != before+1 {
		t.Errorf("generation %d, want %d", c.Generation, before+1)
	}
	policy := c.Policies.ByName("default")
	binding := c.PolicyBindings.ByName("organization-default")
	if policy == nil || binding == nil || binding.Spec.PolicyID != policy.Metadata.ID || len(policy.Spec.Models)+len(policy.Spec.Pools) > 0 {
		t.Errorf("policy %+v, binding %+v", policy, binding)
	}
}

func TestFirstKey_MakesAKeyThatTheClientFinds(t *testing.T) {
	f := start(t)
	plaintext, err := admin.FirstKey(f.db, "first")
	if err != nil {
		t.Fatal(err)
	}
	key, err := admin.Get[store.RelayKeySpec](context.Background(), f.client(), "first")
	if err != nil || key.Spec.KeyHash != hashOf(plaintext.Reveal()) {
		t.Errorf("key %+v, %v", key, err)
	}
}
