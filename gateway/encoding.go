package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"

	"github.com/klauspost/compress/zstd"

	"relay/gateway/wire"
)

const (
	maxExpansion = 100     // times the bytes that were sent
	maxWindow    = 8 << 20 // bytes of a zstd window, what RFC 8878, section 3.1.1.1.2, wants supported
)

// coding is how a body is packed; empty: it is not.
type coding string

const (
	codingGzip coding = "gzip"
	codingZstd coding = "zstd"
)

// codingOf reads Content-Encoding. Codings on top of each other are not undone.
func codingOf(h http.Header) (coding, error) {
	var found coding
	for _, line := range h["Content-Encoding"] {
		for token := range strings.SplitSeq(line, ",") {
			c := coding(strings.ToLower(strings.TrimSpace(token)))
			switch c {
			case "", "identity":
				continue
			case "x-gzip": // RFC 9110, section 8.4.1.3
				c = codingGzip
			}
			if found != "" || c != codingGzip && c != codingZstd {
				return "", unsupportedEncoding(strings.Join(h["Content-Encoding"], ", "))
			}
			found = c
		}
	}
	return found, nil
}

func unsupportedEncoding(given string) error {
	return wire.NewError(wire.CodeUnsupportedEncoding, "Content-Encoding "+quoted(given)+" is not read here. Send the body plain, or packed once with gzip or zstd.")
}

// unpackers undo codings, one a processor: they need up to 8 MiB each, and more
// at a time would not be faster.
type unpackers chan *unpacker

type unpacker struct {
	packed bytes.Reader
	gzip   *gzip.Reader
	zstd   *zstd.Decoder
}

func newUnpackers() unpackers {
	all := make(unpackers, runtime.GOMAXPROCS(0))
	for range cap(all) {
		all <- &unpacker{}
	}
	return all
}

// take waits for a processor, for as long as the caller is there.
func (all unpackers) take(ctx context.Context) (*unpacker, error) {
	select {
	case u := <-all:
		return u, nil
	case <-ctx.Done():
		return nil, errCallerGone
	}
}

// giveBack keeps no decoder that a large body has made large.
func (all unpackers) giveBack(u *unpacker, large bool) {
	u.packed.Reset(nil)
	if large && u.zstd != nil {
		u.zstd.Close()
		u.zstd = nil
	}
	all <- u
}

// open returns what the packed bytes say.
func (u *unpacker) open(c coding, packed []byte) (io.Reader, error) {
	u.packed.Reset(packed)
	if c == codingZstd {
		return u.openZstd()
	}
	if u.gzip == nil {
		u.gzip = new(gzip.Reader)
	}
	return u.gzip, u.gzip.Reset(&u.packed)
}

// openZstd uses a decoder without goroutines that never unpacks more than is
// read from it.
func (u *unpacker) openZstd() (io.Reader, error) {
	var err error
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeBuffersBelow(0))
		if err != nil {
			return nil, err
		}
	}
	return u.zstd, u.zstd.Reset(&u.packed)
}

// unpack puts the plain body in place of the packed one. It may have as many
// bytes as a body that was sent plain, and no more than maxExpansion times
// those that were sent.
func (x *exchange) unpack(c coding) error {
	u, err := x.s.unpackers.take(x.r.Context())
	if err != nil {
		return err
	}
	packed, sent := x.body, x.claimed
	x.body = nil
	defer func() { x.s.unpackers.giveBack(u, cap(x.body) > keptBody) }()
	plain, err := u.open(c, packed)
	if err == nil {
		err = x.readPlain(plain, int64(len(packed)))
	}
	if err != nil {
		return x.unpackError(c, err)
	}
	x.unclaim(sent) // of the packed body
	return nil
}

// readPlain reads the whole of an unpacked body.
func (x *exchange) readPlain(plain io.Reader, sent int64) error {
	limit := x.bodyLimit()
	for {
		if err := x.makeRoom(limit); err != nil {
			return err
		}
		n, err := plain.Read(x.body[len(x.body):cap(x.body)])
		x.body = x.body[:len(x.body)+n]
		switch size := int64(len(x.body)); {
		case size > limit:
			return x.tooLarge()
		case size > maxExpansion*sent:
			return wire.NewError(wire.CodeRequestTooLarge, "The request's body unpacks to more than 100 times its size. Send it plain.")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// unpackError tells a refusal of Relay's own from bytes that are not what
// Content-Encoding says.
func (x *exchange) unpackError(c coding, err error) error {
	var own *wire.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return wire.NewError(wire.CodeUnsupportedEncoding, "The request's body is packed by zstd with a window of more than 8 MiB. Pack it at a lower level, or send it plain.")
	}
	return wire.NewError(wire.CodeParseError, "The request's body is not whole "+string(c)+", which Content-Encoding says it is.")
}
