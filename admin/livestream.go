package admin

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"time"

	"relay/limiter"
	"relay/store"
)

// liveComment is what readers skip.
const liveComment = ": relay\n\n"

const (
	liveSilence = 15 * time.Second // after which a comment keeps proxies from giving up
	liveWrite   = 10 * time.Second // that one write may take
)

// liveStream is one live stream. One goroutine, that of its request, uses it.
type liveStream struct {
	*server
	r  *http.Request
	w  http.ResponseWriter
	in *LiveQuery

	watch      *store.UsageWatch          // nil: usage is not followed
	stands     map[*limiter.Counter]int64 // what counters were last told to stand at
	generation uint64                     // of the catalog then
	hosts      []byte                     // as they were last told
	wrote      time.Time
}

func newLiveStream(s *server, r *http.Request, w http.ResponseWriter, in *LiveQuery) *liveStream {
	l := &liveStream{server: s, r: r, w: w, in: in, stands: map[*limiter.Counter]int64{}}
	if l.follows(topicUsage) {
		l.watch = s.DB.WatchUsage()
	}
	return l
}

func (l *liveStream) follows(topic string) bool { return slices.Contains(l.in.Topics, topic) }

// run tells what there is at once and then what changes, until the caller goes
// or may not follow any more, or the process stops.
func (l *liveStream) run() {
	if l.watch != nil {
		defer l.watch.Close()
	}
	l.w.Header().Set("Content-Type", "text/event-stream")
	l.w.Header().Set("X-Accel-Buffering", "no") // nginx would gather what belongs to now
	ticks := time.NewTicker(liveInterval)
	defer ticks.Stop()
	if l.send(liveComment) != nil {
		return
	}
	for l.tell() == nil && l.wait(ticks.C) {
	}
}

// wait reports whether the stream goes on after the next tick.
func (l *liveStream) wait(tick <-chan time.Time) bool {
	select {
	case <-tick:
		return true
	case <-l.r.Context().Done():
	case <-l.Stopping:
	}
	return false
}

// tell sends what has changed. An error ends the stream.
func (l *liveStream) tell() error {
	query, err := l.still()
	if err != nil {
		_ = l.event("end", problem(http.StatusForbidden, "you may not follow this any more: sign in again"))
		return err
	}
	if l.watch != nil {
		err = l.tellUsage(&query)
	}
	if err == nil && l.follows(topicLimits) {
		err = l.tellLimits()
	}
	if err == nil && l.follows(topicHosts) {
		err = l.tellHosts()
	}
	if err == nil && time.Since(l.wrote) >= liveSilence {
		err = l.send(liveComment)
	}
	return err
}

// still finds out anew who follows and what that may read. It keeps no session
// from ending.
func (l *liveStream) still() (store.EventQuery, error) {
	k := &errand{caller: l.recognise(l.r, l.peekSession)}
	if k.caller == nil {
		return store.EventQuery{}, problem(http.StatusUnauthorized, "sign in first")
	}
	return l.followed(withErrand(l.r, k).Context(), *l.in)
}

func (l *liveStream) tellUsage(query *store.EventQuery) error {
	events, missed, err := l.watch.Take()
	if err != nil {
		return err
	}
	c, told := l.DB.Catalog(), LiveUsage{Items: []UsageEvent{}, Missed: missed}
	for i := range events {
		if query.Matches(&events[i]) {
			told.Items = append(told.Items, namedEvent(c, events[i]))
		}
	}
	if len(told.Items) == 0 && missed == 0 {
		return nil
	}
	return l.event(topicUsage, told)
}

func (l *liveStream) tellLimits() error {
	if l.Plan == nil || l.Plan() == nil || l.Counters == nil {
		return nil
	}
	p := l.Plan()
	if p.Generation != l.generation { // amounts may be others, and counters have gone
		l.generation = p.Generation
		clear(l.stands)
	}
	if changed := p.Standings(l.Counters, l.stands, maxStandings); len(changed) > 0 {
		return l.event(topicLimits, LiveLimits{Items: changed})
	}
	return nil
}

func (l *liveStream) tellHosts() error {
	if l.Live == nil {
		return nil
	}
	state, err := json.Marshal(LiveHosts{Hosts: l.Live.HostStates(), HostKeys: l.Live.KeyStates()})
	if err != nil || bytes.Equal(state, l.hosts) {
		return err
	}
	l.hosts = state
	return l.event(topicHosts, json.RawMessage(state))
}

func (l *liveStream) event(name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return l.send("event: " + name + "\ndata: " + string(text) + "\n\n")
}

// send writes and flushes. A reader that takes nothing is given up.
func (l *liveStream) send(text string) error {
	control := http.NewResponseController(l.w)
	_ = control.SetWriteDeadline(time.Now().Add(liveWrite)) // what has no connection has no deadline
	if _, err := io.WriteString(l.w, text); err != nil {
		return err
	}
	l.wrote = time.Now()
	return control.Flush()
}
