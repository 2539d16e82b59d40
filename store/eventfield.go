package store

// eventField numbers a member of an encoded event. Numbers are never given
// anew; a reader skips those it does not know.
type eventField uint8

const (
	fieldAt               eventField = 1
	fieldRequestID        eventField = 2
	fieldSource           eventField = 3
	fieldEndpoint         eventField = 4
	fieldShapeIn          eventField = 5
	fieldShapeOut         eventField = 6
	fieldErrorKind        eventField = 7
	fieldModel            eventField = 8
	fieldRequestedModel   eventField = 9
	fieldHost             eventField = 10
	fieldProvider         eventField = 11
	fieldHostKey          eventField = 12
	fieldOrganization     eventField = 13
	fieldTeam             eventField = 14
	fieldProject          eventField = 15
	fieldPrincipalKind    eventField = 16
	fieldPrincipalID      eventField = 17
	fieldCredentialKind   eventField = 18
	fieldCredentialID     eventField = 19
	fieldCredentialPrefix eventField = 20
	fieldUser             eventField = 21
	fieldSession          eventField = 22
	fieldFinishReason     eventField = 23
	fieldPricing          eventField = 24
	fieldRefusedLimit     eventField = 25
	fieldRefusedMeter     eventField = 26
	fieldClientIP         eventField = 27
	fieldDuration         eventField = 28
	fieldTTFT             eventField = 29
	fieldOverhead         eventField = 30
	fieldInput            eventField = 31
	fieldOutput           eventField = 32
	fieldCacheRead        eventField = 33
	fieldCacheCreation    eventField = 34
	fieldCacheCreation1h  eventField = 35
	fieldReasoning        eventField = 36
	fieldToolUseInput     eventField = 37
	fieldToolUseOutput    eventField = 38
	fieldAudioInput       eventField = 39
	fieldAudioOutput      eventField = 40
	fieldImages           eventField = 41
	fieldStatus           eventField = 42
	fieldFlags            eventField = 43
	fieldSeconds          eventField = 44
	fieldCost             eventField = 45
	fieldPolicy           eventField = 46 // once for each
	fieldAttempt          eventField = 47 // begins an attempt, that the next four belong to
	fieldAttemptHostKey   eventField = 48
	fieldAttemptModel     eventField = 49
	fieldAttemptErrorKind eventField = 50
	fieldAttemptDuration  eventField = 51
	fieldPart             eventField = 52 // begins a part of the cost
	fieldPartNanos        eventField = 53
	fieldTag              eventField = 54 // begins a tag
	fieldTagValue         eventField = 55

	firstText, lastText     = fieldRequestID, fieldClientIP
	firstNumber, lastNumber = fieldDuration, fieldImages
)

// Bits of fieldFlags, and of what fieldAttempt holds beside the status.
const (
	flagStreamed     = 1
	flagUsageMissing = 2
	flagUsageClamped = 4
	flagTruncated    = 8

	attemptSameKey   = 1 // the host key is the event's
	attemptSameModel = 2
	attemptFlags     = 2 // bits
)

// text returns the member of a text field.
func (f eventField) text(e *Event) *string {
	switch f {
	case fieldRequestID:
		return &e.RequestID
	case fieldSource:
		return &e.Source
	case fieldEndpoint:
		return &e.Endpoint
	case fieldShapeIn:
		return &e.ShapeIn
	case fieldShapeOut:
		return &e.ShapeOut
	case fieldErrorKind:
		return &e.ErrorKind
	case fieldModel:
		return &e.Model
	case fieldRequestedModel:
		return &e.RequestedModel
	case fieldHost:
		return &e.Host
	case fieldProvider:
		return &e.Provider
	case fieldHostKey:
		return &e.HostKey
	case fieldOrganization:
		return &e.Organization
	case fieldTeam:
		return &e.Team
	case fieldProject:
		return &e.Project
	case fieldPrincipalKind:
		return (*string)(&e.Principal.Kind)
	case fieldPrincipalID:
		return &e.Principal.ID
	case fieldCredentialKind:
		return (*string)(&e.Credential.Kind)
	case fieldCredentialID:
		return &e.Credential.ID
	case fieldCredentialPrefix:
		return &e.Credential.Prefix
	case fieldUser:
		return &e.User
	case fieldSession:
		return &e.Session
	case fieldFinishReason:
		return &e.FinishReason
	case fieldPricing:
		return &e.Pricing
	case fieldRefusedLimit:
		return &e.RefusedBy.Limit
	case fieldRefusedMeter:
		return &e.RefusedBy.Meter
	case fieldClientIP:
		return &e.ClientIP
	}
	return nil
}

// number returns the member of a number field.
func (f eventField) number(e *Event) *int64 {
	switch f {
	case fieldDuration:
		return &e.DurationMS
	case fieldTTFT:
		return &e.TTFTMS
	case fieldOverhead:
		return &e.OverheadUS
	case fieldInput:
		return &e.Tokens.Input
	case fieldOutput:
		return &e.Tokens.Output
	case fieldCacheRead:
		return &e.Tokens.CacheRead
	case fieldCacheCreation:
		return &e.Tokens.CacheCreation
	case fieldCacheCreation1h:
		return &e.Tokens.CacheCreation1h
	case fieldReasoning:
		return &e.Tokens.Reasoning
	case fieldToolUseInput:
		return &e.Tokens.ServerToolUseInput
	case fieldToolUseOutput:
		return &e.Tokens.ServerToolUseOutput
	case fieldAudioInput:
		return &e.Tokens.AudioInput
	case fieldAudioOutput:
		return &e.Tokens.AudioOutput
	case fieldImages:
		return &e.Units.Images
	}
	return nil
}
