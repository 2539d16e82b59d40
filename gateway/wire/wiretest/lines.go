package wiretest

import "strings"

// LineSpellings returns a stream of JSON documents, one a line that ends in LF,
// in the other ways it may be written, by what is different.
func LineSpellings(stream string) map[string]string {
	return map[string]string{
		"LF":          stream,
		"CRLF":        strings.ReplaceAll(stream, "\n", "\r\n"),
		"blank lines": "\n\r\n" + strings.ReplaceAll(stream, "\n", "\n \n\n"),
		"blanks":      strings.ReplaceAll(stream, `,"`, ",\r \t\""),
		"mark":        "\xef\xbb\xbf" + stream,
		"cut end":     strings.TrimRight(stream, "\n"),
		"CR at end":   strings.TrimRight(stream, "\n") + "\r",
	}
}

// ReadLines reads a stream of lines slowly. rest is what no LF ends.
func ReadLines(stream string) (blocks []Block, rest Block) {
	for line := range strings.SplitAfterSeq(stream, "\n") {
		b := Block{Raw: line, Data: strings.TrimSpace(strings.TrimPrefix(line, "\xef\xbb\xbf"))}
		if b.HasData = b.Data != ""; !strings.HasSuffix(line, "\n") {
			return blocks, b
		}
		blocks = append(blocks, b)
	}
	return blocks, rest
}
