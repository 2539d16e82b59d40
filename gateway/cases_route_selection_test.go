package gateway_test

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// newShares is a trio whose model chat all three hosts serve with one priority
// and these weights, in a pool with the selection.
func newShares(t *testing.T, selection string, weights ...int) *trio {
	t.Helper()
	x := newTrio(t)
	x.model("chat", store.ModelSpec{}, "a", "b", "c")
	for i, host := range []string{"a", "b", "c"} {
		x.up[host].Otherwise(answer)
		x.untie(host)
		edit(x.rig, "chat-"+host, func(b *store.HostBinding) { b.Spec.Priority, b.Spec.Weight = 0, &weights[i] })
	}
	x.account()
	put(x.rig, "open", store.PolicySpec{Pools: []store.Pool{{Name: "main", Selection: selection}}})
	return x
}

// untie takes the keys of the host from under any tier.
func (x *trio) untie(host string) {
	edit(x.rig, host, func(h *store.Host) { h.Spec.DefaultTierPolicyID = "" })
}

// sequence is who answers so many calls, one after the other.
func (x *trio) sequence(key string, calls int) string {
	x.tb.Helper()
	var hosts strings.Builder
	for range calls {
		a := x.call(key, chatBody)
		if a.Status != 200 {
			x.tb.Fatalf("%d %s", a.Status, a.Body)
		}
		hosts.WriteString(a.Header.Get("X-Relay-Host"))
	}
	return hosts.String()
}

func TestSelection_WeightedIsSmoothAndSurvivesANewPlan(t *testing.T) {
	x := newShares(t, "weighted", 5, 1, 1)
	key := x.key("laptop", store.RelayKeySpec{})
	const smooth = "aabacaa"
	if got := x.sequence(key, 14); got != smooth+smooth {
		t.Fatalf("answered by %s, want %s", got, smooth+smooth)
	}
	got := x.sequence(key, 3)
	put(x.rig, "elsewhere", store.ModelSpec{})
	got += x.sequence(key, 2)
	edit(x.rig, "open", func(p *store.Policy) { p.Metadata.Name = "renamed" })
	if got += x.sequence(key, 2); got != smooth {
		t.Errorf("over two new plans answered by %s, want %s", got, smooth)
	}
}

func TestSelection_WeightedSharesWhatARestingKeyLeaves(t *testing.T) {
	x := newShares(t, "weighted", 2, 1, 1)
	key := x.key("laptop", store.RelayKeySpec{})
	x.up["a"].Play(gatewaytest.Join(gatewaytest.Head(429, "Content-Type: application/json", "Retry-After: 60", "Content-Length: 2"), gatewaytest.Raw("{}")))
	if got := x.sequence(key, 8); strings.Count(got, "b") != 4 || strings.Count(got, "c") != 4 {
		t.Errorf("while a rests answered by %s", got)
	}
	x.advance(61 * time.Second)
	if got := x.sequence(key, 8); strings.Count(got, "a") != 4 || strings.Count(got, "b") != 2 || strings.Count(got, "c") != 2 {
		t.Errorf("afterwards answered by %s", got)
	}
}

func TestSelection_WeightedIsExactUnderLoad(t *testing.T) {
	x := newShares(t, "weighted", 5, 2, 1)
	key := x.key("laptop", store.RelayKeySpec{})
	var others atomic.Int64
	x.parallel(160, func() gatewaytest.Answer {
		a := x.call(key, chatBody)
		if a.Status != 200 {
			others.Add(1)
		}
		return a
	}, func(done *atomic.Int64) {
		for done.Load() < 160 { // new plans all the while
			put(x.rig, "elsewhere", store.ModelSpec{Tags: []string{strconv.FormatInt(done.Load(), 10)}})
		}
	})
	if got := x.arrived(); others.Load() != 0 || got != "a=100 b=40 c=20" {
		t.Errorf("the hosts saw %s", got)
	}
}

func TestSelection_RoundRobinTakesTurnsAndSurvivesANewPlan(t *testing.T) {
	x := newShares(t, "round-robin", 9, 1, 1)
	key := x.key("laptop", store.RelayKeySpec{})
	got := x.sequence(key, 4)
	put(x.rig, "elsewhere", store.ModelSpec{})
	if got += x.sequence(key, 5); got != "abcabcabc" {
		t.Errorf("answered by %s", got)
	}
}

func TestSelection_LeastRecentlyUsedBeginsWithWhatWasNeverUsed(t *testing.T) {
	x := newShares(t, "least-recently-used", 1, 1, 1)
	key := x.key("laptop", store.RelayKeySpec{})
	x.want(x.call(key, strings.Replace(chatBody, "chat", "chat@b", 1)), 200, "")
	if got := x.sequence(key, 6); got != "acbacb" {
		t.Errorf("answered by %s", got)
	}
}

// The selection is among bindings of one priority; later ones come when no key
// of the earlier can take the request.
func TestSelection_KeepsToTheBindingsOfThePriority(t *testing.T) {
	for _, selection := range []string{"prioritized", "round-robin", "least-recently-used", "weighted", "affinity"} {
		t.Run(selection, func(t *testing.T) {
			x := newShares(t, selection, 1, 1, 1)
			edit(x.rig, "chat-c", func(b *store.HostBinding) { b.Spec.Priority = 7 })
			key := x.key("laptop", store.RelayKeySpec{})
			if got := x.sequence(key, 12); strings.Contains(got, "c") {
				t.Errorf("answered by %s", got)
			}
			for _, host := range []string{"a", "b"} {
				x.up[host].Otherwise(gatewaytest.JSON(429, upstreamError))
			}
			if got := x.sequence(key, 3); got != "ccc" {
				t.Errorf("with a and b resting answered by %s", got)
			}
		})
	}
}

// A half-open key lets one probe through, whatever the selection; who comes
// second takes another key.
func TestSelection_PassesOverAKeyWhoseProbeIsUnderWay(t *testing.T) {
	for _, selection := range []string{"prioritized", "round-robin", "least-recently-used", "weighted", "affinity"} {
		t.Run(selection, func(t *testing.T) {
			x := newShares(t, selection, 1, 1, 1)
			for _, host := range []string{"b", "c"} {
				edit(x.rig, "chat-"+host, func(b *store.HostBinding) { b.Spec.Priority = 1 })
			}
			key := x.key("laptop", store.RelayKeySpec{})
			x.up["a"].Otherwise(gatewaytest.JSON(401, upstreamError))
			x.sequence(key, 1)
			release := make(chan struct{})
			x.up["a"].Otherwise(gatewaytest.Join(gatewaytest.Wait(release), answer))
			x.advance(11 * time.Minute)
			c := gatewaytest.Dial(t, x.addr)
			c.Send(request(key, chatBody))
			x.up["a"].Request(1)
			if got := x.sequence(key, 2); strings.Contains(got, "a") {
				t.Errorf("answered by %s while the probe is under way", got)
			}
			close(release)
			if a := c.Answer(); a.Status != 200 || a.Header.Get("X-Relay-Host") != "a" {
				t.Errorf("the probe got %d %s", a.Status, a.Body)
			}
			if got := x.sequence(key, 1); got != "a" {
				t.Errorf("after the probe answered by %s", got)
			}
		})
	}
}
