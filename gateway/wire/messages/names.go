package messages

import (
	"strconv"

	"relay/gateway/wire/hub"
)

// names gives the calls of a conversation ids that the shape takes, which are of
// letters, digits, - and _ as names of tools are. Calls without one are numbered, and the results without one go
// with them in order.
type names struct{ calls, results int }

func (n *names) call(id hub.Text) hub.Text { return fitOr(id, &n.calls) }

func (n *names) result(id hub.Text) hub.Text { return fitOr(id, &n.results) }

func fitOr(id hub.Text, count *int) hub.Text {
	if len(id) > 0 {
		return fit(id)
	}
	*count++
	return hub.Text("call_" + strconv.Itoa(*count))
}

// toolName is how the name of a tool is written.
func toolName(c hub.Call) hub.Text { return fit(c.NameOfFlat()) }

// fitMark begins what has been made to fit. What begins so itself is made to fit as
// well, so that no two ids or names become one.
const fitMark = "fit_"

// fit returns an id or name, or one made of it in which everything but letters,
// digits and - is _ and two hexadecimal digits.
func fit(id hub.Text) hub.Text {
	plain := id.Plain()
	if fits(plain) && (len(plain) < len(fitMark) || string(plain[:len(fitMark)]) != fitMark) {
		return plain
	}
	const hex = "0123456789abcdef"
	made := hub.Text(fitMark)
	for _, c := range plain {
		if c != '_' && isWord(c) {
			made = append(made, c)
		} else {
			made = append(made, '_', hex[c>>4], hex[c&15])
		}
	}
	return made
}

func fits(id []byte) bool {
	for _, c := range id {
		if !isWord(c) {
			return false
		}
	}
	return true
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
