package gatewaytest

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// Request is what reached an upstream, byte for byte.
type Request struct {
	Head string // from the request line to the blank line, both included
	Body []byte // without framing
	Wire []byte // the body as it came, chunk sizes and trailers included
	Conn int    // which connection it came on, the first being 0

	gone, ended chan struct{}
	hangOnce    sync.Once
}

func newRequest(conn int) *Request {
	return &Request{Conn: conn, gone: make(chan struct{}), ended: make(chan struct{})}
}

// Gone is closed when the peer hangs up before the script has ended. One that
// has only ended its own half has gone, too.
func (r *Request) Gone() <-chan struct{} { return r.gone }

// Ended is closed when the script has ended.
func (r *Request) Ended() <-chan struct{} { return r.ended }

func (r *Request) hangUp() { r.hangOnce.Do(func() { close(r.gone) }) }

// Line returns the request line.
func (r *Request) Line() string {
	line, _, _ := strings.Cut(r.Head, "\r\n")
	return line
}

// Lines returns the header lines as they were sent.
func (r *Request) Lines() []string {
	_, lines, _ := strings.Cut(strings.TrimSuffix(r.Head, "\r\n\r\n"), "\r\n")
	if lines == "" {
		return nil
	}
	return strings.Split(lines, "\r\n")
}

// Header returns the values of all header lines of that name.
func (r *Request) Header(name string) (values []string) {
	for _, line := range r.Lines() {
		if field, value, _ := strings.Cut(line, ":"); strings.EqualFold(field, name) {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

// readRequest reads one request. The error is io.EOF when the connection ended
// between requests.
func readRequest(in *bufio.Reader, conn int) (*Request, error) {
	if _, err := in.Peek(1); err != nil {
		return nil, io.EOF
	}
	r := newRequest(conn)
	head, err := readHead(in)
	if err != nil {
		return nil, err
	}
	r.Head = head
	if err := r.readBody(in); err != nil {
		return nil, err
	}
	return r, nil
}

func readHead(in *bufio.Reader) (string, error) {
	var head strings.Builder
	for {
		line, err := in.ReadString('\n')
		head.WriteString(line)
		if err != nil {
			return "", fmt.Errorf("read request head: %w", unexpected(err))
		}
		if line == "\r\n" || line == "\n" {
			return head.String(), nil
		}
	}
}

func (r *Request) readBody(in *bufio.Reader) error {
	if coding := r.Header("Transfer-Encoding"); len(coding) > 0 {
		return r.readChunks(in)
	}
	length := r.Header("Content-Length")
	if len(length) == 0 {
		return nil
	}
	n, err := strconv.Atoi(length[0])
	if err != nil {
		return fmt.Errorf("read Content-Length: %w", err)
	}
	r.Body = make([]byte, n)
	if _, err := io.ReadFull(in, r.Body); err != nil {
		return fmt.Errorf("read request body: %w", unexpected(err))
	}
	r.Wire = r.Body
	return nil
}

// readChunks reads a chunked body and keeps its framing in Wire.
func (r *Request) readChunks(in *bufio.Reader) error {
	for size := -1; size != 0; {
		line, err := r.wireLine(in)
		if err != nil {
			return err
		}
		hex, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseUint(hex, 16, 31)
		if err != nil {
			return fmt.Errorf("read chunk size: %w", err)
		}
		if size = int(n); size == 0 {
			break
		}
		chunk := make([]byte, size+2)
		if _, err := io.ReadFull(in, chunk); err != nil {
			return fmt.Errorf("read chunk: %w", unexpected(err))
		}
		r.Wire = append(r.Wire, chunk...)
		r.Body = append(r.Body, chunk[:size]...)
	}
	for {
		line, err := r.wireLine(in)
		if err != nil || strings.TrimSpace(line) == "" {
			return err
		}
	}
}

func (r *Request) wireLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadString('\n')
	r.Wire = append(r.Wire, line...)
	if err != nil {
		return "", fmt.Errorf("read chunked body: %w", unexpected(err))
	}
	return line, nil
}

// unexpected tells the end in the middle of a request from that between two.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
