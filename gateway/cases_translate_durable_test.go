package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// unrecordedTongues is the stand of newTongues, which writes no usage until startUsage.
func unrecordedTongues(t *testing.T, change func(*gateway.Options)) (*rig, *gatewaytest.Upstream) {
	t.Helper()
	r := newUnrecordedRig(t, change)
	up := gatewaytest.New(t)
	r.tongues(up)
	return r, up
}

// Under strict usage the end of a translated answer waits for the disk, and nothing
// before it does.
func TestTranslatedUsage_HoldsTheEndBackUntilItIsOnDisk(t *testing.T) {
	for i, p := range streamPairs() {
		if i%2 != 0 {
			continue // the rest waits in the same place
		}
		r, up := unrecordedTongues(t, strictly(time.Minute))
		up.Play(p.upstream.says(7, 3))
		c := gatewaytest.Dial(t, r.addr)
		c.Send(p.asks().request(r.key("k", store.RelayKeySpec{})))
		answer := c.Response()
		heard := r.hears(answer, textOf(p.upstream)[len(textOf(p.upstream))-2:], 1)
		if n := len(r.stored()); n != 0 || p.caller.terminal != "" && strings.Contains(heard, p.caller.terminal) {
			t.Fatalf("%s: %d events are on disk, the caller has %s", p.name(), n, heard)
		}
		r.startUsage()
		rest, err := readAll(answer.Body)
		p.caller.mustHear(t, "then", gatewaytest.Answer{Status: 200, Header: answer.Header, Body: heard + rest, Err: err}, textOf(p.upstream))
		if all := r.stored(); len(all) != 1 || all[0].Tokens.Output != 3 || all[0].ShapeOut != string(p.upstream.shape) {
			t.Errorf("%s: recorded %+v", p.name(), all)
		}
	}
}

// An answer whose usage the disk does not take is cut, whole or streamed, and told in
// the caller's shape.
func TestTranslatedUsage_ThatTheDiskDoesNotTakeCutsTheAnswer(t *testing.T) {
	r, up := unrecordedTongues(t, strictly(time.Millisecond))
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	for _, p := range pairs() {
		up.Play(p.upstream.says(7, 3))
		a := r.ask(p.asks(), key)
		last := p.caller.lastEvent(a.Body)
		if !strings.Contains(last, "cannot be recorded now") || !holdsError(last) || p.caller.terminal != "" && strings.Contains(a.Body, p.caller.terminal) || !p.caller.streamed && (a.Status != 503 || strings.Contains(a.Body, "hello")) {
			t.Errorf("%s: got %d %s", p.name(), a.Status, a.Body)
		}
		p.caller.mustParse(t, p.name(), a.Body)
		until(t, "the call is over", func() bool { return r.server.InFlight() == 0 })
		r.mustBeIdle(p.name())
	}
	r.startUsage()
	for _, e := range r.events(len(pairs())) {
		if e.Tokens.Output != 3 || e.ErrorKind != "" && e.ErrorKind != "usage_unavailable" {
			t.Errorf("recorded %+v", e)
		}
	}
}

// A key that is revoked takes its translated streams with it.
func TestTranslatedStreams_EndWithTheirKey(t *testing.T) {
	now := time.Now().UTC()
	r, up := newTongues(t)
	for i, p := range streamPairs() {
		key := r.key("k", store.RelayKeySpec{})
		texts := p.upstream.answer(7, 3)
		up.Play(gatewaytest.Join(p.upstream.head(), gatewaytest.Chunk(texts[0], texts[1]), gatewaytest.Hang()))
		_, answer := r.stream(p.asks(), key)
		heard := r.hears(answer, "hel", 1)
		edit(r, "k", func(k *store.RelayKey) { k.Spec.RevokedAt = &now })
		rest, err := readAll(answer.Body)
		p.caller.mustParse(t, p.name(), heard+rest)
		last := p.caller.lastEvent(heard + rest)
		if !holdsError(last) || !strings.Contains(last, "revoked") || p.caller.terminal != "" && strings.Contains(heard+rest, p.caller.terminal) || err != nil {
			t.Errorf("%s: got %s, %v", p.name(), heard+rest, err)
		}
		<-up.Request(i).Gone()
		if e := r.events(i + 1)[i]; e.ErrorKind != "key_revoked" {
			t.Errorf("%s: recorded %+v", p.name(), e)
		}
		r.remove(store.KindRelayKey, "k")
	}
}
