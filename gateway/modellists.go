package gateway

import (
	"context"
	"strings"
	"sync"
	"time"

	"relay/gateway/plan"
)

// Times of the lists of models that hosts give.
const (
	listKept     = time.Hour       // a list this old is asked for anew
	listAgain    = time.Minute     // for a name that is on no list, or after a failure
	listPatience = 2 * time.Second // a request waits for a list
	mostListed   = 20_000          // names kept of one host
)

// modelLists knows which models the hosts list that forward what the catalog
// does not know. A list is asked for when a request first needs it, by one call
// at a time, and outlives plans. The calls run beside the requests and end with
// the server.
type modelLists struct {
	prober  Prober
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	byHost map[string]*modelList // by record id
}

// modelList is what is known of one host. It is guarded by the mutex of all.
type modelList struct {
	baseURL string
	names   map[string]string // as the host spells them, by the name in lower case; nil: never read
	read    time.Time         // of names
	asked   time.Time         // when the last call began
	asking  chan struct{}     // closed when the present call has ended; nil: none
}

func newModelLists(p Prober) *modelLists {
	life, end := context.WithCancel(context.Background())
	return &modelLists{prober: p, life: life, end: end, byHost: map[string]*modelList{}}
}

// close ends the calls that run, and waits for them.
func (l *modelLists) close() {
	l.end()
	l.running.Wait()
}

// keep forgets the lists of hosts that the plan does not have any more.
func (l *modelLists) keep(hosts []*plan.Host) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := make(map[string]*modelList, len(hosts))
	for _, h := range hosts {
		id := h.Record.Metadata.ID
		if list := l.byHost[id]; list != nil && list.baseURL == h.Record.Spec.BaseURL {
			next[id] = list
		}
	}
	l.byHost = next
}

// listed says how the host spells a model that it lists under the name, in any
// case; "" when it does not. known is false when its list has never been read.
func (l *modelLists) listed(hostID, name string) (spelling string, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.byHost[hostID]
	if list == nil || list.names == nil {
		return "", false
	}
	return list.names[strings.ToLower(name)], true
}

// refresh asks a host for its list when that is older than it may be, and
// returns a channel that is closed when the call has ended; nil when there is no
// call to wait for.
func (l *modelLists) refresh(h *plan.Host, older time.Duration, now time.Time) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := h.Record.Metadata.ID
	list := l.byHost[id]
	if list == nil {
		list = &modelList{baseURL: h.Record.Spec.BaseURL}
		l.byHost[id] = list
	}
	fresh := list.names != nil && now.Sub(list.read) < older
	if list.asking != nil || fresh || !list.asked.IsZero() && now.Sub(list.asked) < listAgain || l.life.Err() != nil {
		return list.asking
	}
	list.asking, list.asked = make(chan struct{}), now
	l.running.Add(1)
	go l.ask(h, list, now)
	return list.asking
}

// ask calls the host, with one key after the other while they are not accepted.
func (l *modelLists) ask(h *plan.Host, list *modelList, now time.Time) {
	defer l.running.Done()
	var names []string
	var err error
	for _, k := range h.Keys[:min(len(h.Keys), maxKeys)] {
		if names, err = l.prober.ListModels(l.life, h.Record, k.Value); err == nil {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && len(h.Keys) > 0 {
		list.names, list.read = byLowerCase(names[:min(len(names), mostListed)]), now
	}
	close(list.asking)
	list.asking = nil
}

func byLowerCase(names []string) map[string]string {
	spelled := make(map[string]string, len(names))
	for _, name := range names {
		lower := strings.ToLower(name)
		if spelled[lower] == "" {
			spelled[lower] = name
		}
	}
	return spelled
}

// Listed implements plan.Live.
func (s *Server) Listed(hostID, name string) (spelling string, known bool) {
	return s.lists.listed(hostID, name)
}
