package gateway

import (
	"context"
	"time"

	"relay/gateway/plan"
)

// routeUnknown finds a way for a model that the catalog does not know: to the
// host that the name or the header pins, else to the one host that lists it.
// What the caller may not use is told from what does not exist by nothing.
func (x *exchange) routeUnknown(name string) error {
	bare, host, ok := x.gen.plan.Unknown(name)
	if ok && host == nil {
		host = x.pin
	}
	switch {
	case !ok || x.caller.Access == nil:
		return x.unknownModel(name)
	case host == nil:
		return x.routeListed(name, bare)
	}
	return x.forwardTo(name, bare, host)
}

// forwardTo takes the way to a host, if the ladder allows it.
func (x *exchange) forwardTo(name, bare string, host *plan.Host) error {
	way := x.gen.plan.ForwardRoute(x.caller.Access, bare, host)
	if way == nil {
		return x.unknownModel(name)
	}
	x.model, x.way, x.pin = way.Model, way, host
	return x.refuseRoute()
}

// routeListed finds the one host that lists the name, among those that the
// caller may use. Lists that are missing, or too old to say that nobody has the
// name, are asked for; the request waits for that only so long.
func (x *exchange) routeListed(name, bare string) error {
	hosts := x.gen.plan.ForwardHosts(x.caller.Access, bare)
	patience, cancel := context.WithTimeout(x.r.Context(), listPatience)
	defer cancel()
	found := x.listing(patience, hosts, bare, listKept)
	if len(found) == 0 {
		found = x.listing(patience, hosts, bare, listAgain)
	}
	switch {
	case len(found) == 0:
		return x.unknownModel(name)
	case len(found) > 1:
		return refusedByPlan(plan.RefuseListed(bare, found))
	case found[0].Model != nil:
		return x.routeTo(found[0].Model, found[0].Host)
	}
	return x.forwardTo(name, found[0].Name, found[0].Host)
}

// listing returns which of the hosts list the name by lists that are no older,
// or what they listed before when patience ends. A list that is good for an hour
// may be older by as long as it takes to ask.
func (x *exchange) listing(patience context.Context, hosts []*plan.Host, name string, older time.Duration) []plan.Listed {
	now := x.s.now()
	var waits []<-chan struct{}
	for _, h := range hosts {
		_, known := x.s.lists.listed(h.Record.Metadata.ID, name)
		if asking := x.s.lists.refresh(h, older, now); asking != nil && (!known || older < listKept) {
			waits = append(waits, asking)
		}
	}
	awaitAll(patience, waits)
	found, _ := x.gen.plan.Listing(hosts, name, x.s.lists.listed)
	return found
}

// awaitAll waits for calls to end, as long as there is patience.
func awaitAll(patience context.Context, calls []<-chan struct{}) {
	for _, ended := range calls {
		select {
		case <-ended:
		case <-patience.Done():
			return
		}
	}
}
