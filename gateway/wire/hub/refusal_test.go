package hub_test

import (
	"testing"

	"relay/gateway/wire/hub"
)

// reasonHeard is a sink that keeps why an answer has ended.
type reasonHeard struct{ hub.Reason }

func (s *reasonHeard) Event(e hub.Event) { s.Reason = e.Reason }

func TestSequence_SaysThatTheModelHasRefused(t *testing.T) {
	for told, want := range map[hub.Reason]hub.Reason{
		hub.ReasonUnknown: hub.ReasonRefusal,
		hub.ReasonStop:    hub.ReasonRefusal,
		hub.ReasonLength:  hub.ReasonLength,
	} {
		var got reasonHeard
		s := hub.NewSequence(&got, "a")
		s.Event(hub.Event{Kind: hub.EventDelta, Of: hub.PartRefusal, Text: hub.Text("No.")})
		s.Event(hub.Event{Kind: hub.EventFinish, Reason: told})
		if s.Finish(nil); got.Reason != want {
			t.Errorf("reason %d became %d", told, got.Reason)
		}
	}
}
