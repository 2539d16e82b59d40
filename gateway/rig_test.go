package gateway_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/gateway/plan"
	"relay/limiter"
	"relay/store"
	"relay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a gateway on a real database and a loopback port, under a clock that
// the test moves.
type rig struct {
	tb     testing.TB
	db     *store.DB
	memory *limiter.Memory
	clock  *limiter.Clock
	server *gateway.Server
	addr   string
	stop   context.CancelCauseFunc
	open   atomic.Bool // requests without a credential are served, from the next plan on

	switches atomic.Pointer[plan.Switches] // of limits, likewise

	mu     sync.Mutex
	passed time.Duration
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func newRig(tb testing.TB) *rig {
	tb.Helper()
	r := newUnrecordedRig(tb, func(*gateway.Options) {})
	r.startUsage()
	return r
}

// newUnrecordedRig is a rig, with other options, that writes no usage until
// startUsage.
func newUnrecordedRig(tb testing.TB, change func(*gateway.Options)) *rig {
	tb.Helper()
	r := &rig{tb: tb}
	r.switches.Store(&plan.Switches{})
	r.db = storetest.Open(tb, func(o *store.Options) {
		o.Getenv = func(name string) string { return "secret-of-" + name }
		o.FlushInterval = time.Millisecond
	})
	registry := limiter.NewRegistry()
	r.memory = limiter.NewMemory(registry)
	r.clock = limiter.NewClock(func() (time.Duration, time.Time) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.passed, noon.Add(r.passed)
	})
	options := gateway.Options{
		DB: r.db, Limiter: r.memory, Readings: r.memory, Clock: r.clock, Log: zerolog.Nop(), Version: "test", BaseURL: "http://relay.test",
		MaxRequestBytes: 1 << 20, MaxAttempts: 6, ReadHeaderTimeout: 10 * time.Second, BodyIdleTimeout: 30 * time.Second,
		BodyTimeout: time.Minute, StreamIdleTimeout: time.Minute, MaxIdlePerHost: 64,
	}
	change(&options)
	r.server = gateway.New(options)
	r.db.SetCompiler(func(next *store.Catalog) (func(), []store.Problem) {
		p := plan.Compile(plan.Input{Catalog: next, Registry: registry, KeyValue: r.db.HostKeyValue, Open: r.open.Load(), Switches: *r.switches.Load()})
		return func() {
			r.server.Swap(p)
			registry.Sweep(p.Generation, r.clock.Now())
		}, nil
	})
	r.listen()
	return r
}

func (r *rig) startUsage() { r.db.StartUsage(snapshots{r.memory, r.clock}) }

type snapshots struct {
	*limiter.Memory
	clock *limiter.Clock
}

func (s snapshots) Snapshot(put func(string, []byte)) uint64 {
	return s.Memory.Snapshot(s.clock.Now(), put)
}

func (r *rig) listen() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.tb.Fatal(err)
	}
	base, stop := context.WithCancelCause(context.Background())
	r.stop, r.addr = stop, l.Addr().String()
	hs := r.server.HTTPServer(base)
	served := make(chan error, 1)
	go func() { served <- hs.Serve(l) }()
	r.tb.Cleanup(func() {
		_ = hs.Close()
		_ = <-served
		r.server.Close()
		stop(nil)
	})
}

// advance moves the limiter's clock.
func (r *rig) advance(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passed += d
}

// put writes a record, in place of one of that name.
func put[S any](r *rig, name string, spec S) *store.Record[S] {
	r.tb.Helper()
	rec := &store.Record[S]{Metadata: store.Metadata{Name: name}, Spec: spec}
	_, err := r.db.Write(func(e *store.Edit) error {
		if former := e.Catalog().Of(rec.Kind()).FindByName(name); former != nil {
			rec.Metadata = *former.Meta()
		}
		return e.Put(rec)
	})
	if err != nil {
		r.tb.Fatalf("put %s: %v", name, err)
	}
	return rec
}

// host adds a host with keys name-1 and so on, and binds model chat to it.
func (r *rig) host(name string, up *gatewaytest.Upstream, keys int) {
	r.tb.Helper()
	if r.db.Catalog().Models.ByName("chat") == nil {
		put(r, "chat", store.ModelSpec{})
	}
	h := put(r, name, store.HostSpec{BaseURL: up.URL() + "/v1", Auth: "bearer", Shapes: []store.Shape{store.ShapeOpenAI}})
	put(r, "chat-"+name, store.HostBindingSpec{
		ModelID: r.db.Catalog().Models.ByName("chat").Metadata.ID, HostID: h.Metadata.ID,
		UpstreamName: "chat-2026", PricingID: r.pricing(), Priority: r.db.Catalog().HostBindings.Len(),
	})
	for i := range keys {
		put(r, fmt.Sprintf("%s-%d", name, i+1), store.HostKeySpec{HostID: h.Metadata.ID, Source: store.KeySource{Kind: "env", Env: fmt.Sprintf("%s_%d", strings.ToUpper(name), i+1)}})
	}
}

