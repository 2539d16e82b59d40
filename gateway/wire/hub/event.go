package hub

import "relay/gateway/wire"

// Event is one step of an answer. What it refers to is good until the call that
// it was given to returns.
type Event struct {
	Kind EventKind
	Of   PartKind // PartText, PartRefusal, PartReasoning, PartCall, PartImage or PartAudio
	Part int      // of which part it is: from a Decoder any number that tells it apart, from a Sequence 0, 1, 2, …

	Text   Text   // of EventDelta
	Call   Call   // of EventPart of a PartCall; ID may be empty from a Decoder
	Opaque Opaque // of EventOpaque
	Media  Part   // of EventPart of a PartImage or PartAudio, which has no deltas
	Cut    bool   // of EventPartEnd: the arguments of a call have not come to their end; Decoders may say so

	Reason  Reason      // of EventFinish
	StopSeq Text        // the text that ended the answer, with ReasonStopSequence
	Usage   *wire.Usage // of EventFinish, from a Sequence; of EventStart what is known by then, or nil
}

// EventKind says what an Event is.
type EventKind uint8

const (
	EventStart   EventKind = iota // the first of an answer, from a Sequence alone
	EventPart                     // a part begins; Decoders must tell it of calls and media alone
	EventDelta                    // a piece of a part: text, or of a call its arguments
	EventOpaque                   // what belongs to the part
	EventPartEnd                  // Decoders tell it where their shape does
	EventFinish                   // why the answer ends: the last of a Sequence
)

// Reason is why an answer has ended.
type Reason uint8

const (
	ReasonUnknown Reason = iota
	ReasonStop
	ReasonStopSequence
	ReasonLength
	ReasonCalls
	ReasonFilter  // the provider's filter
	ReasonRefusal // the model's own
	ReasonPause   // the provider wants to be asked to go on
)

// Sink takes events.
type Sink interface {
	Event(e Event)
}
