package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"relay/limiter"
	"relay/store"
)

const userHeader = "X-OpenWebUI-User-Email"

// trusting is a key that says for whom it calls.
func trusting() store.RelayKeySpec {
	return store.RelayKeySpec{TrustUser: true, UserHeader: userHeader}
}

// perUser splits the rules of the policy that governs every key.
func (r *rig) perUser(dims []string, rules ...limiter.Rule) {
	r.tb.Helper()
	r.policy(rules...)
	edit(r, "rl", func(rl *store.RateLimit) { rl.Spec.Per = dims })
}

// fullUser is how that policy refuses.
func fullUser(requests int, keys string) denial {
	return denial{text: fmt.Sprintf(`Limit "rl" of policy open: %d of %d requests in 1m used%s`, requests, requests, keys), scope: "policy", wait: waitOf(time.Minute)}
}

// userCall is a call that names an end user.
type userCall struct {
	kind
	headers []string
}

// adding is the call with one member more.
func (k kind) adding(member, value string) kind {
	k.body += `,"` + member + `":` + value
	return k
}

// userWays are the ways in which callers of the kind's shape can name an end user:
// in a header, and in the body where the shape has a member for that.
func (k kind) userWays(user string) []userCall {
	text := `"` + inJSON(user) + `"`
	ways := []userCall{{k, []string{userHeader + ": " + user}}}
	if k.shape == store.ShapeOpenAI || k.shape == store.ShapeResponses {
		ways = append(ways, userCall{k.adding("user", text), nil}, userCall{k.adding("safety_identifier", text), nil})
	}
	if k.shape != store.ShapeGemini && k.shape != store.ShapeOllama {
		ways = append(ways, userCall{k.adding("metadata", `{"user_id":`+text+`}`), nil})
	}
	return ways
}

func TestUsers_BehindOneKeyHaveCountsOfTheirOwnHoweverTheyAreNamed(t *testing.T) {
	r, up := newStand(t)
	r.perUser([]string{"user"}, sliding(limiter.MeterRequests, 4, time.Minute), sliding(limiter.MeterTokens, 1000, time.Minute))
	key := r.key("front", trusting())
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		for _, user := range []string{"maria@acme.example", `jose, jr = 日本 \"x"`} {
			ways := k.userWays(user)
			for i := range 4 {
				way := ways[i%len(ways)]
				r.answers(way.kind, up, key, 1, 7, 3, way.headers...)
			}
			arrived := len(up.Requests())
			for _, way := range ways {
				r.denied(k, r.ask(way.kind, key, way.headers...), fullUser(4, ""))
			}
			r.wantArrived(up, arrived)
		}
		r.answers(k, up, key, 5, 7, 3) // for nobody in particular
		r.advance(waitOf(time.Minute))
		for _, way := range k.userWays("maria@acme.example") {
			r.answers(way.kind, up, key, 1, 7, 3, way.headers...)
		}
	})
}

func TestUsers_AreThoseOfTheHeaderBeforeThoseOfTheBody(t *testing.T) {
	r, up := newStand(t)
	r.perUser([]string{"user"}, sliding(limiter.MeterRequests, 2, time.Minute))
	key := r.key("front", trusting())
	headless := r.key("headless", store.RelayKeySpec{TrustUser: true})
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		maria := userHeader + ": maria"
		for _, way := range k.userWays("jose")[1:] {
			r.answers(way.kind, up, key, 2, 7, 3, maria)
			r.denied(k, r.ask(way.kind, key, maria), fullUser(2, ", shared by 2 keys"))
			r.answers(way.kind, up, key, 1, 7, 3, userHeader+":") // which names nobody
			r.answers(way.kind, up, headless, 1, 7, 3, maria)     // to whom it says nothing
			r.denied(k, r.ask(way.kind, headless, maria), fullUser(2, ", shared by 2 keys"))
			r.advance(waitOf(time.Minute))
		}
		r.answers(k, up, headless, 3, 7, 3, maria)
		r.answers(k, up, key, 2, 7, 3, maria)
		r.denied(k, r.ask(k, key, maria), fullUser(2, ", shared by 2 keys"))
	})
}

