package gateway

import (
	"net/http"
	"sync"
	"time"

	"relay/gateway/http1"
	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
	"relay/limiter"
	"relay/store"
)

// exchange is one request from its first header to its settled usage. One
// goroutine uses it; it comes from a pool and keeps its buffers.
type exchange struct {
	s *Server
	state
	buffers
}

// state is what an exchange knows of its present request.
type state struct {
	gen   *generation
	w     http.ResponseWriter
	r     *http.Request
	rc    http.ResponseController
	start time.Time

	values fieldValues // of the answer's header
	id     string      // request id
	call   *endpoint
	codec  wire.Codec // of what the caller reads

	caller    *plan.Caller
	members   wire.Members
	requested string // the model as the caller wrote it
	model     *plan.Model
	pin       *plan.Host
	proxied   bool // with the caller's own upstream credential
	way       *plan.Route

	turns
	affinity uint64 // of the conversation; 0: nobody has asked

	bodyRead bodyState
	early    bool  // refused before the body was read
	linger   int64 // bytes of it that are read and thrown away after that
	claimed  int64 // bytes that count against max_buffered_bytes
	inHand   bool  // counts against max_inflight

	place    int64 // in the usage queue; 0: none
	ticket   limiter.Ticket
	upstream limiter.Ticket
	admitted bool // the caller's limits are reserved
	arrived  bool // an upstream may have seen the request
	refusal  limiter.Refusal
	facts    plan.Facts // what limits may ask of the request
	booking  booking
	unknown  bool // what an attempt without an answer has used nobody knows

	spoken      *endpoint    // what the present attempt calls, see translated
	reader      wire.Codec   // of what its answer is written in
	translation *translation // nil: the call goes up as it is
	returned    hub.Switch   // see returns; Unset: nobody has asked

	picker       picker
	attemptsLeft int
	outgoing     []byte   // the body as the upstream gets it
	cutOut       []string // members that the binding of the present attempt drops
	attempts     int      // that gave the caller nothing

	key        *plan.HostKey // what answers
	answer     *plan.Binding
	said       int // status of what answers
	tap        wire.Tap
	context    int64          // tokens of the context that it runs with; 0: unknown
	wantsUsage bool           // the caller asked for the usage chunk
	began      bool           // the status line has been sent
	ahead      bool           // a keep-alive has been sent before the upstream said anything
	pieces     *pieceRedactor // of the long event that is going on; nil: there was none
	next       wire.Event
	pending    wire.Range // of the splitter: what is to be written together
	callerGone bool
	cut        bool // the connection must be cut at the end
	writeUntil time.Time

	trying    trial         // not reported yet
	sent      time.Time     // when the present attempt began
	first     time.Time     // when the answer began
	waited    time.Duration // for upstreams
	settled   bool
	recorded  store.UsageTicket // of an event that the answer waits for
	cost      *int64            // nano-dollars; nil: unpriced
	priced    int64             // what cost points to
	status    int
	errorKind string
	event     store.Event
}

// buffers are what an exchange keeps from request to request.
type buffers struct {
	body     []byte // as the caller sent it
	composed []byte // as it goes up, where that is not the same
	buffer   []byte // a whole answer
	held     []byte // comments before the first event
	encoded  []byte // the usage event
	splitter wire.Splitter
	vigil    *vigil
	fields   []http1.Field // of an attempt's header
	walk     plan.Walk     // through the models to come
	edits    [2]wire.Edit
	room     [256]byte // for a model's name with escapes
}

// mostKept is the size over which a buffer is not kept: one large request must
// not hold memory for all that follow.
const mostKept = 1 << 20

// release readies the exchange for the pool.
func (x *exchange) release() {
	x.walk.Clear()
	for _, buf := range []*[]byte{&x.body, &x.composed, &x.buffer} {
		if cap(*buf) > mostKept {
			*buf = nil
		}
	}
	passed, down, tries := x.picker.passed, x.picker.down, x.event.Attempts[:0]
	x.state = state{} // in place: a copy would take 5 KiB of every connection's stack
	x.picker.passed, x.picker.down, x.event.Attempts = passed, down, tries
}

// generation is one plan with the runtime state of its hosts and keys.
type generation struct {
	plan  *plan.Plan
	hosts []*upstream
	keys  []*keyState
	turns []*rota // by Pool.Turn

	tokens *tokens

	series sync.Map // *bindingSeries by *plan.Binding of the plan
}
