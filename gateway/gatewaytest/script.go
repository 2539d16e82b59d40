package gatewaytest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Script is what an upstream does once it has read a request. It returns nil
// to leave the connection open for the next one.
type Script func(x *Exchange) error

// Join plays scripts one after the other.
func Join(parts ...Script) Script {
	return func(x *Exchange) error {
		for _, part := range parts {
			if err := part(x); err != nil {
				return err
			}
		}
		return nil
	}
}

// JSON answers with a body of known length.
func JSON(status int, body string) Script {
	return Join(Head(status, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body))), Raw(body))
}

// Stream answers with an event stream, each text one chunk. The texts are sent
// as they are; Data makes an event of one.
func Stream(events ...string) Script {
	return Join(StreamHead(), Chunk(events...), LastChunk())
}

// Data returns an event with the data.
func Data(data string) string { return "data: " + data + "\n\n" }

// StreamHead begins a chunked event stream with status 200.
func StreamHead() Script {
	return Head(http.StatusOK, "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
}

// Head sends a status line and header lines as they are given.
func Head(status int, lines ...string) Script {
	head := fmt.Sprintf("HTTP/1.1 %03d %s\r\n", status, http.StatusText(status))
	for _, line := range lines {
		head += line + "\r\n"
	}
	return Raw(head + "\r\n")
}

// Raw sends texts as they are, each by a write of its own.
func Raw(texts ...string) Script {
	return func(x *Exchange) error {
		for _, text := range texts {
			if _, err := io.WriteString(x, text); err != nil {
				return err
			}
		}
		return nil
	}
}

// Bytewise sends a text by one write a byte.
func Bytewise(text string) Script { return Raw(strings.Split(text, "")...) }

// Chunk sends each text as one chunk.
func Chunk(texts ...string) Script {
	framed := make([]string, len(texts))
	for i, text := range texts {
		framed[i] = fmt.Sprintf("%x\r\n%s\r\n", len(text), text)
	}
	return Raw(framed...)
}

// LastChunk ends a chunked body.
func LastChunk() Script { return Raw("0\r\n\r\n") }

// Fill sends n times the text, in writes of about 32 KiB.
func Fill(n int, text string) Script {
	each := max(1, 32<<10/len(text))
	block := strings.Repeat(text, each)
	return func(x *Exchange) error {
		for left := n; left > 0; left -= each {
			if _, err := io.WriteString(x, block[:min(left, each)*len(text)]); err != nil {
				return err
			}
		}
		return nil
	}
}

// Wait goes on once ch has something or is closed.
func Wait(ch <-chan struct{}) Script {
	return func(x *Exchange) error { return x.Wait(ch) }
}

// Tell closes ch, so that a test knows how far the script has come.
func Tell(ch chan<- struct{}) Script {
	return func(*Exchange) error {
		close(ch)
		return nil
	}
}

// Hang does nothing until the peer has gone.
func Hang() Script { return Wait(nil) }

// Reset makes the peer see a reset connection.
func Reset() Script { return (*Exchange).reset }

// Close ends the connection in good order.
func Close() Script {
	return func(*Exchange) error { return errEnded }
}

// CutAt plays a script up to its n-th byte, n being at least 1, and then the
// end: Close or Reset.
func CutAt(n int, script, end Script) Script {
	return func(x *Exchange) error {
		x.cut = &cut{n, end}
		return script(x)
	}
}

// Early sends n informational responses before whatever comes after them.
func Early(n int) Script { return Fill(n, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n") }

// ManyHeaders begins a response with n header lines of so many bytes each, the
// last ones those that are given.
func ManyHeaders(status, n, size int, last ...string) Script {
	line := "X-Flood-%06d: " + strings.Repeat("f", max(0, size-len("X-Flood-000000: \r\n"))) + "\r\n"
	return func(x *Exchange) error {
		if _, err := fmt.Fprintf(x, "HTTP/1.1 %03d %s\r\n", status, http.StatusText(status)); err != nil {
			return err
		}
		for i := range n {
			if _, err := fmt.Fprintf(x, line, i); err != nil {
				return err
			}
		}
		_, err := io.WriteString(x, strings.Join(append(last, "", ""), "\r\n"))
		return err
	}
}

// ReadHead reads and records the head of a request and leaves its body unread.
// It is for scripts of OnConnect.
func ReadHead() Script { return (*Exchange).readHead }

// Gzip returns the text compressed.
func Gzip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text) // a buffer takes everything
	_ = w.Close()
	return b.String()
}

// Packer returns a function that compresses one text after the other as one
// gzip stream, each so that it can be unpacked at once.
func Packer() func(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	return func(text string) string {
		b.Reset()
		_, _ = io.WriteString(w, text) // a buffer takes everything
		_ = w.Flush()
		return b.String()
	}
}
