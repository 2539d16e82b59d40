package hub

import (
	"bytes"
	"strings"
)

// SetAddress reads the address of media: a data address (RFC 2397) into its data,
// any other as it is. It returns false for a data address that is not in base64.
func (p *Part) SetAddress(t Text) (ok bool) {
	const scheme = "data:"
	if len(t) < len(scheme) || !strings.EqualFold(string(t[:len(scheme)]), scheme) {
		p.URL = t
		return true
	}
	if bytes.IndexByte(t, '\\') >= 0 {
		t = Quote(t.String()) // some write / with an escape
	}
	kind, data, found := bytes.Cut(t[len(scheme):], []byte{','})
	kind, isBase64 := bytes.CutSuffix(kind, []byte(";base64"))
	if !found || !isBase64 {
		return false
	}
	kind, _, _ = bytes.Cut(kind, []byte{';'})
	p.MediaType, p.Data = kind, data
	return true
}

// AppendAddress writes the address of media that have no file id, as a JSON
// string: a data address where the part holds the data.
func (p *Part) AppendAddress(dst []byte) []byte {
	if len(p.URL) > 0 {
		return p.URL.Append(dst)
	}
	dst = append(append(dst, `"data:`...), p.MediaType...)
	return append(append(append(dst, ";base64,"...), p.Data...), '"')
}
