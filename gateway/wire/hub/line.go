package hub

import "bytes"

// AppendLine writes a JSON value on one line, as streams need it whose events end
// with one: line ends, which stand between its tokens alone, become blanks.
func AppendLine(dst, value []byte) []byte {
	start := len(dst)
	dst = append(dst, value...)
	if bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 {
		return dst
	}
	for i, c := range dst[start:] {
		if c == '\n' || c == '\r' {
			dst[start+i] = ' '
		}
	}
	return dst
}
