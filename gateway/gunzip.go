package gateway

import (
	"compress/gzip"
	"errors"
	"io"
)

// Bounds of an answer that is unpacked: a ratio that real answers stay below,
// and a size up to which nobody asks.
const (
	mostUnpacked      = 64 << 20
	mostRatio         = 100
	unpackedUnchecked = 1 << 20
)

var errUnpacked = errors.New("unpack answer: it is more than 64 MiB, or 100 times its packed size")

// gunzipped is the body of an answer that came packed although identity was
// asked for.
type gunzipped struct {
	packed   *metered
	unpacked *gzip.Reader
	n        int64
}

// gunzip reads the header of a packed body.
func gunzip(body io.ReadCloser) (io.ReadCloser, error) {
	packed := &metered{ReadCloser: body}
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return &gunzipped{packed: packed, unpacked: unpacked}, nil
}

// Read unpacks as much as has come. Past a bound it fails with errUnpacked.
func (g *gunzipped) Read(p []byte) (int, error) {
	n, err := g.unpacked.Read(p)
	g.n += int64(n)
	if g.n > mostUnpacked || g.n > unpackedUnchecked && g.n > mostRatio*g.packed.n {
		return n, errUnpacked
	}
	return n, err
}

func (g *gunzipped) Close() error { return g.packed.Close() }

// metered counts what is read.
type metered struct {
	io.ReadCloser
	n int64
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.n += int64(n)
	return n, err
}
