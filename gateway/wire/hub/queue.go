package hub

// queue is the parts of an answer that wait for their turn. However many they are,
// each is found at once.
type queue struct {
	parts  []part
	gone   int             // how many have had their turn
	places map[partKey]int // how many came before; nil while there are but a few
}

// partKey tells a part of a Decoder apart.
type partKey struct {
	of   PartKind
	part int
}

func (p *part) key() partKey { return partKey{p.of, p.part} }

// fewParts is how many parts are looked through one by one.
const fewParts = 16

func (q *queue) len() int { return len(q.parts) }

// add adds a part that does not wait yet.
func (q *queue) add(p part) {
	q.parts = append(q.parts, p)
	if q.places != nil {
		q.places[p.key()] = q.gone + len(q.parts) - 1
	}
}

// of returns the part of an event; nil: it does not wait.
func (q *queue) of(e Event) *part {
	if q.places == nil && len(q.parts) > fewParts {
		q.places = make(map[partKey]int, 2*len(q.parts))
		for i := range q.parts {
			q.places[q.parts[i].key()] = q.gone + i
		}
	}
	if q.places != nil {
		if at, waits := q.places[partKey{e.Of, e.Part}]; waits {
			return &q.parts[at-q.gone]
		}
		return nil
	}
	for i := range q.parts {
		if p := &q.parts[i]; p.is(e) {
			return p
		}
	}
	return nil
}

// next takes the part out that has waited longest. There must be one.
func (q *queue) next() part {
	p := q.parts[0]
	q.parts[0] = part{}
	q.parts = q.parts[1:]
	q.gone++
	if len(q.parts) == 0 {
		*q = queue{}
	} else {
		delete(q.places, p.key())
	}
	return p
}
