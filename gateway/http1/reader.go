package http1

import (
	"bytes"
	"errors"
	"io"
)

// readBuffer is the size of a connection's read buffer, which it has only while
// an answer is read.
const readBuffer = 4 << 10

// errDry is what a reader or a link says that must not wait: nothing has come.
var errDry error = dryError{}

// dryError looks to crypto/tls like a deadline, after which reading may go on.
type dryError struct{}

func (dryError) Error() string   { return "nothing has come" }
func (dryError) Timeout() bool   { return true }
func (dryError) Temporary() bool { return true }

// reader reads an answer through a buffer that it borrows.
type reader struct {
	src  io.Reader
	buf  []byte
	r, w int   // what has come and is not read is buf[r:w]
	err  error // that came with bytes
	dry  bool  // nothing is read from src
}

func (r *reader) buffered() int { return r.w - r.r }

// fill reads once from the source, behind what the buffer holds.
func (r *reader) fill() error {
	switch {
	case r.err != nil:
		return r.err
	case r.dry:
		return errDry
	}
	if r.r > 0 {
		r.w = copy(r.buf, r.buf[r.r:r.w])
		r.r = 0
	}
	n, err := r.pull(r.buf[r.w:])
	r.w += n
	return err
}

// pull reads at least one byte from the source or tells why not. An error that
// comes with bytes is kept for the next time.
func (r *reader) pull(p []byte) (int, error) {
	for range 100 {
		n, err := r.src.Read(p)
		if n > 0 {
			r.err = err
			return n, nil
		}
		if err != nil {
			r.err = err
			return 0, err
		}
	}
	return 0, io.ErrNoProgress
}

// read reads what has come, or else waits once. Large reads go past the buffer.
func (r *reader) read(p []byte) (int, error) {
	if r.buffered() == 0 {
		if len(p) >= len(r.buf) && r.err == nil && !r.dry {
			return r.pull(p)
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.buf[r.r:r.w])
	r.r += n
	return n, nil
}

var headEnd = []byte("\r\n\r\n")

// head returns the bytes of a head up to and including its blank line. They
// are valid until the next read.
func (r *reader) head() ([]byte, error) {
	for searched := 0; ; {
		if i := bytes.Index(r.buf[r.r+searched:r.w], headEnd); i >= 0 {
			block := r.buf[r.r : r.r+searched+i+len(headEnd)]
			r.r += len(block)
			return block, nil
		}
		if r.buffered() == len(r.buf) {
			return r.longHead()
		}
		searched = max(0, r.buffered()-len(headEnd)+1)
		if err := r.fill(); err != nil {
			return nil, r.early(err)
		}
	}
}

// longHead goes on with a head that is larger than the buffer.
func (r *reader) longHead() ([]byte, error) {
	block := append(make([]byte, 0, 4*len(r.buf)), r.buf[r.r:r.w]...)
	r.r = r.w
	for len(block) < maxHead {
		if err := r.fill(); err != nil {
			return nil, r.early(err)
		}
		from := len(block) - len(headEnd) + 1
		block = append(block, r.buf[r.r:r.w]...)
		r.r = r.w
		if i := bytes.Index(block[from:min(len(block), maxHead)], headEnd); i >= 0 {
			end := from + i + len(headEnd)
			r.r -= len(block) - end
			return block[:end], nil
		}
	}
	return nil, malformed("a head of more than 256 KiB")
}

// early makes the end of the connection an error.
func (r *reader) early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// hasLine reports whether line need not wait.
func (r *reader) hasLine() bool { return bytes.IndexByte(r.buf[r.r:r.w], '\n') >= 0 }

// line returns a line of at most maxLine bytes without its CRLF, valid until the
// next read.
func (r *reader) line() ([]byte, error) {
	for {
		seen := r.buf[r.r:r.w]
		i := bytes.IndexByte(seen, '\n')
		if i > maxLine || i < 0 && len(seen) > maxLine {
			return nil, malformed("a line of a chunked body that is too long")
		}
		if i >= 0 {
			if i == 0 || seen[i-1] != '\r' {
				return nil, malformed("a line of a chunked body without CRLF")
			}
			r.r += i + 1
			return seen[:i-1], nil
		}
		if err := r.fill(); err != nil {
			return nil, r.early(err)
		}
	}
}
