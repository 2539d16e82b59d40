package gateway_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// A silence of an upstream is filled as the caller's shape fills one, whatever shape
// falls silent: before anything has come, between two events, and within one.
func TestTranslatedSilence_IsFilledInTheCallersShape(t *testing.T) {
	r, up := newTongues(t, impatient(5*time.Millisecond))
	key := r.key("k", store.RelayKeySpec{})
	calls := 0
	for _, p := range pairs() {
		if !p.caller.streamed || p.caller.alive == "" {
			continue
		}
		u := p.upstream
		texts := u.answer(7, 3)
		for name, parts := range map[string][2]gatewaytest.Script{
			"before the head":        {gatewaytest.Join(), gatewaytest.Join(u.opening(), u.closing())},
			"before the first event": {u.head(), gatewaytest.Join(gatewaytest.Chunk(texts[0]), u.closing())},
			"after the first event":  {u.opening(), u.closing()},
			"within an event": {
				gatewaytest.Join(u.opening(), gatewaytest.Chunk(texts[1][:len(texts[1])/2])),
				gatewaytest.Join(gatewaytest.Chunk(texts[1][len(texts[1])/2:]), gatewaytest.Chunk(texts[2:]...), gatewaytest.LastChunk()),
			},
			"within a long event": {
				gatewaytest.Join(u.opening(), gatewaytest.Chunk(texts[1][:5]+strings.Repeat(" ", 200_000))),
				gatewaytest.Join(gatewaytest.Chunk(texts[1][5:]), gatewaytest.Chunk(texts[2:]...), gatewaytest.LastChunk()),
			},
		} {
			if name == "within a long event" && !strings.HasPrefix(texts[1], "data:") {
				continue // there is no place for blanks
			}
			more := make(chan struct{})
			up.Play(gatewaytest.Join(parts[0], gatewaytest.Wait(more), parts[1]))
			_, answer := r.stream(p.asks(), key)
			heard := r.hearsAlive(answer, p.caller, 3)
			close(more)
			rest, err := readAll(answer.Body)
			body := p.caller.unfilled(heard + rest)
			p.caller.mustHear(t, p.name()+", "+name, gatewaytest.Answer{Status: 200, Header: answer.Header, Body: body, Err: err}, textOf(u))
			for header, want := range map[string]string{"Content-Type": p.caller.contentType, "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no", "X-Relay-Attempts": "1", "X-Relay-Model": p.model(), "X-Relay-Host": hostNamed(u.shape)} {
				if got := answer.Header.Get(header); got != want {
					t.Errorf("%s, %s: %s is %q, want %q", p.name(), name, header, got, want)
				}
			}
			calls++
			if e := r.events(calls)[calls-1]; e.Status != 200 || e.ErrorKind != "" || e.Tokens.Output != 3 || e.ShapeOut != string(u.shape) {
				t.Errorf("%s, %s: recorded %+v", p.name(), name, e)
			}
		}
	}
}

// textOf is what the kind's stream says.
func textOf(u kind) string {
	switch u.shape {
	case store.ShapeGemini, store.ShapeOllama, store.ShapeResponses:
		return "hello"
	case store.ShapeAnthropic:
		text, _ := u.heard(messageText)
		return text
	}
	return "hel"
}

// What goes wrong after a silence has been filled is an error of the caller's stream.
func TestTranslatedSilence_MakesALateFaultAnErrorEvent(t *testing.T) {
	r, up := newTongues(t, impatient(5*time.Millisecond))
	r.others()
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	for _, p := range streamPairs() {
		if p.caller.alive == "" {
			continue
		}
		u := p.upstream
		for name, c := range map[string]struct {
			then gatewaytest.Script
			text string
		}{
			"reset":          {gatewaytest.Reset(), "closed the connection before it answered"},
			"401":            {gatewaytest.JSON(401, upstreamError), "does not accept the provider key"},
			"429":            {gatewaytest.JSON(429, upstreamError), "said by upstream"},
			"400":            {gatewaytest.JSON(400, upstreamError), "said by upstream"},
			"503":            {gatewaytest.JSON(503, upstreamError), "said by upstream"},
			"an error event": {u.streams(u.failingFirst(upstreamError)), "said by upstream"},
			"no JSON":        {u.streams(u.first(`{"choices":[{`)), "cannot be translated"},
		} {
			more, before := make(chan struct{}), len(up.Requests())
			up.Play(gatewaytest.Join(gatewaytest.Wait(more), c.then))
			_, answer := r.stream(p.asks(), key)
			heard := r.hearsAlive(answer, p.caller, 1)
			close(more)
			rest, err := readAll(answer.Body)
			body := heard + rest
			last := p.caller.lastEvent(body)
			if !holdsError(last) || !strings.Contains(last, c.text) || strings.Contains(body, p.caller.terminal) || err != nil || len(up.Requests()) != before+1 {
				t.Errorf("%s, %s: got %q, %v", p.name(), name, body, err)
			}
			r.mustBeIdle(name)
			r.unbench()
		}
	}
}

// An upstream that is silent for too long is cut, and the caller told so.
func TestTranslatedSilence_IsCutWhenItLastsTooLong(t *testing.T) {
	r, up := newTongues(t, idle(20*time.Millisecond))
	key := r.key("k", store.RelayKeySpec{Limits: &store.Limits{Concurrency: int64p(1)}})
	calls := 0
	for _, p := range pairs() {
		if !p.caller.streamed {
			continue
		}
		u := p.upstream
		texts := u.answer(7, 3)
		for name, script := range map[string]gatewaytest.Script{
			"between two events": gatewaytest.Join(u.head(), gatewaytest.Chunk(texts[0], texts[1]), gatewaytest.Hang()),
			"within an event":    gatewaytest.Join(u.head(), gatewaytest.Chunk(texts[0], texts[1], texts[2][:9]), gatewaytest.Hang()),
		} {
			up.Play(script)
			a := r.ask(p.asks(), key)
			p.caller.mustParse(t, p.name(), a.Body)
			if last := p.caller.lastEvent(a.Body); a.Status != 200 || !strings.Contains(last, "sent nothing for too long (stream.idle_timeout)") || !holdsError(last) || p.caller.terminal != "" && strings.Contains(a.Body, p.caller.terminal) || a.Err != nil {
				t.Errorf("%s, %s: got %d %q, %v", p.name(), name, a.Status, a.Body, a.Err)
			}
			<-up.Request(calls).Gone()
			calls++
			if e := r.events(calls)[calls-1]; e.ErrorKind != "truncated" || e.Status != 200 {
				t.Errorf("%s, %s: recorded %+v", p.name(), name, e)
			}
			r.mustBeIdle(p.name())
			r.unbench()
		}
	}
}
