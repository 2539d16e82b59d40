package hub_test

import (
	"regexp"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/gateway/wire/wiretest"

	"github.com/google/go-cmp/cmp"
)

// asked is the request that an answer belongs to: the caller's, where the
// conversation has it.
func (c *conversation) asked(t *testing.T, caller shape) *hub.Request {
	t.Helper()
	body, found := c.written[caller.Shape()+".request.json"]
	if !found {
		return &hub.Request{Streamed: true, WantsUsage: true}
	}
	r, err := c.decoded(t, caller, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// streams brings the stream of every host to every caller of another shape.
func (c *conversation) streams(t *testing.T) {
	pairs(func(caller, host shape) {
		stream, found := c.written[host.Shape()+".host.stream"]
		if !found {
			return
		}
		r := c.asked(t, caller)
		first, sent := played(t, caller, host, r, stream)
		c.got("stream", caller.Shape(), host.Shape(), visible(sent))
		c.noted("usage", host.Shape(), "", told(first.tap.Usage))
		c.checkSpellings(t, caller, host, r, stream, sent)
		c.checkCuts(t, caller, host, r, stream, sent)
		c.checkHeard(t, caller, host, r, stream)
		checkSiblings(t, caller, host, r, stream, sent)
	})
}

// checkSpellings reads a stream in every way in which it may be written: whole, and
// those that move the ends of lines byte by byte.
func (c *conversation) checkSpellings(t *testing.T, caller, host shape, r *hub.Request, stream, sent string) {
	t.Helper()
	for name, spelled := range spellings(host, stream) {
		if spaces(name) && c.setting("white-space") == "kept" {
			c.checkHeard(t, caller, host, r, spelled)
			continue
		}
		ways := map[string][]string{"whole": {spelled}}
		if name == "LF" || name == "CRLF" || name == "comments" || name == "lines" {
			ways["byte by byte"] = wiretest.Bytewise(spelled)
		}
		for how, pieces := range ways {
			if _, again := played(t, caller, host, r, pieces...); again != sent {
				t.Errorf("%s < %s: %s, %s, it is told in another way (-whole):\n%s", caller.Shape(), host.Shape(), name, how, difference(sent, again))
			}
		}
	}
}

// played brings a stream in pieces to one caller.
func played(t *testing.T, caller, host shape, r *hub.Request, pieces ...string) (*answering, string) {
	t.Helper()
	l := listen(caller, r)
	a := answer(host, r, l)
	a.stream(host.streams, pieces...)
	if len(l.faults) > 0 || l.finished == (a.failure != nil) {
		t.Errorf("%s < %s: finished %v, failed %v, %s", caller.Shape(), host.Shape(), l.finished, a.failure, l.faults)
	}
	if a.failure != nil {
		l.sent = caller.wire.AppendErrorEvent(l.sent, a.failure)
	}
	return a, string(l.sent)
}

// difference tells line by line how two texts differ.
func difference(a, b string) string {
	return cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n"))
}

// spellings are the ways in which a stream may be written.
func spellings(host shape, stream string) map[string]string {
	if host.streams == wire.ContentTypeLines {
		return wiretest.LineSpellings(stream)
	}
	all := wiretest.MoreSpellings(stream)
	all["no names"] = regexp.MustCompile(`(?m)^event: (response|message|content|ping).*\n`).ReplaceAllString(stream, "")
	return all
}

// spaces reports whether a spelling has white space between members.
func spaces(spelling string) bool {
	return spelling == "lines" || spelling == "CRLF lines" || spelling == "blanks"
}

// visible marks the CRs of line ends, which files would lose.
func visible(stream string) string { return strings.ReplaceAll(stream, "\r", "\\r") }
