package admin_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"relay/admin"
	"relay/store"
)

type counterCount struct {
	admin.CounterReader
	n int
}

func (c counterCount) Len() int { return c.n }

func TestStatus_TellsTheStateOfTheProcess(t *testing.T) {
	f := start(t, func(o *admin.Options) {
		o.Counters = counterCount{n: 7}
		o.Warnings = func() []store.Problem {
			return []store.Problem{{Kind: store.KindHostKey, Name: "a", Message: "UP_KEY is unset"}}
		}
	})
	f.now = f.now.Add(90 * time.Second)
	f.send("GET", "/api/status", "").want(200).holds(`"version":"1.2.3"`, `"live":false`, `"uptimeSeconds":90`,
		`"counters":7`, `"organizations":1`, "UP_KEY is unset", f.db.Dir(), f.db.InstallationID())
	f.send("GET", "/api/version", "").want(200).holds(`"version":"1.2.3"`)
}

func TestReadyz_SaysWhyNotAndStillNamesWarnings(t *testing.T) {
	var fault error
	f := start(t, func(o *admin.Options) {
		o.Ready = func() error { return fault }
		o.Warnings = func() []store.Problem { return []store.Problem{{Message: "disk is read-only"}} }
	})
	f.send("GET", "/readyz", "", "Authorization", "").want(200).holds(`"ready":true`, "disk is read-only")
	fault = errors.New("draining")
	f.send("GET", "/readyz", "", "Authorization", "").want(http.StatusServiceUnavailable).holds("draining", "disk is read-only")
	f.send("GET", "/livez", "", "Authorization", "").want(200)
	f.send("HEAD", "/livez", "", "Authorization", "").want(200)
	f.send("GET", "/metrics", "").want(404)
}

func TestListener_ServesMetricsAndUIWhereGiven(t *testing.T) {
	says := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
	}
	f := start(t, func(o *admin.Options) { o.Metrics, o.UI = says("metrics"), says("page") })
	f.send("GET", "/metrics", "", "Authorization", "").want(200).holds("metrics")
	f.send("GET", "/", "", "Authorization", "").want(200).holds("page")
	f.send("GET", "/pages/keys.js", "", "Authorization", "").want(200).holds("page")
	f.send("GET", "/api", "").want(404)
	f.send("GET", "/api/nothing", "").want(404).holds(`"status":404`)
}

func TestHandlers_AnswerAPanicWithAnIncident(t *testing.T) {
	f := start(t, func(o *admin.Options) { o.Warnings = func() []store.Problem { panic("at the disco") } })
	answer := f.send("GET", "/api/status", "").want(http.StatusInternalServerError).holds("incident")
	if got := answer.header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type %q", got)
	}
}
