package http1

import (
	"bytes"
	"net/http"
	"strings"
)

// Bounds of an answer's head.
const (
	maxHead   = 256 << 10 // bytes, status line and blank line included
	maxFields = 1000      // lines
)

// head is the head of an answer.
type head struct {
	status int    // 100 to 999
	minor  int    // of HTTP/1.x: 0 or 1
	text   string // status code and reason
	fields http.Header
}

// parseHead reads a head from its status line to its blank line. It changes the
// case of field names in place; what it returns does not refer to block.
func parseHead(block []byte) (head, error) {
	end := bytes.IndexByte(block, '\n')
	if end < 1 || block[end-1] != '\r' {
		return head{}, malformed("a status line without CRLF")
	}
	h, err := parseStatus(block[:end-1])
	if err != nil {
		return head{}, err
	}
	lines, err := checkFields(block[end+1:])
	if err != nil {
		return head{}, err
	}
	text := string(block)
	h.text = text[len("HTTP/1.1 ") : end-1]
	h.fields = makeFields(text[end+1:], lines)
	return h, nil
}

// parseStatus reads a status line (RFC 9112, section 4). The blank after the
// code may be missing when there is no reason.
func parseStatus(line []byte) (head, error) {
	const version, code = len("HTTP/1.x "), len("200")
	if len(line) < version+code || string(line[:7]) != "HTTP/1." || line[7] != '0' && line[7] != '1' || line[8] != ' ' {
		return head{}, malformed("no status line of HTTP/1.0 or 1.1")
	}
	h := head{minor: int(line[7] - '0')}
	for _, c := range line[version : version+code] {
		if c < '0' || c > '9' {
			return head{}, malformed("a status code that is no number")
		}
		h.status = 10*h.status + int(c-'0')
	}
	reason := line[version+code:]
	if h.status < 100 || len(reason) > 0 && reason[0] != ' ' || !isValue(reason) {
		return head{}, malformed("a status line that cannot be read")
	}
	return h, nil
}

// checkFields checks field lines (RFC 9112, section 5) up to the blank one,
// makes their names canonical and counts them.
func checkFields(rest []byte) (lines int, err error) {
	for ; ; lines++ {
		end := bytes.IndexByte(rest, '\n')
		switch {
		case end < 1 || rest[end-1] != '\r':
			return 0, malformed("a header line without CRLF")
		case end == 1:
			return lines, nil
		case lines == maxFields:
			return 0, malformed("more than 1000 header lines")
		}
		if err := checkField(rest[:end-1]); err != nil {
			return 0, err
		}
		rest = rest[end+1:]
	}
}

func checkField(line []byte) error {
	colon := bytes.IndexByte(line, ':')
	switch {
	case colon < 0:
		return malformed("a header line without colon")
	case !canonicalize(line[:colon]):
		return malformed("a header name that is none")
	case !isValue(line[colon+1:]):
		return malformed("a header value with a control character")
	}
	return nil
}

// makeFields makes the map of checked lines.
func makeFields(text string, lines int) http.Header {
	fields := make(http.Header, lines)
	values := make([]string, lines)
	for i := range lines {
		end, colon := strings.IndexByte(text, '\n'), strings.IndexByte(text, ':')
		name, value := text[:colon], trim(text[colon+1:end-1])
		text = text[end+1:]
		if former := fields[name]; former != nil {
			fields[name] = append(former, value)
			continue
		}
		values[i] = value
		fields[name] = values[i : i+1 : i+1]
	}
	return fields
}
