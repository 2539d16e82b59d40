package wiretest

import (
	"encoding/json"
	"strings"
)

// ArraySpellings returns an array, whose lines end in LF, in the other ways it
// may be written, by what is different.
func ArraySpellings(stream string) map[string]string {
	return map[string]string{
		"LF":      stream,
		"CRLF":    strings.ReplaceAll(stream, "\n", "\r\n"),
		"compact": strings.ReplaceAll(stream, "\n", ""),
		"blanks":  "\n \t" + strings.ReplaceAll(stream, `,"`, ",\r \t\"") + " \n",
		"mark":    "\xef\xbb\xbf" + stream,
	}
}

// ReadArray reads an array slowly, by encoding/json: a block is an element with
// what stands before it, and the closing bracket with what stands before that.
// rest is what follows it.
func ReadArray(stream string) (blocks []Block, rest Block) {
	body := strings.TrimPrefix(stream, "\xef\xbb\xbf")
	mark, done := len(stream)-len(body), int64(0)
	d := json.NewDecoder(strings.NewReader(body))
	add := func(data string) {
		blocks = append(blocks, Block{Raw: body[done:d.InputOffset()], Data: data, HasData: data != "]"})
		done = d.InputOffset()
	}
	_, _ = d.Token()
	for d.More() {
		var element json.RawMessage
		if d.Decode(&element) != nil {
			return blocks, Block{Raw: body[done:]}
		}
		add(string(element))
	}
	if token, _ := d.Token(); token == json.Delim(']') {
		add("]")
	}
	if len(blocks) > 0 {
		blocks[0].Raw = stream[:mark] + blocks[0].Raw
	}
	return blocks, Block{Raw: body[done:]}
}
