package admin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"relay/admin"
	"relay/gateway/plan"
	"relay/store"
)

// feed is a live stream that a test reads.
type feed struct {
	t      *testing.T
	status int
	lines  chan string // closed at its end
}

// follow opens a live stream. Headers come in pairs.
func (f *fixture) follow(topics string, headers ...string) *feed {
	f.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url+"/api/live?topics="+topics, http.NoBody)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		setHeader(r, headers[i], headers[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		f.t.Fatal(err)
	}
	live := &feed{t: f.t, status: answer.StatusCode, lines: make(chan string)}
	go func() {
		defer close(live.lines)
		defer answer.Body.Close()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			select {
			case live.lines <- lines.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	f.t.Cleanup(func() {
		cancel()
		for range live.lines { // until the reader has gone
		}
	})
	return live
}

// stopped makes live streams end once they have told what there is.
func stopped(o *admin.Options) {
	stopping := make(chan struct{})
	close(stopping)
	o.Stopping = stopping
}

// line returns the next line; false at the end of the stream.
func (l *feed) line() (string, bool) {
	l.t.Helper()
	select {
	case line, more := <-l.lines:
		return line, more
	case <-time.After(20 * time.Second):
		l.t.Fatal("nothing comes")
		return "", false
	}
}

// next decodes the data of the next event, which must be of the topic.
func (l *feed) next(topic string, data any) {
	l.t.Helper()
	for {
		line, more := l.line()
		switch {
		case !more:
			l.t.Fatalf("the stream ends before an event %s", topic)
		case line == "" || strings.HasPrefix(line, ":"):
			continue
		case line != "event: "+topic:
			l.t.Fatalf("got %q, want an event %s", line, topic)
		}
		line, _ = l.line()
		text, found := strings.CutPrefix(line, "data: ")
		if err := json.Unmarshal([]byte(text), data); !found || err != nil {
			l.t.Fatalf("got %q, %v", line, err)
		}
		return
	}
}

// rest reads to the end.
func (l *feed) rest() string {
	l.t.Helper()
	var all strings.Builder
	for {
		line, more := l.line()
		if !more {
			return all.String()
		}
		all.WriteString(line + "\n")
	}
}

// use records one event of a project.
func (f *fixture) use(id, project string) {
	f.t.Helper()
	e := store.Event{At: f.now, RequestID: id, Source: "pipeline", Endpoint: "chat", Status: 200, Project: project}
	f.db.RecordUsage(0, f.now.Add(-time.Hour), store.AppendEvent(nil, &e), 0) // one that began long ago
}

func TestLive_TellsUsageLimitsAndHostsAsTheyChange(t *testing.T) {
	p := startPlanned(t, func(o *admin.Options) { o.Live = watching{} })
	p.serve()
	p.db.StartUsage(nil)
	live := p.follow("usage,limits,hosts")
	var hosts admin.LiveHosts
	live.next("hosts", &hosts)
	if hosts.HostKeys["k"].State != "open" {
		t.Errorf("hosts %+v", hosts)
	}
	p.call()
	var limits admin.LiveLimits
	live.next("limits", &limits)
	if len(limits.Items) != 1 || limits.Items[0].Limit != "chat-rl" || limits.Items[0].Subject != "team:default" || limits.Items[0].Used != 1 || limits.Items[0].Amount != 2 {
		t.Errorf("limits %+v", limits)
	}
	p.use("first", "")
	var usage admin.LiveUsage
	live.next("usage", &usage)
	if len(usage.Items) != 1 || usage.Items[0].RequestID != "first" {
		t.Errorf("usage %+v", usage)
	}
	p.call()
	if live.next("limits", &limits); limits.Items[0].Used != 2 {
		t.Errorf("limits %+v", limits)
	}
}

// watching is a running server with a host key that is open.
type watching struct{ plan.Live }

func (watching) HostStates() map[string]plan.HostState { return nil }

func (watching) KeyStates() map[string]plan.KeyState {
	return map[string]plan.KeyState{"k": {State: "open"}}
}

func TestLive_ShowsWhatItsCallerMayReadAndNothingElse(t *testing.T) {
	c := startCompany(t)
	c.db.StartUsage(nil)
	projects := c.db.Catalog().Projects
	for topics, statuses := range map[string]map[string]int{
		"limits": {"viewer": 200, "auditor": 200, "admin": 200, "developer": 403, "project-admin": 403, "team-admin": 403},
		"hosts":  {"viewer": 200, "auditor": 200, "admin": 200, "developer": 403, "project-admin": 403, "team-admin": 403},
		"usage":  {"viewer": 200, "auditor": 200, "admin": 200, "developer": 200, "project-admin": 200, "team-admin": 200},
		"other":  {"admin": 400},
	} {
		for who, status := range statuses {
			if got := c.follow(topics, "Authorization", "", "Cookie", c.cookies[who]).status; got != status {
				t.Errorf("%s follows %s: %d, want %d", who, topics, got, status)
			}
		}
	}
	if got := c.follow("usage", "Authorization", "").status; got != http.StatusUnauthorized {
		t.Errorf("nobody follows usage: %d", got)
	}
	c.send("GET", "/api/live?topics=usage&since=1h", "").want(400)
	live := c.follow("usage", "Authorization", "", "Cookie", c.cookies["project-admin"])
	c.use("elsewhere", projects.ByName("shop").Metadata.ID)
	c.use("here", projects.ByName("bot").Metadata.ID)
	var usage admin.LiveUsage
	if live.next("usage", &usage); len(usage.Items) != 1 || usage.Items[0].RequestID != "here" {
		t.Errorf("the administrator of project bot is shown %+v", usage)
	}
}

func TestLive_EndsWithWhatItsCallerMay(t *testing.T) {
	c := startCompany(t)
	cookie := func(who string) []string { return []string{"Authorization", "", "Cookie", c.cookies[who]} }
	made := c.send("POST", "/api/admin-tokens", `{"metadata":{"name":"eye"},"spec":{"roleIds":["auditor"]}}`).want(http.StatusCreated)
	by := func(path string) string { return c.send("GET", path, "").want(http.StatusOK).id() }
	for name, end := range map[string]struct {
		headers []string
		change  func()
	}{
		"sign-out": {cookie("auditor"), func() { c.by("auditor", "DELETE", "/api/session", "").want(204) }},
		"a user that is switched off": {cookie("admin"), func() {
			c.send("PATCH", "/api/users/by-id/"+by("/api/users/admin"), `{"spec":{"disabled":true}}`, "Content-Type", "application/merge-patch+json").want(200)
		}},
		"a role that is taken": {cookie("viewer"), func() { c.send("DELETE", "/api/role-bindings/by-id/"+by("/api/role-bindings/viewer"), "").want(204) }},
		"an admin token that is revoked": {[]string{"Authorization", "Bearer " + made.at("plaintext")}, func() {
			c.send("POST", "/api/admin-tokens/by-id/"+made.at("token", "metadata", "id")+"/revoke", `{}`).want(200)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			live := c.follow("hosts", end.headers...)
			if live.status != http.StatusOK {
				t.Fatalf("status %d", live.status)
			}
			live.t = t
			if line, _ := live.line(); line != ": relay" {
				t.Fatalf("begins with %q", line)
			}
			end.change()
			if rest := live.rest(); !strings.Contains(rest, "event: end\n") {
				t.Errorf("ends with %q", rest)
			}
		})
	}
}

func TestLive_EndsWhenTheProcessStops(t *testing.T) {
	stopping := make(chan struct{})
	f := start(t, func(o *admin.Options) { o.Stopping = stopping })
	live := f.follow("usage")
	live.line()
	close(stopping)
	live.rest()
}

func TestLive_KeepsNoSessionFromEnding(t *testing.T) {
	var passed atomic.Int64 // hours
	began := time.Now()
	f := start(t, func(o *admin.Options) {
		o.SessionIdle, o.Now = time.Hour, func() time.Time { return began.Add(time.Duration(passed.Load()) * time.Hour) }
	})
	live := f.follow("usage", "Authorization", "", "Cookie", f.signIn())
	live.line()
	passed.Store(2)
	live.rest()
}
