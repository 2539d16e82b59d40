package http1

import (
	"bytes"
	"strconv"
	"strings"
)

// Field is a line of a header.
type Field struct{ Name, Value string }

// Request is what a client sends. Its bytes must not change before the answer's
// body has ended or been closed, or Do has failed.
type Request struct {
	Start  []byte  // made by Start
	Fields []Field // more header lines
	Body   []byte  // sent with its Content-Length, also when it is empty, unless the method is GET or HEAD
}

// Start returns the beginning of a head: the request line, Host and the header
// lines that all requests of a kind have. The target is a path with its query.
func Start(method, target, host string, fields ...Field) ([]byte, error) {
	if !isToken(method) || !isWord(target) || !strings.HasPrefix(target, "/") {
		return nil, &FieldError{"request line"}
	}
	if !isWord(host) {
		return nil, &FieldError{"Host"}
	}
	b := make([]byte, 0, 512)
	b = append(b, method...)
	b = append(b, ' ')
	b = append(b, target...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, host...)
	b = append(b, "\r\n"...)
	b, err := appendFields(b, fields)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// isWord reports whether the text is visible ASCII.
func isWord(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return text != ""
}

// appendHead writes the whole head.
func (r *Request) appendHead(b []byte) ([]byte, error) {
	if len(r.Start) == 0 {
		return b, &FieldError{"request line"}
	}
	b, err := appendFields(append(b, r.Start...), r.Fields)
	if err != nil {
		return b, err
	}
	if len(r.Body) > 0 || !bytes.HasPrefix(r.Start, []byte("GET ")) && !r.toHead() {
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, int64(len(r.Body)), 10)
		b = append(b, "\r\n"...)
	}
	return append(b, "\r\n"...), nil
}

func (r *Request) toHead() bool { return bytes.HasPrefix(r.Start, []byte("HEAD ")) }

func appendFields(b []byte, fields []Field) ([]byte, error) {
	for _, f := range fields {
		if !isToken(f.Name) || isOwn(f.Name) || !isPlain(f.Value) {
			return b, &FieldError{f.Name}
		}
		b = append(b, f.Name...)
		b = append(b, ": "...)
		b = append(b, trim(f.Value)...)
		b = append(b, "\r\n"...)
	}
	return b, nil
}

// isOwn finds the fields that the client writes itself or that ask for what it
// does not do.
func isOwn(name string) bool {
	switch len(name) {
	case 2, 4, 6, 7, 10, 14, 17: // most names are told apart by this
	default:
		return false
	}
	for _, own := range [...]string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Trailer", "TE", "Upgrade", "Expect"} {
		if strings.EqualFold(name, own) {
			return true
		}
	}
	return false
}
