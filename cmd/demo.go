package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"relay/admin"
	"relay/gateway/echo"
	"relay/limiter"
	"relay/store"
)

// demoKey is the provider key that the embedded upstream wants.
const demoKey = "echo-provider-key-for-the-demo"

const demoLimit = 3 // requests a minute

func (a *app) demoCommand() *cobra.Command {
	var once bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show what Relay does, with an upstream of its own",
		Long:  "Starts Relay in a temporary data directory in front of an embedded upstream, makes a key, a policy and a limit, and shows a streamed call, its usage and cost, and a refusal. It stays up until it is interrupted.",
		Args:  exactly(),
		RunE:  func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), once) },
	}
	c.Flags().BoolVar(&once, "once", false, "end after the walk")
	return c
}

// demo runs the walk and, unless once, stays up.
func (a *app) demo(ctx context.Context, once bool) error {
	dir, err := os.MkdirTemp("", "relay-demo-")
	if err != nil {
		return fmt.Errorf("make a temporary data directory: %w", err)
	}
	defer os.RemoveAll(dir)
	upstream, err := startEcho()
	if err != nil {
		return err
	}
	defer upstream.stop()
	p, err := startProcess(demoConfig(dir), a.Env, zerolog.New(a.Stderr).Level(zerolog.ErrorLevel))
	if err != nil {
		return err
	}
	w := &walk{out: a.Stdout, process: p, upstream: upstream}
	if err := w.run(ctx); err != nil {
		return errors.Join(fmt.Errorf("demo: %w", err), p.Close())
	}
	if !once {
		w.say("\nRelay stays up; Ctrl-C ends it and removes %s.", dir)
		<-ctx.Done()
	}
	return p.Close()
}

func demoConfig(dir string) Config {
	cfg := DefaultConfig()
	cfg.DataDir, cfg.Socket = dir, filepath.Join(dir, "relay.sock")
	cfg.Inference.Listen, cfg.Control.Listen = "127.0.0.1:0", "127.0.0.1:0"
	cfg.Discover = false
	cfg.ShutdownTimeout = 5 * time.Second
	return cfg
}

// echoUpstream is the embedded upstream on a port of its own.
type echoUpstream struct {
	url    string
	server *http.Server
	served chan error
}

func startEcho() (*echoUpstream, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the embedded upstream: %w", err)
	}
	u := &echoUpstream{
		url:    "http://" + l.Addr().String() + "/v1",
		server: &http.Server{Handler: echo.Handler(echo.Options{Key: demoKey, Pause: 40 * time.Millisecond}), ReadHeaderTimeout: 10 * time.Second},
		served: make(chan error, 1),
	}
	go func() { u.served <- u.server.Serve(l) }()
	return u, nil
}

func (u *echoUpstream) stop() {
	u.server.Close()
	_ = <-u.served
}

// walk is the demo's way through Relay, all of it over the public API.
type walk struct {
	out      io.Writer
	process  *process
	upstream *echoUpstream
	client   *admin.Client
	key      string
}

func (w *walk) run(ctx context.Context) error {
	client, err := admin.NewRemoteClient(w.process.controlURL(), w.process.token)
	if err != nil {
		return err
	}
	w.client = client
	defer client.Close()
	for _, step := range []func(context.Context) error{w.connect, w.price, w.makeKey, w.stream, w.showUsage, w.meetLimit} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	w.title("Where things are")
	w.say("Inference (OpenAI base URL)  %s/v1", w.process.inferenceURL())
	w.say("Control API                  %s", w.process.controlURL())
	return w.showUI(ctx)
}

// showUI gives the link that signs one browser in.
func (w *walk) showUI(ctx context.Context) error {
	link, err := w.client.NewSetupLink(ctx)
	if err != nil {
		return err
	}
	w.say("Admin UI, opens once         %s", link.URL)
	return nil
}

func (w *walk) title(text string) { fmt.Fprintf(w.out, "\n== %s\n", text) }

func (w *walk) say(format string, args ...any) { fmt.Fprintf(w.out, format+"\n", args...) }

// connect makes host and provider key, which tests the key, and binds the
// models that the upstream lists.
func (w *walk) connect(ctx context.Context) error {
	w.title("Connect a provider")
	done, err := w.client.Connect(ctx, admin.ConnectRequest{
		Host: "echo", BaseURL: w.upstream.url, Shapes: []store.Shape{store.ShapeOpenAI}, Auth: "bearer", Value: store.NewSecret(demoKey),
	})
	if err != nil {
		return err
	}
	var models []string
	for _, m := range done.Models {
		models = append(models, m.Name)
	}
	w.say("Host echo at %s; its key is tested and sealed. Models: %s.", w.upstream.url, strings.Join(models, ", "))
	return nil
}

