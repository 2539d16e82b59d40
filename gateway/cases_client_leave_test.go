package gateway_test

import (
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
)

// partings are the ways in which a caller leaves.
func partings() map[string]func(*gatewaytest.Client) {
	return map[string]func(*gatewaytest.Client){
		"reset": (*gatewaytest.Client).Reset, "close": (*gatewaytest.Client).Close, "half-close": (*gatewaytest.Client).CloseWrite,
	}
}

func TestClientLeaving_WithinTheBodyLeavesNothingBehind(t *testing.T) {
	for _, k := range kinds() {
		for _, head := range []string{"Content-Length: 100000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n100000\r\n"} {
			f := newFront(t)
			for name, leave := range partings() {
				c := gatewaytest.Dial(t, f.addr)
				c.Send(f.head("POST", k.path) + head + strings.Repeat(" ", 50_000))
				until(t, "the body is being read", func() bool { return f.metric("relay_buffered_bytes", "") > 0 })
				leave(c)
				if name == "half-close" {
					f.mustRefuse(name, c.Answer(), k.path, 400, "parse_error")
					if rest, clean := c.Rest(); rest != "" || !clean {
						t.Errorf("after the answer came %q, in good order: %v", rest, clean)
					}
				}
				f.mustBeFree(name)
				f.recorded++
				events := f.events(f.recorded)
				e := events[len(events)-1]
				if gone := e.Status == 499 && e.ErrorKind == "client_closed"; !gone && (name == "reset" || e.Status != 400 || e.ErrorKind != "parse_error") {
					t.Errorf("%s, %s: event %d %q", k.name, name, e.Status, e.ErrorKind)
				}
			}
			if n := len(f.up.Requests()); n != 0 {
				t.Errorf("%s: the upstream saw %d requests", k.name, n)
			}
		}
	}
}

func TestClientLeaving_BeforeTheAnswerStopsTheUpstreamAndIsNotToldAnEmptyOne(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		asked := 0
		for name, leave := range partings() {
			f.up.Play(gatewaytest.Hang())
			c := gatewaytest.Dial(t, f.addr)
			c.Send(f.head("POST", k.path) + strings.SplitN(k.request(""), "Content-Type: application/json\r\n", 2)[1])
			sent := f.up.Request(asked)
			asked++
			leave(c)
			await(t, sent.Gone())
			if name == "half-close" {
				if said, _ := c.Rest(); said != "" {
					t.Errorf("%s: a caller that had gone was told %q", k.name, said)
				}
			}
			f.mustBeFree(name)
			f.recorded++
			if e := f.events(f.recorded); e[len(e)-1].ErrorKind != "client_closed" {
				t.Errorf("%s, %s: events %+v", k.name, name, e)
			}
		}
	}
}

func TestClientLeaving_WithinAStreamStopsTheUpstream(t *testing.T) {
	for _, k := range kinds() {
		if !k.streamed {
			continue
		}
		f := newFront(t)
		asked := 0
		for name, leave := range partings() {
			f.up.Play(k.saysAfter(5, 5, gatewaytest.Hang()))
			c, _ := f.begin(k, f.key)
			if n := f.metric("relay_inflight_requests", ""); n != 1 {
				t.Errorf("%s: %v in hand", k.name, n)
			}
			leave(c)
			await(t, f.up.Request(asked).Gone())
			asked++
			f.mustBeFree(name)
			f.recorded++
			if e := f.events(f.recorded); e[len(e)-1].ErrorKind != "client_closed" {
				t.Errorf("%s, %s: events %+v", k.name, name, e)
			}
		}
	}
}
