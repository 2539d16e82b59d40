package gateway_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// slotPaths are the ways to the end of a call, by their numbers in the list of
// all that are known.
func slotPaths() []slotPath {
	all := append(refusedPaths(), upstreamPaths()...)
	return append(all, callerPaths()...)
}

// refusedPaths end before an upstream has seen anything.
func refusedPaths() []slotPath {
	return []slotPath{
		{number: 1, name: "a later rule refuses", key: "spent"},
		{number: 2, name: "no provider key has room", model: "full"},
		{number: 3, name: "the model is not allowed", key: "narrow", want: " 403 "},
		{number: 3, name: "there is no such model", model: "nothing", want: " 404 "},
		{number: 4, name: "the body breaks off", caller: func(_ *slotStand, c *slotCall) {
			c.client.Send(c.text[:len(c.text)-5])
			c.client.Close()
		}},
		{number: 4, name: "the body does not come", want: " 408 ", caller: func(_ *slotStand, c *slotCall) {
			c.client.Send(c.text[:len(c.text)-5])
			c.read()
		}},
		{number: 5, name: "the name does not resolve", model: "nameless", want: "cannot be reached", costly: true},
		{number: 6, name: "the connection is refused", model: "gone", want: "cannot be reached", costly: true},
		{number: 7, name: "the certificate is bad", model: "untrusted", want: "cannot be reached", costly: true},
	}
}

// upstreamPaths end as the upstream says.
func upstreamPaths() []slotPath {
	all := []slotPath{
		{number: 8, name: "no headers in time", model: "slow", script: says(gatewaytest.Hang()), want: "sent no answer in time"},
		{number: 11, name: "a key is busy and the next is not", model: "pair", want: " 200 "},
		{number: 12, name: "every key is busy", model: "worn", want: " 429 "},
		{number: 13, name: "success", whole: true, want: " 200 "},
		{number: 14, name: "a stream to its end", stream: true, want: " 200 "},
		{number: 15, name: "a stream is reset", stream: true, want: "broke its stream off", script: func(k kind) gatewaytest.Script { return gatewaytest.Join(k.opening(), gatewaytest.Reset()) }},
		{number: 15, name: "an answer is reset", whole: true, want: " 502 ", script: says(gatewaytest.Head(200, "Content-Length: 500"), gatewaytest.Raw("{"), gatewaytest.Reset())},
		{number: 16, name: "a stream without its end", stream: true, want: "broke its stream off", script: func(k kind) gatewaytest.Script { return gatewaytest.Join(k.opening(), gatewaytest.LastChunk()) }},
		{number: 17, name: "a stream falls silent", stream: true, model: "silent", want: "sent nothing for too long", script: func(k kind) gatewaytest.Script { return gatewaytest.Join(k.opening(), gatewaytest.Hang()) }},
		{number: 17, name: "a stream is long in coming", stream: true, script: func(k kind) gatewaytest.Script {
			return gatewaytest.Join(after(30*time.Millisecond), k.opening(), after(30*time.Millisecond), k.closing())
		}},
		{number: 23, name: "an event cannot be translated", stream: true, model: "foreign", foreign: true, want: "cannot be translated"},
		{number: 26, name: "upgrade", want: " 502 ", script: says(gatewaytest.Head(101, "Upgrade: x", "Connection: Upgrade"), gatewaytest.Close())},
		{number: 26, name: "early hints", want: " 200 ", script: func(k kind) gatewaytest.Script { return gatewaytest.Join(gatewaytest.Early(3), k.says(7, 3)) }},
		{number: 26, name: "no end of early hints", want: " 502 ", script: says(gatewaytest.Early(1000), gatewaytest.Close())},
	}
	for _, status := range []int{302, 400, 401, 403, 404, 413, 429, 500, 503, 529} {
		all = append(all, slotPath{number: 9, name: fmt.Sprint("status ", status), script: says(gatewaytest.JSON(status, upstreamError))})
	}
	for _, f := range append(unavailable()[:3], broken()...) {
		all = append(all, slotPath{number: 10, name: "fault: " + f.name, script: f.script, stream: f.begun})
	}
	return all
}

// after goes on after a while.
func after(d time.Duration) gatewaytest.Script {
	return func(x *gatewaytest.Exchange) error {
		passed := make(chan struct{})
		timer := time.AfterFunc(d, func() { close(passed) })
		defer timer.Stop()
		return x.Wait(passed)
	}
}

