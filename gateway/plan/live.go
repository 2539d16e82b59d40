package plan

import (
	"context"
	"fmt"
	"time"

	"relay/store"
)

// Live is what a running server adds to administrative answers. It is nil
// where nothing runs, such as a command line that opened the database itself.
// Its methods are safe for concurrent use.
type Live interface {
	InFlight() int                    // admitted requests that are not settled
	KeyStates() map[string]KeyState   // by host-key id
	HostStates() map[string]HostState // by host id

	// Listed returns how the host with the id spells a model that it lists under
	// the name, in any case; "" when it does not. It reports false when the list
	// of the host is not known. It calls nothing.
	Listed(hostID, name string) (spelling string, known bool)

	// ResetKey closes the breaker of a host key and ends its rests. It reports
	// false for a key that is not in use.
	ResetKey(hostKeyID string) bool
}

// KeyState is what the breaker of a host key says: closed (in use), open,
// half-open (one trial at a time), or resting (the upstream asked to wait).
// Until is zero when closed.
type KeyState struct {
	State  string    `json:"state" enum:"closed,open,half-open,resting"`
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason,omitempty"`
	Models []string  `json:"models,omitempty" doc:"While resting: ids of the models that it rests for; none: every model."`
}

// HostState tells whether a host answers. Any HTTP answer is healthy, a failed
// dial is not. It is observed, never acted upon.
type HostState struct {
	Health              string    `json:"health" enum:"unknown,healthy,unreachable"`
	LastError           string    `json:"lastError,omitempty"`
	ConsecutiveFailures int       `json:"consecutiveFailures"`
	LastTransition      time.Time `json:"lastTransition,omitzero"`
	LastSuccess         time.Time `json:"lastSuccess,omitzero"`
}

// Upstream makes the calls that administration needs: it tests a key and lists
// a host's models, under the dial rules of the request path. Its errors are
// *UpstreamError, or the context's.
type Upstream interface {
	ListModels(ctx context.Context, h *store.Host, key store.Secret) ([]string, error)
}

// UpstreamError is why an upstream did not answer as it should. Status is its
// HTTP status, 0 when there was no answer. Message is for people and holds
// neither the key nor the upstream's body.
type UpstreamError struct {
	Status  int
	Class   string
	Message string
}

func (e *UpstreamError) Error() string {
	if e.Status == 0 {
		return e.Message
	}
	return fmt.Sprintf("%s (HTTP %d)", e.Message, e.Status)
}
