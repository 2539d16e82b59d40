package store

import "time"

// Event is what is kept of one request. Ids are those of records; ids of the
// form that Relay makes take 16 bytes on disk.
type Event struct {
	Seq            uint64            `json:"-"` // number of the event in its database; set by reads
	At             time.Time         `json:"ts"`
	RequestID      string            `json:"request_id"`
	Source         string            `json:"source"` // pipeline or proxy
	Endpoint       string            `json:"endpoint"`
	ShapeIn        string            `json:"shape_in,omitempty"`
	ShapeOut       string            `json:"shape_out,omitempty"`
	Streamed       bool              `json:"streamed"`
	Status         int               `json:"status"` // HTTP status to the caller
	ErrorKind      string            `json:"error_kind,omitempty"`
	DurationMS     int64             `json:"duration_ms"`
	TTFTMS         int64             `json:"ttft_ms,omitempty"` // time to first token
	OverheadUS     int64             `json:"overhead_us"`       // microseconds spent in Relay itself
	Attempts       []EventAttempt    `json:"attempts,omitempty"`
	Model          string            `json:"model,omitempty"` // id, or the name of a model that the catalog does not know
	RequestedModel string            `json:"requested_model,omitempty"`
	Host           string            `json:"host,omitempty"`
	Provider       string            `json:"provider,omitempty"`
	HostKey        string            `json:"host_key,omitempty"`
	Policies       []string          `json:"policies,omitempty"` // of every rung, widest first
	Organization   string            `json:"organization,omitempty"`
	Team           string            `json:"team,omitempty"`
	Project        string            `json:"project,omitempty"`
	Principal      Ref               `json:"principal,omitzero"`
	Credential     Credential        `json:"credential,omitzero"`
	User           string            `json:"user,omitempty"` // end user that the caller names
	Session        string            `json:"session,omitempty"`
	Tokens         Tokens            `json:"tokens"`
	Units          Units             `json:"units,omitzero"`
	UsageMissing   bool              `json:"usage_missing,omitempty"`
	UsageClamped   bool              `json:"usage_clamped,omitempty"` // the upstream gave absurd numbers
	Truncated      bool              `json:"truncated,omitempty"`     // prompt and answer fill the context that the host ran with
	FinishReason   string            `json:"finish_reason,omitempty"`
	CostNanos      *int64            `json:"cost_nanos"` // nano-dollars; nil: unpriced
	CostBreakdown  []CostPart        `json:"cost_breakdown,omitempty"`
	Pricing        string            `json:"pricing,omitempty"`
	RefusedBy      RefusedBy         `json:"refused_by,omitzero"`
	Tags           map[string]string `json:"tags,omitempty"`
	ClientIP       string            `json:"client_ip,omitempty"`
}

// EventAttempt is one call upstream.
type EventAttempt struct {
	HostKey   string `json:"host_key"`
	Model     string `json:"model"`
	Status    int    `json:"status"` // HTTP status from upstream; 0: there was none
	ErrorKind string `json:"error_kind,omitempty"`
	MS        int64  `json:"ms"`
}

// Credential is what the caller has shown: its kind (relay-key), id, and the
// part of it that is safe to show.
type Credential struct {
	Kind   Kind   `json:"kind"`
	ID     string `json:"id"`
	Prefix string `json:"prefix,omitempty"`
}

// Tokens are counts by meter. Input, output, cache read and cache creation are
// disjoint; the others are parts of these.
type Tokens struct {
	Input               int64 `json:"input"`
	Output              int64 `json:"output"`
	CacheRead           int64 `json:"cache_read"`
	CacheCreation       int64 `json:"cache_creation"`
	CacheCreation1h     int64 `json:"cache_creation_1h,omitempty"`
	Reasoning           int64 `json:"reasoning"`
	ServerToolUseInput  int64 `json:"server_tool_use_input,omitempty"`
	ServerToolUseOutput int64 `json:"server_tool_use_output,omitempty"`
	AudioInput          int64 `json:"audio_input,omitempty"`
	AudioOutput         int64 `json:"audio_output,omitempty"`
}

// Total returns what the meter tokens counts.
func (t Tokens) Total() int64 { return t.Input + t.Output + t.CacheRead + t.CacheCreation }

// Add adds the counts of o.
func (t *Tokens) Add(o Tokens) {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheCreation += o.CacheCreation
	t.CacheCreation1h += o.CacheCreation1h
	t.Reasoning += o.Reasoning
	t.ServerToolUseInput += o.ServerToolUseInput
	t.ServerToolUseOutput += o.ServerToolUseOutput
	t.AudioInput += o.AudioInput
	t.AudioOutput += o.AudioOutput
}

// Units are what prices count besides tokens.
type Units struct {
	Seconds float64 `json:"seconds,omitempty"` // of audio or video
	Images  int64   `json:"images,omitempty"`
}

// CostPart is what one meter adds to the cost.
type CostPart struct {
	Meter string `json:"meter"`
	Nanos int64  `json:"nanos"` // nano-dollars
}

// RefusedBy names the limit and the meter that refused a request: the id of the
// rate limit, or, for limits and budgets that a record carries itself, whose
// they are ("key laptop").
type RefusedBy struct {
	Limit string `json:"limit"`
	Meter string `json:"meter"`
}

// Failed reports whether the request ended in an error.
func (e *Event) Failed() bool { return e.Status >= 400 || e.ErrorKind != "" }

// Unpriced reports whether the request has used something that has no price.
func (e *Event) Unpriced() bool {
	return e.CostNanos == nil && (!e.Failed() || e.Tokens != Tokens{} || e.Units != Units{})
}