// callerPaths end as the caller does, or Relay itself.
func callerPaths() []slotPath {
	hang := says(gatewaytest.Hang())
	opened := func(k kind) gatewaytest.Script { return gatewaytest.Join(k.opening(), gatewaytest.Hang()) }
	leave := func(go_ func(*gatewaytest.Client)) func(*slotStand, *slotCall) {
		return func(_ *slotStand, c *slotCall) {
			c.client.Send(c.text)
			go_(c.client)
		}
	}
	leaveWithin := func(go_ func(*gatewaytest.Client)) func(*slotStand, *slotCall) {
		return func(_ *slotStand, c *slotCall) {
			c.client.Send(c.text)
			if answer := c.client.Response(); answer.StatusCode == 200 {
				_, _ = gatewaytest.ReadUntil(answer.Body, c.kind.ends)
			}
			go_(c.client)
		}
	}
	all := []slotPath{
		{number: 18, name: "the key is revoked", stream: true, costly: true, script: opened, caller: revoke},
		{number: 21, name: "the caller never reads", stream: true, costly: true, script: func(k kind) gatewaytest.Script {
			return gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+k.contentType), gatewaytest.Raw(k.answer(7, 3)[0]), gatewaytest.Fill(12<<20, k.event("{}")), gatewaytest.Hang())
		}, caller: func(s *slotStand, c *slotCall) {
			c.client.Narrow()
			c.client.Send(c.text)
			until(s.tb, "it is given up", func() bool { return s.inFlight(c.key) == 0 && len(s.up.Requests()) > 0 })
		}},
		{number: 24, name: "a panic before the answer", header: "X-Frail: headers"},
		{number: 24, name: "a panic within the answer", header: "X-Frail: writes"},
		{number: 25, name: "the handler gives the connection up", header: "X-Frail: abort"},
		{number: 27, name: "records are edited", costly: true, script: func(k kind) gatewaytest.Script { return k.saysAfter(7, 3, after(time.Millisecond)) }, caller: editWithin},
	}
	for name, go_ := range leavings() {
		all = append(all,
			slotPath{number: 19, name: "gone before the head, " + name, script: hang, caller: leave(go_)},
			slotPath{number: 19, name: "gone at any moment, " + name, caller: leave(go_)},
			slotPath{number: 20, name: "gone within the stream, " + name, stream: true, script: opened, caller: leaveWithin(go_)},
			slotPath{number: 20, name: "gone and drained, " + name, model: "draining", stream: true, script: opened, caller: leaveWithin(go_)},
		)
	}
	return append(all, slotPath{number: 22, name: "half-closed and read on", caller: func(_ *slotStand, c *slotCall) {
		c.client.Send(c.text)
		c.client.CloseWrite()
		c.read()
	}})
}

// inFlight is what the key's own gauge stands at; 0 for a key that is gone.
func (s *slotStand) inFlight(key string) (n int64) {
	caller := s.server.Plan().Caller(sha256.Sum256([]byte(key)))
	if caller == nil {
		return 0
	}
	for _, l := range caller.Limits {
		if l.Counter.Name().Meter == limiter.MeterConcurrency && strings.HasPrefix(l.Source.Owner, "key ") {
			n += s.memory.Read(s.clock.Now(), l.Counter).Used
		}
	}
	return n
}

// revoke takes the key away in the middle of its stream, and gives it back.
func revoke(s *slotStand, c *slotCall) {
	c.client.Send(c.text)
	answer := c.client.Response()
	if answer.StatusCode != 200 {
		c.read()
		return
	}
	_, _ = gatewaytest.ReadUntil(answer.Body, c.kind.ends)
	name := strings.TrimSuffix(strings.TrimPrefix(c.key, "sk-wr-"), "-0123456789")
	now := time.Now().UTC()
	edit(s.rig, name, func(k *store.RelayKey) { k.Spec.RevokedAt = &now })
	c.said, _ = readAll(answer.Body)
	edit(s.rig, name, func(k *store.RelayKey) { k.Spec.RevokedAt = nil })
}

// editWithin changes what the call runs under while it runs.
func editWithin(s *slotStand, c *slotCall) {
	c.client.Send(c.text)
	s.editing.Lock()
	for _, name := range []string{"rl", "tier-rl"} {
		edit(s.rig, name, func(rl *store.RateLimit) {
			rl.Spec.Rules = []limiter.Rule{sliding(limiter.MeterConcurrency, rl.Spec.Rules[0].Amount+1, time.Minute)}
		})
	}
	edit(s.rig, "chat", func(m *store.Model) {
		m.Spec.Limits = &store.Limits{Concurrency: int64p(*m.Spec.Limits.Concurrency + 1)}
	})
	s.editing.Unlock()
	c.read()
}