// Anybody could name anybody.
func TestUsers_OfAKeyThatIsNotTrustedAreNobody(t *testing.T) {
	r, up := newStand(t)
	r.perUser([]string{"user"}, sliding(limiter.MeterRequests, 1, time.Minute))
	r.key("front", store.RelayKeySpec{UserHeader: userHeader})
	trust := func(yes bool) { edit(r, "front", func(k *store.RelayKey) { k.Spec.TrustUser = yes }) }
	const key = "sk-wr-front-0123456789"
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		trust(false)
		for _, way := range k.userWays("maria") {
			r.answers(way.kind, up, key, 2, 7, 3, way.headers...)
		}
		trust(true)
		ways := k.userWays("maria")
		r.answers(ways[0].kind, up, key, 1, 7, 3, ways[0].headers...)
		for _, way := range ways {
			r.denied(k, r.ask(way.kind, key, way.headers...), fullUser(1, ""))
		}
		trust(false)
		r.answers(k, up, key, 1, 7, 3, ways[0].headers...)
	})
}

func TestUsers_AreKnownByTheirFirst128Bytes(t *testing.T) {
	r, up := newStand(t)
	r.perUser([]string{"user"}, sliding(limiter.MeterRequests, 2, time.Minute))
	key := r.key("front", trusting())
	long := strings.Repeat("m", 127)
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		for i, names := range [][2]string{{long + "aria", long + "arco" + strings.Repeat("x", 3000)}, {long, long + "é"}} { // half of a letter is none
			if i == 1 {
				r.answers(k, up, key, 1, 7, 3, userHeader+": "+long+"o") // which is another
			}
			one, other := k.userWays(names[0]), k.userWays(names[1])
			for w := range one {
				r.answers(one[w].kind, up, key, 1, 7, 3, one[w].headers...)
				r.answers(other[w].kind, up, key, 1, 7, 3, other[w].headers...)
				r.denied(k, r.ask(one[w].kind, key, one[w].headers...), fullUser(2, ""))
				r.advance(waitOf(time.Minute))
			}
		}
	})
}

func TestUsers_OfTwoKeysAreTheSameUnlessTheSplitTellsTheKeysApart(t *testing.T) {
	for name, dims := range map[string][]string{"by user": {"user"}, "by key and user": {"key", "user"}, "by user and key": {"user", "key"}} {
		t.Run(name, func(t *testing.T) {
			r, up := newStand(t)
			r.perUser(dims, sliding(limiter.MeterRequests, 2, time.Minute))
			one, other := r.key("front", trusting()), r.key("back", trusting())
			r.eachKind(t, kinds(), func(t *testing.T, k kind) {
				maria, jose := userHeader+": maria", userHeader+": jose"
				r.answers(k, up, one, 2, 7, 3, maria)
				r.answers(k, up, one, 1, 7, 3, jose)
				if len(dims) == 1 {
					r.denied(k, r.ask(k, other, maria), fullUser(2, ", shared by 2 keys"))
					r.answers(k, up, other, 1, 7, 3, jose)
					r.denied(k, r.ask(k, one, jose), fullUser(2, ", shared by 2 keys"))
					return
				}
				r.denied(k, r.ask(k, one, maria), fullUser(2, ""))
				r.answers(k, up, other, 2, 7, 3, maria)
				r.denied(k, r.ask(k, other, maria), fullUser(2, ""))
				r.answers(k, up, one, 1, 7, 3, jose)
			})
		})
	}
}

func TestUsers_HaveWhatIsInFlightCountedApart(t *testing.T) {
	r, up := newStand(t)
	r.perUser([]string{"user"}, sliding(limiter.MeterConcurrency, 1, time.Minute))
	key := r.key("front", trusting())
	full := denial{text: `Limit "rl" of policy open: 1 of 1 requests in flight`, scope: "policy", wait: time.Second}
	r.eachKind(t, kinds(), func(t *testing.T, k kind) {
		maria, jose := userHeader+": maria", userHeader+": jose"
		end := r.hangs(k, up, key+"\r\n"+maria)
		r.denied(k, r.ask(k, key, maria), full)
		r.answers(k, up, key, 2, 7, 3, jose)
		other := r.hangs(k, up, key+"\r\n"+jose)
		r.denied(k, r.ask(k, key, jose), full)
		end()
		r.answers(k, up, key, 2, 7, 3, maria)
		other()
		for _, user := range []string{"maria", "jose"} {
			if n := r.standing(r.heldFor(key, k.model, user)); n != "concurrency of policy open 0=0; " {
				t.Errorf("in the end there are %s", n)
			}
		}
	})
}