// price gives echo-mini a price, so that its calls have a cost.
func (w *walk) price(ctx context.Context) error {
	pricing, err := admin.Create(ctx, w.client, &store.Pricing{
		Metadata: store.Metadata{Name: "echo-mini"},
		Spec: store.PricingSpec{Currency: "USD", Rates: []store.Rate{
			{Meter: "tokens.input", Unit: "per_million", Amount: "3"},
			{Meter: "tokens.output", Unit: "per_million", Amount: "15"},
		}},
	})
	if err != nil {
		return err
	}
	bindings, err := admin.ListAll[store.HostBindingSpec](ctx, w.client, admin.ListQuery{})
	if err != nil {
		return err
	}
	model, err := admin.Get[store.ModelSpec](ctx, w.client, "echo-mini")
	if err != nil {
		return err
	}
	for _, b := range bindings {
		if b.Spec.ModelID == model.Metadata.ID {
			b.Spec.PricingID = pricing.Metadata.ID
			_, err = admin.Update(ctx, w.client, b)
		}
	}
	return err
}

// makeKey makes a limit, a policy over it, and a relay key under the policy.
func (w *walk) makeKey(ctx context.Context) error {
	w.title("Make a limit, a policy and a relay key")
	limit, err := admin.Create(ctx, w.client, &store.RateLimit{
		Metadata: store.Metadata{Name: "demo-rl"},
		Spec:     store.RateLimitSpec{Rules: []limiter.Rule{{Meter: limiter.MeterRequests, Amount: demoLimit, Window: 60, Strategy: limiter.SlidingWindow}}},
	})
	if err != nil {
		return err
	}
	policy, err := admin.Create(ctx, w.client, &store.Policy{
		Metadata: store.Metadata{Name: "demo"},
		Spec: store.PolicySpec{
			Models: []store.ModelRef{"echo-mini"}, RateLimitID: limit.Metadata.ID,
			Budgets: []store.Budget{{Amount: "2.00", Period: "day", OnExceed: "block"}},
		},
	})
	if err != nil {
		return err
	}
	shown, err := w.client.CreateKey(ctx, &store.RelayKey{Metadata: store.Metadata{Name: "demo"}})
	if err != nil {
		return err
	}
	w.key = shown.Plaintext
	_, err = admin.Create(ctx, w.client, &store.PolicyBinding{
		Spec: store.PolicyBindingSpec{PolicyID: policy.Metadata.ID, Account: "service-account:demo"},
	})
	w.say("Policy demo: model echo-mini, %d requests a minute, $2.00 a day. Relay key %s… is under it.", demoLimit, shown.Key.Spec.Prefix)
	return err
}

// call sends one chat completion to the inference side.
func (w *walk) call(ctx context.Context, stream bool) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{
		"model": "echo-mini", "stream": stream,
		"messages": []map[string]string{{"role": "user", "content": "Relay passes this answer on, word by word, as it comes."}},
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.process.inferenceURL()+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+w.key)
	req.Header.Set("Content-Type", "application/json")
	return (&http.Client{Timeout: 30 * time.Second}).Do(req)
}

// stream shows an answer as it comes.
func (w *walk) stream(ctx context.Context) error {
	w.title("A streamed answer")
	resp, err := w.call(ctx, true)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the streamed call answered %s", resp.Status)
	}
	whole := false
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if data == "[DONE]" {
			whole = true
		} else if isData {
			fmt.Fprint(w.out, deltaOf(data))
		}
	}
	fmt.Fprintln(w.out)
	if !whole {
		return errors.New("the stream ended without [DONE]")
	}
	return nil
}

func deltaOf(data string) string {
	var chunk struct {
		Choices []struct {
			Delta struct{ Content string }
		}
	}
	if json.Unmarshal([]byte(data), &chunk) != nil || len(chunk.Choices) == 0 {
		return ""
	}
	return chunk.Choices[0].Delta.Content
}

// showUsage waits for the event of the call to be on disk and shows it.
func (w *walk) showUsage(ctx context.Context) error {
	w.title("Its usage, on disk")
	event, err := w.firstEvent(ctx)
	if err != nil {
		return err
	}
	cost := "unpriced"
	if event.CostNanos != nil {
		cost = "$" + store.FormatNanoDollars(*event.CostNanos)
	}
	w.say("key demo   model %s   status %d   input %d   output %d   cost %s   %d ms",
		event.RequestedModel, event.Status, event.Tokens.Input, event.Tokens.Output, cost, event.DurationMS)
	return nil
}

func (w *walk) firstEvent(ctx context.Context) (*store.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		page, err := w.client.UsageEvents(ctx, admin.UsageQuery{Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(page.Items) > 0 {
			return &page.Items[0].Event, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("no usage event of the call has come")
		case <-tick.C:
		}
	}
}

// meetLimit calls until the policy's limit refuses.
func (w *walk) meetLimit(ctx context.Context) error {
	w.title("More calls than the limit allows")
	for n := 2; n <= demoLimit+1; n++ {
		resp, err := w.call(ctx, false)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		w.say("call %d: %s", n, resp.Status)
		if n == demoLimit+1 {
			return w.showRefusal(resp, body)
		}
	}
	return nil
}

func (w *walk) showRefusal(resp *http.Response, body []byte) error {
	var refusal struct{ Error struct{ Message string } }
	if err := json.Unmarshal(body, &refusal); err != nil || resp.StatusCode != http.StatusTooManyRequests {
		return fmt.Errorf("the call over the limit answered %s", resp.Status)
	}
	w.say("  %s", refusal.Error.Message)
	w.say("  Retry-After: %s   X-Relay-Refused-By: %s", resp.Header.Get("Retry-After"), resp.Header.Get("X-Relay-Refused-By"))
	return nil
}
