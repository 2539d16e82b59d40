package plan

import "relay/limiter"

// dimension is something about a request by which limits split their counters
// and choose whom they limit.
type dimension uint8

// The dimensions. The first ones are known of a caller when the plan is
// compiled.
const (
	byTeam dimension = iota
	byProject
	byMember
	byKey
	byModel
	byModelName
	byProvider
	byEndpoint
	byUser
)

const callerDimensions = byModel

var dimensionNames = [...]string{"team", "project", "member", "key", "model", "model_name", "provider", "endpoint", "user"}

func (d dimension) String() string { return dimensionNames[d] }

// dimensionOf finds the dimension of a name.
func dimensionOf(name string) (dimension, bool) {
	for d, have := range dimensionNames {
		if have == name {
			return dimension(d), true
		}
	}
	return 0, false
}

// value is what a request has of a dimension: the id that counters are known by,
// and the name that people write. Without an id it has none.
type value struct{ id, name string }

// party is who calls, as far as it is known when limits are compiled.
type party struct {
	values  [callerDimensions]value
	unknown bool // limits of upstream keys count for whoever comes
}

// Facts are what limits may ask of a request.
type Facts struct {
	Caller   *Caller
	Model    *Model // whose turn it is
	Asked    string // the name of the model as the request has it
	Endpoint string // as policies name it
	User     string // the end user; empty: none is named, or nobody is trusted to
	Now      limiter.Instant
}

func (f *Facts) value(d dimension) value {
	switch {
	case d < callerDimensions:
		return f.Caller.party.values[d]
	case d == byModelName:
		return value{f.Asked, f.Asked}
	case d == byEndpoint:
		return value{f.Endpoint, f.Endpoint}
	case d == byUser:
		return value{f.User, f.User}
	case f.Model == nil:
		return value{}
	case d == byProvider:
		return value{f.Model.ProviderID, f.Model.Provider}
	}
	return value{f.Model.countedAs().ID, f.Model.Name}
}

// countedAs is the model itself, or what stands for models that the catalog does
// not know: nobody can make counters by making names up.
func (m *Model) countedAs() *Model {
	if m.like != nil {
		return m.like
	}
	return m
}

// party is who calls on the ladder.
func (l *ladder) party() *party {
	p := &party{}
	known := func(d dimension, id, name string) {
		if id != "" {
			p.values[d] = value{id, name}
		}
	}
	for _, r := range l.rungs {
		switch r.scope {
		case limiter.ScopeTeam:
			known(byTeam, r.id, r.name)
		case limiter.ScopeProject:
			known(byProject, r.id, r.name)
		case limiter.ScopePrincipal:
			if l.member != "" {
				known(byMember, l.member, r.name)
			}
		}
	}
	known(byKey, l.key.Metadata.ID, l.key.Metadata.Name)
	return p
}