func (r *rig) pricing() string {
	if p := r.db.Catalog().Pricings.ByName("chat"); p != nil {
		return p.Metadata.ID
	}
	return put(r, "chat", store.PricingSpec{Currency: "USD", Rates: []store.Rate{
		{Meter: "tokens.input", Unit: "per_million", Amount: "3"},
		{Meter: "tokens.output", Unit: "per_million", Amount: "15"},
	}}).Metadata.ID
}

// account makes the accounts that relay keys run in and binds a policy that
// grants everything to their organization.
func (r *rig) account() store.Ref {
	if sa := r.db.Catalog().ServiceAccounts.ByName("script"); sa != nil {
		return store.Ref{Kind: store.KindServiceAccount, ID: sa.Metadata.ID}
	}
	org := put(r, "acme", store.OrganizationSpec{})
	team := put(r, "research", store.TeamSpec{OrganizationID: org.Metadata.ID})
	project := put(r, "bots", store.ProjectSpec{TeamID: team.Metadata.ID})
	sa := put(r, "script", store.ServiceAccountSpec{ProjectID: project.Metadata.ID})
	open := put(r, "open", store.PolicySpec{})
	put(r, "organization-acme", store.PolicyBindingSpec{PolicyID: open.Metadata.ID, Account: store.AccountRef("organization:" + org.Metadata.ID)})
	return store.Ref{Kind: store.KindServiceAccount, ID: sa.Metadata.ID}
}

// key makes a relay key with caps and returns its plaintext.
func (r *rig) key(name string, caps store.RelayKeySpec) string {
	r.tb.Helper()
	plaintext := "sk-wr-" + name + "-0123456789"
	sum := sha256.Sum256([]byte(plaintext))
	caps.KeyHash, caps.Principal = hex.EncodeToString(sum[:]), r.account()
	put(r, name, caps)
	return plaintext
}

const chatBody = `{"model":"chat","messages":[{"role":"user","content":"hi"}]}`
const streamBody = `{"model":"chat","stream":true,"messages":[{"role":"user","content":"hi"}]}`

// request is the text of a chat call.
func request(key, body string, headers ...string) string {
	text := "POST /v1/chat/completions HTTP/1.1\r\nHost: relay.test\r\nContent-Type: application/json\r\n"
	if key != "" {
		text += "Authorization: Bearer " + key + "\r\n"
	}
	for _, h := range headers {
		text += h + "\r\n"
	}
	return text + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// call sends a chat call and reads the answer.
func (r *rig) call(key, body string, headers ...string) gatewaytest.Answer {
	r.tb.Helper()
	return gatewaytest.Do(r.tb, r.addr, request(key, body, headers...))
}

// want fails the test unless the answer has the status and its body the text.
func (r *rig) want(a gatewaytest.Answer, status int, text string) {
	r.tb.Helper()
	if a.Status != status || !strings.Contains(a.Body, text) {
		r.tb.Fatalf("got %d %s, want %d with %q", a.Status, a.Body, status, text)
	}
}

// events returns the recorded usage, oldest first, once there are so many.
func (r *rig) events(count int) []store.Event {
	r.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), gatewaytest.Patience)
	defer cancel()
	for {
		if err := r.db.FlushUsage(ctx); err != nil {
			r.tb.Fatalf("%d usage events have not come: %v", count, err)
		}
		page, _, err := r.db.Events(store.EventQuery{Limit: 1000})
		if err != nil {
			r.tb.Fatal(err)
		}
		if len(page) >= count {
			for i, j := 0, len(page)-1; i < j; i, j = i+1, j-1 {
				page[i], page[j] = page[j], page[i]
			}
			return page
		}
	}
}

const answerBody = `{"id":"c1","object":"chat.completion","model":"chat-2026","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`

var answer = gatewaytest.JSON(http.StatusOK, answerBody)

var (
	deltaEvent  = gatewaytest.Data(`{"choices":[{"index":0,"delta":{"content":"hel"},"finish_reason":null}]}`)
	finishEvent = gatewaytest.Data(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	usageEvent  = gatewaytest.Data(`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`)
	doneEvent   = gatewaytest.Data("[DONE]")
	stream      = gatewaytest.Stream(deltaEvent, finishEvent, usageEvent, doneEvent)
)

func int64p(n int64) *int64 { return &n }
