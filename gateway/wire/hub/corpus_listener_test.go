package hub_test

import (
	"fmt"
	"strings"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// listener is a caller: what it is sent, and what is checked on the way.
type listener struct {
	caller   shape
	reply    *hub.Reply
	encoder  hub.Encoder // of the stream
	sent     []byte
	answer   hub.Answer
	faults   []string
	begun    bool
	finished bool
	open     bool
	of       hub.PartKind
	parts    int
	call     hub.Item
}

func listen(caller shape, r *hub.Request) *listener {
	reply := &hub.Reply{Request: r, ID: replyID, Model: replyModel, Created: replyCreated}
	return &listener{caller: caller, reply: reply, encoder: caller.Encoder(reply)}
}

// whole is what the caller is sent that has not asked for a stream.
func (l *listener) whole() []byte { return l.caller.Encoder(l.reply).AppendAnswer(nil, &l.answer) }

// The reply of every conversation.
const (
	replyID      = "a1b2"
	replyModel   = "relay-model"
	replyCreated = 1_700_000_000
)

// Event hands an event on to the encoder and holds it against what a Sequence
// promises.
func (l *listener) Event(e hub.Event) {
	l.verify(e)
	l.sent = l.encoder.Append(l.sent, e)
	l.answer.Event(e)
}

func (l *listener) verify(e hub.Event) {
	l.must(!l.finished, "an event follows the end")
	l.must((e.Kind == hub.EventStart) != l.begun, "the start is not first, or comes twice")
	l.begun = true
	switch e.Kind {
	case hub.EventPart:
		l.must(!l.open && e.Part == l.parts, fmt.Sprintf("part %d begins out of its turn", e.Part))
		l.must(e.Of != hub.PartCall || len(e.Call.ID) > 0 && len(e.Call.Name) > 0, "a call has no id or no name")
		l.open, l.of, l.call = true, e.Of, hub.Item{Call: hub.Call{Custom: e.Call.Custom}}
	case hub.EventDelta, hub.EventOpaque:
		l.must(l.open && e.Part == l.parts && e.Of == l.of, "a piece is of a part that is not open")
		l.must(e.Kind == hub.EventOpaque || len(e.Text) > 0, "a delta is empty")
		l.call.Arguments = append(l.call.Arguments, e.Text...)
	case hub.EventPartEnd:
		l.must(l.open && e.Part == l.parts, "a part ends that is not open")
		whole := l.of != hub.PartCall || l.call.Call.Custom || wire.Valid(l.call.Arguments.Plain())
		l.must(whole != e.Cut, "a call that is cut off is called whole")
		l.open, l.parts = false, l.parts+1
	case hub.EventFinish:
		l.must(!l.open && e.Usage != nil, "a part is open at the end")
		l.finished = true
	}
}

func (l *listener) must(ok bool, fault string) {
	if !ok {
		l.faults = append(l.faults, fault)
	}
}

// told is what a usage says, those meters that are not 0.
func told(u wire.Usage) string {
	said := []string{}
	for _, m := range []struct {
		name string
		n    int64
	}{
		{"input", u.Input}, {"cache_read", u.CacheRead}, {"cache_creation", u.CacheCreation},
		{"output", u.Output}, {"reasoning", u.Reasoning},
	} {
		if m.n != 0 {
			said = append(said, fmt.Sprintf("%s %d", m.name, m.n))
		}
	}
	if len(said) == 0 {
		return "nothing"
	}
	return strings.Join(said, ", ")
}
