package wiretest

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

// Spellings returns a stream whose lines end in LF in the other ways it may be
// written, by what is different.
func Spellings(stream string) map[string]string {
	return map[string]string{
		"LF":       stream,
		"CRLF":     strings.ReplaceAll(stream, "\n", "\r\n"),
		"CR":       strings.ReplaceAll(stream, "\n", "\r"),
		"comments": withComments(stream),
		"mark":     "\xef\xbb\xbf" + stream,
		"no space": strings.NewReplacer("event: ", "event:", "data: ", "data:").Replace(stream),
		"cut end":  strings.TrimRight(stream, "\n"),
	}
}

// withComments puts comments before, within and between events, and none behind
// the last.
func withComments(stream string) string {
	last := len(strings.TrimRight(stream, "\n"))
	return ": first\n\n" + strings.ReplaceAll(stream[:last], "\n\n", "\n: inside\n\n: between\n\n") + stream[last:]
}

// MoreSpellings returns those of Spellings and such as tests cannot take apart
// line by line: with fields that nobody reads, and with data in several lines.
func MoreSpellings(stream string) map[string]string {
	all := Spellings(stream)
	all["fields"] = strings.ReplaceAll(stream, "data: ", "id: 7\nretry: 3000\nother\ndata: ")
	all["lines"] = strings.ReplaceAll(stream, `,"`, ",\ndata: \"")
	all["CRLF lines"] = strings.ReplaceAll(all["lines"], "\n", "\r\n")
	all["blank lines"] = "\n\n" + strings.ReplaceAll(stream, "\n\n", "\n\n\n\n")
	return all
}

// Gzip returns a stream as a server sends it that compresses unasked: flushed
// after every event.
func Gzip(tb testing.TB, stream string) []byte {
	tb.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for event := range strings.SplitAfterSeq(stream, "\n\n") {
		if _, err := w.Write([]byte(event)); err != nil {
			tb.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return packed.Bytes()
}
