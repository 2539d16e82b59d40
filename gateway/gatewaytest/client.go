package gatewaytest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Client is a connection that sends exact bytes. It belongs to one goroutine.
type Client struct {
	tb       testing.TB
	conn     *net.TCPConn
	received bytes.Buffer
	in       *bufio.Reader
}

// Answer is a whole response.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	Err    error // why the body is not whole; nil for one that is
}

// Dial connects to host:port and closes the connection with the test. Every
// read and write must be done within Patience.
func Dial(tb testing.TB, addr string) *Client {
	tb.Helper()
	conn, err := net.DialTimeout("tcp", addr, Patience)
	if err != nil {
		tb.Fatalf("dial: %v", err)
	}
	c := &Client{tb: tb, conn: conn.(*net.TCPConn)}
	c.in = bufio.NewReader(io.TeeReader(conn, &c.received))
	tb.Cleanup(c.Close)
	_ = conn.SetDeadline(time.Now().Add(Patience))
	return c
}

// Do sends a request on a connection of its own and reads the answer.
func Do(tb testing.TB, addr, request string) Answer {
	tb.Helper()
	c := Dial(tb, addr)
	defer c.Close()
	c.Send(request)
	return c.Answer()
}

// Send writes text as it is.
func (c *Client) Send(text string) {
	c.tb.Helper()
	if err := c.TrySend(text); err != nil {
		c.tb.Fatalf("send: %v", err)
	}
}

// SendBytewise writes text by one write a byte.
func (c *Client) SendBytewise(text string) {
	c.tb.Helper()
	for i := range len(text) {
		c.Send(text[i : i+1])
	}
}

// TrySend writes text and returns the error.
func (c *Client) TrySend(text string) error {
	_, err := io.WriteString(c.conn, text)
	return err
}

// Response reads the head of a response, informational ones skipped. Its body
// is read as it comes, see ReadUntil.
func (c *Client) Response() *http.Response {
	c.tb.Helper()
	for {
		response, err := http.ReadResponse(c.in, nil)
		if err != nil {
			c.tb.Fatalf("read response: %v; received %q", err, c.Received())
		}
		if response.StatusCode >= 200 {
			return response
		}
	}
}

// Answer reads a response to its end.
func (c *Client) Answer() Answer {
	c.tb.Helper()
	response := c.Response()
	body, err := io.ReadAll(response.Body)
	return Answer{response.StatusCode, response.Header, string(body), err}
}

// Received returns every byte that has come so far.
func (c *Client) Received() string { return c.received.String() }

// Rest reads until the peer ends the connection, and reports whether it did so
// in good order.
func (c *Client) Rest() (text string, clean bool) {
	b, err := io.ReadAll(c.in)
	return string(b), err == nil
}

// Addr returns the client's own host:port.
func (c *Client) Addr() string { return c.conn.LocalAddr().String() }

// Narrow makes the connection hold little of what has not been read.
func (c *Client) Narrow() { _ = c.conn.SetReadBuffer(4 << 10) }

// CloseWrite ends what the client sends and goes on reading.
func (c *Client) CloseWrite() { _ = c.conn.CloseWrite() }

// Reset makes the peer see a reset connection.
func (c *Client) Reset() {
	_ = c.conn.SetLinger(0)
	c.Close()
}

// Close ends the connection; once more does nothing.
func (c *Client) Close() { _ = c.conn.Close() }

// ErrNoEnd tells that a body ended before the text that was looked for.
var ErrNoEnd = errors.New("the body ended before the text")

// ReadUntil reads a body up to and including a text, and no further.
func ReadUntil(body io.Reader, text string) (string, error) {
	var read strings.Builder
	one := make([]byte, 1)
	for !strings.HasSuffix(read.String(), text) {
		n, err := body.Read(one)
		read.Write(one[:n])
		if err != nil && !strings.HasSuffix(read.String(), text) {
			return read.String(), errors.Join(ErrNoEnd, err)
		}
	}
	return read.String(), nil
}
