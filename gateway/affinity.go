package gateway

import "relay/gateway/wire"

// mostSystem is how much of the system text tells conversations apart, in
// bytes.
const mostSystem = 1 << 10

// conversation is a number of the conversation that the request belongs to. It
// is made when a pool with affinity first asks: of prompt_cache_key, else the
// session that a header names, else the end user, else the relay key and the
// beginning of the system text, which is what requests of one program share.
func (x *exchange) conversation() uint64 {
	if x.affinity == 0 {
		x.affinity = max(1, x.hashConversation())
	}
	return x.affinity
}

func (x *exchange) hashConversation() uint64 {
	var told opening
	told.read(x.body)
	key, _ := wire.Text(x.body, told.cacheKey, nil)
	if len(key) > 0 {
		return hashed(hashBasis, key)
	}
	if session := x.session(); session != "" {
		return hashed(hashBasis, session)
	}
	if user := x.endUser(); len(user) > 0 {
		return hashed(hashBasis, user)
	}
	h := hashed(hashBasis, x.caller.KeyID)
	left := mostSystem
	for _, at := range [...]wire.Range{told.system, told.instructions} {
		text := at.Of(x.body)
		text = text[:min(len(text), left)]
		left -= len(text)
		h = hashed(h, text)
	}
	return hashSystem(h, x.body, x.members.Messages, left)
}

// opening is where a body says what its conversation begins with.
type opening struct {
	cacheKey, system, instructions wire.Range
}

func (o *opening) read(body []byte) {
	w := wire.Walk(body)
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "prompt_cache_key":
			o.cacheKey = w.Value()
		case "system", "system_instruction", "systemInstruction":
			o.system = w.Value()
		case "instructions":
			o.instructions = w.Value()
		}
	}
}

// hashSystem adds up to so many bytes of the messages before the first that is
// not the system's.
func hashSystem(h uint64, body []byte, messages wire.Range, left int) uint64 {
	if !messages.Present() {
		return h
	}
	body = messages.Of(body)
	w := wire.Walk(body)
	for more := w.Array(); more && left > 0; more = w.Element() {
		role, content := message(&w)
		if string(role) != "system" && string(role) != "developer" {
			break
		}
		text := content.Of(body)
		text = text[:min(len(text), left)]
		left -= len(text)
		h = hashed(h, text)
	}
	return h
}

// message reads the role of one message and where its content stands.
func message(w *wire.Walker) (role []byte, content wire.Range) {
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "role":
			role, _ = w.Text(nil)
		case "content":
			content = w.Value()
		}
	}
	return role, content
}

const hashBasis = 14695981039346656037

// hashed goes on with a hash (FNV-1a, 64 bits) over a part and its end.
func hashed[T string | []byte](h uint64, part T) uint64 {
	const prime = 1099511628211
	for i := range len(part) {
		h = (h ^ uint64(part[i])) * prime
	}
	return (h ^ 0xff) * prime
}
