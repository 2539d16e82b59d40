package plan

// Access is what a ladder allows: a route for each model it may use.
type Access struct {
	routes map[*Model]*Route
	list   []*Model
	grants []grant // of every rung that grants, for models the catalog does not know
	pools  []poolKeys
	gates  *Gates // what its rungs ask of requests themselves
}

// Route returns the model's route, or nil when the ladder does not allow it.
func (a *Access) Route(m *Model) *Route { return a.routes[m] }

// Models returns the models to list, in the order of their names.
func (a *Access) Models() []*Model { return a.list }

// Route is where requests for a model may go. That of an alias model has no
// pools of its own.
type Route struct {
	Model *Model
	Pools []Pool
	// Next are the models to go on with when no key has answered, in order:
	// those that are enabled and that the ladder allows.
	Next []Fallback
	// Dropped tells why keys that the pools name cannot be used because of a
	// limit that cannot be enforced; nil when none was.
	Dropped *Refused

	bindings []*Binding // that the ladder allows
}

// Fallback is a model that another goes on with, or stands for.
type Fallback struct {
	Route  *Route
	Weight int // 0: none is given
}

// Pool is the candidates of one pool for one model, by binding priority and
// then in the pool's own order.
type Pool struct {
	Name       string
	Selection  string // one of the constants
	Turn       int    // index of Plan.Turns, for round-robin and weighted
	Candidates []Candidate
}

// Candidate is a key on which to try a request.
type Candidate struct {
	Key     *HostKey
	Binding *Binding
}

// Takes reports whether the candidate can take a call that is pinned to the host;
// a nil pin is none.
func (c Candidate) Takes(pin *Host, call Call) bool {
	return (pin == nil || c.Key.Host == pin) && c.Binding.Takes(call)
}
