package generate

import (
	"strconv"
	"strings"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// object gives the members of an object to read, which refuses those that it does
// not know. Absent and null have none. path is empty for the body.
func object(path string, value []byte, read func(name string, value []byte) error) error {
	if hub.IsNull(value) {
		return nil
	}
	if value[0] != '{' {
		return hub.Bad(path, "must be an object")
	}
	for name, value := range hub.Members(value) {
		if err := read(shown(name), value); err != nil {
			return err
		}
	}
	return nil
}

const longestName = 64

// shown returns a name as a refusal may show it: those of the shape are short.
func shown(name []byte) string {
	return strings.ToValidUTF8(string(name[:min(len(name), longestName)]), "")
}

// list gives the elements of a list to read, each with its path.
func list(path string, value []byte, read func(path string, value []byte) error) error {
	if !hub.IsNull(value) && value[0] != '[' {
		return hub.Bad(path, "must be a list")
	}
	i := 0
	for value := range hub.Elements(value) {
		if err := read(path+"["+strconv.Itoa(i)+"]", value); err != nil {
			return err
		}
		i++
	}
	return nil
}

// unknown refuses a member that the shape does not have.
func unknown(path string) error {
	e := wire.Errorf(wire.CodeUnsupportedParam, "The shape of /v1/generate has no member %s. Leave it out; members for one shape of host belong into extensions.", path)
	e.Param = path
	return e
}

// text reads a text; absent and null are empty.
func text(path string, value []byte) (hub.Text, error) {
	if hub.IsNull(value) {
		return nil, nil
	}
	t, ok := hub.TextOf(value)
	if !ok {
		return nil, hub.Bad(path, "must be a text")
	}
	return t, nil
}

// into reads a text to where it belongs.
func into(t *hub.Text, path string, value []byte) (err error) {
	*t, err = text(path, value)
	return err
}

// word reads a text that is one of a few; absent and null are empty.
func word(path string, value []byte, words ...string) (string, error) {
	t, err := text(path, value)
	if err != nil || t == nil {
		return "", err
	}
	for _, w := range words {
		if t.Is(w) {
			return w, nil
		}
	}
	all := words[0]
	for _, w := range words[1:] {
		all += ", " + w
	}
	return "", hub.Bad(path, "must be one of "+all)
}

// boolean reads true and false; null is hub.Unset.
func boolean(path string, value []byte) (hub.Switch, error) {
	s := hub.SwitchOf(value)
	if s == hub.Unset && !hub.IsNull(value) {
		return s, hub.Bad(path, "must be true or false")
	}
	return s, nil
}

// setText keeps a parameter that is a text.
func setText(r *hub.Request, p hub.Param, path string, value []byte) error {
	t, err := text(path, value)
	if len(t) > 0 {
		r.Set(p, path, value)
	}
	return err
}

// setNumber keeps a parameter that is a number.
func setNumber(r *hub.Request, p hub.Param, path string, value []byte) error {
	if !hub.IsNull(value) && value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return hub.Bad(path, "must be a number")
	}
	r.Set(p, path, value)
	return nil
}

// setWhole keeps a parameter that is a whole number.
func setWhole(r *hub.Request, p hub.Param, path string, value []byte) error {
	if hub.IsNull(value) {
		return nil
	}
	_, err := whole(path, value)
	r.Set(p, path, value)
	return err
}

func whole(path string, value []byte) (int64, error) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return 0, hub.Bad(path, "must be a whole number")
	}
	return n, nil
}
