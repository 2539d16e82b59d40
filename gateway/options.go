package gateway

import (
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"relay/limiter"
	"relay/store"
)

// Options are what a Server works with. Sizes are bytes.
type Options struct {
	DB       *store.DB
	Limiter  limiter.Limiter
	Clock    *limiter.Clock
	Readings Readings // what counters stand at, for callers that ask
	Log      zerolog.Logger
	Metrics  prometheus.Registerer
	Version  string
	BaseURL  string                  // shown in hints: http://127.0.0.1:8080
	Draining func() bool             // true once the process is stopping; nil: never
	Own      func() []netip.AddrPort // Relay's listeners, never dialled

	// Loopback says that the listener is on a loopback address. Requests must
	// then call it by a loopback name or one of Hosts.
	Loopback    bool
	Hosts       []string // names without a port
	CORSOrigins []string // of pages that may call: scheme://host[:port], null, *

	MaxInFlight       int   // requests in hand at once; 0: no bound
	MaxBufferedBytes  int64 // of request bodies in memory; 0: no bound
	MaxConnections    int   // of callers; 0: no bound
	MaxRequestBytes   int64 // of one body, packed or not
	MaxAttempts       int
	ReadHeaderTimeout time.Duration
	BodyIdleTimeout   time.Duration
	BodyTimeout       time.Duration
	StreamKeepAlive   time.Duration // silence before a stream gets a keep-alive; 0: none
	StreamIdleTimeout time.Duration
	MaxIdlePerHost    int
	DenyPrivate       bool
	TrustedProxies    []netip.Prefix

	Media Media

	LimitHeaders LimitHeaders // until ShowLimits says otherwise

	// ContinueUnrecorded admits requests when the usage queue is full.
	ContinueUnrecorded bool

	// StrictUsage is how long an answer waits for its usage event to be on disk
	// before it is cut. 0: it does not wait.
	StrictUsage time.Duration

	Keeping Keeping

	// Random draws a number from 0 to below n, for weighted choices; nil: the
	// process's own source.
	Random func(n int64) int64
}

// Readings tells what a counter stands at. limiter.Memory implements it.
type Readings interface {
	Read(now limiter.Instant, c *limiter.Counter) limiter.Reading
}
