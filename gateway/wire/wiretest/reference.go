package wiretest

import "strings"

// Block is one block of an event stream as the standard reads it: the lines up
// to and including a blank one.
type Block struct {
	Raw        string // its bytes, line ends included
	Type, Data string
	HasData    bool // it is dispatched as an event
}

// ReadStream reads a stream by the letter of the WHATWG HTML standard, sections
// 9.2.5 and 9.2.6, slowly. rest is the block that no blank line ends, which the
// standard drops.
func ReadStream(stream string) (blocks []Block, rest Block) {
	var data strings.Builder
	line, begun := "", false
	for stream != "" {
		line, stream = cutLine(stream)
		rest.Raw += line
		line = strings.TrimRight(line, "\r\n")
		if !begun {
			line, begun = strings.TrimPrefix(line, "\xef\xbb\xbf"), true
		}
		if line == "" && strings.TrimRight(rest.Raw, "\r\n") != rest.Raw {
			rest.dispatch(&data)
			blocks, rest = append(blocks, rest), Block{}
			continue
		}
		rest.field(line, &data)
	}
	rest.dispatch(&data)
	return blocks, rest
}

// cutLine cuts the first line off, with its end: CRLF, LF or CR.
func cutLine(stream string) (line, after string) {
	i := strings.IndexAny(stream, "\r\n")
	switch {
	case i < 0:
		return stream, ""
	case strings.HasPrefix(stream[i:], "\r\n"):
		i++
	}
	return stream[:i+1], stream[i+1:]
}

// field takes a line that is not blank.
func (b *Block) field(line string, data *strings.Builder) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		b.Type = value
	case "data":
		data.WriteString(value + "\n")
	}
}

func (b *Block) dispatch(data *strings.Builder) {
	b.HasData = data.Len() > 0
	b.Data = strings.TrimSuffix(data.String(), "\n")
	data.Reset()
}
