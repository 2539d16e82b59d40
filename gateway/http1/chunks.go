package http1

import (
	"io"
)

// Bounds of a chunked body (RFC 9112, section 7.1).
const (
	maxLine    = 1 << 10  // bytes of a chunk's size line or a trailer line
	maxExcess  = 16 << 10 // bytes of framing beyond twice the data and 16 a chunk
	maxTrailer = 16 << 10 // bytes
)

// chunks takes a chunked body apart.
type chunks struct {
	at      chunkPart
	left    int64 // of the chunk's data
	excess  int64
	trailer int // bytes
}

// chunkPart is what comes next.
type chunkPart uint8

const (
	partSize chunkPart = iota
	partData
	partDataEnd
	partTrailer
)

// read reads data of as many chunks as have come and waits only for the first
// byte. io.EOF is the end of the whole body.
func (k *chunks) read(p []byte, in *reader) (n int, err error) {
	for {
		switch k.at {
		case partData:
			if n == len(p) || n > 0 && in.buffered() == 0 {
				return n, nil
			}
			m, err := in.read(p[n:min(int64(len(p)), int64(n)+k.left)])
			n += m
			if k.left -= int64(m); k.left == 0 {
				k.at = partDataEnd
			}
			if err != nil {
				return n, in.early(err)
			}
		default:
			if n > 0 && !in.hasLine() {
				return n, nil
			}
			line, err := in.line()
			if err != nil {
				return n, err
			}
			if err := k.next(line); err != nil {
				return n, err
			}
		}
	}
}

// next takes a line of the framing.
func (k *chunks) next(line []byte) error {
	switch k.at {
	case partSize:
		return k.begin(line)
	case partDataEnd:
		if len(line) > 0 {
			return malformed("a chunk that is longer than its size")
		}
		k.at = partSize
		return nil
	}
	k.trailer += len(line)
	switch {
	case len(line) == 0:
		return io.EOF
	case k.trailer > maxTrailer:
		return malformed("a trailer that is too long")
	}
	return checkField(line)
}

// begin takes a chunk's first line: its size in hexadecimal digits, and
// extensions, which mean nothing here.
func (k *chunks) begin(line []byte) error {
	size, digits := int64(0), 0
	for digits < len(line) {
		d := hexDigit(line[digits])
		if d < 0 {
			break
		}
		if size >= 1<<59 {
			return malformed("a chunk that is too large")
		}
		size = size<<4 | int64(d)
		digits++
	}
	rest := line[digits:]
	for len(rest) > 0 && isBlank(rest[0]) {
		rest = rest[1:]
	}
	if digits == 0 || len(rest) > 0 && rest[0] != ';' || !isValue(rest) {
		return malformed("a chunk size that cannot be read")
	}
	k.excess = max(0, k.excess+int64(len(line))-16-2*min(size, 1<<32))
	if k.excess > maxExcess {
		return malformed("a chunked body that is mostly framing")
	}
	k.left, k.at = size, partData
	if size == 0 {
		k.at = partTrailer
	}
	return nil
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
