package plan

import "strings"

// findUnknown looks for a host that would forward a model that the catalog does
// not know, as the request path does, but asks no host for its list.
func (e *explainer) findUnknown() {
	name, host, ok := e.origin.Unknown(e.Model)
	if !ok || e.caller.Access == nil {
		return
	}
	if host == nil {
		e.findListed(name)
		return
	}
	e.forward(name, host)
	if e.way == nil {
		e.remarks = append(e.remarks, "Host "+host.Name()+" forwards models that the catalogue does not know, but the ladder grants neither everything, nor @"+host.Name()+", nor that very name.")
	}
}

// forward takes the way to the host, if the ladder allows it.
func (e *explainer) forward(name string, host *Host) {
	if way := e.origin.ForwardRoute(e.caller.Access, name, host); way != nil {
		e.model, e.way, e.pin = way.Model, way, host
	}
}

// findListed looks for the one host that lists the name.
func (e *explainer) findListed(name string) {
	usable := e.origin.ForwardHosts(e.caller.Access, name)
	if len(usable) == 0 {
		return
	}
	if e.Live == nil {
		e.remarks = append(e.remarks, "Hosts that list a model that the catalogue does not know would be found by their lists; Relay is not running, so they are not known here.")
		return
	}
	listing, unread := e.origin.Listing(usable, name, e.Live.Listed)
	switch {
	case len(listing) == 1 && listing[0].Model == nil:
		e.forward(listing[0].Name, listing[0].Host)
	case len(listing) == 1:
		e.model, e.pin = listing[0].Model, listing[0].Host
		e.way = e.caller.Access.Route(e.model)
	case len(listing) > 1:
		e.unclear = RefuseListed(name, listing)
	case len(unread) > 0:
		e.remarks = append(e.remarks, "The model lists of "+strings.Join(namesOf(unread), ", ")+" are not known yet; a request would ask for them.")
	}
}

func namesOf(hosts []*Host) []string {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.Name()
	}
	return names
}
