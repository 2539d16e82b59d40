package gateway_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"relay/gateway"
	"relay/gateway/gatewaytest"
)

func zstandard(tb testing.TB, text string, options ...zstd.EOption) string {
	tb.Helper()
	w, err := zstd.NewWriter(nil, append(options, zstd.WithEncoderConcurrency(1))...)
	if err != nil {
		tb.Fatal(err)
	}
	packed := w.EncodeAll([]byte(text), nil)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return string(packed)
}

func deflated(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	return b.String()
}

// dense is a body of the kind that is packed to about a quarter.
func (k kind) dense(size int) string {
	var b strings.Builder
	for n := uint64(1); b.Len() < size; n = n*6364136223846793005 + 1442695040888963407 {
		b.WriteString([]string{"alpha ", "beta ", "gamma ", "delta "}[n>>62])
	}
	return k.with(`"pad":"` + b.String()[:size] + `"`)
}

func TestClientEncodings_WhatIsPackedOnceIsUnpackedAndGoesUpPlain(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			f := newFront(t)
			f.up.Otherwise(k.says(5, 5))
			sizes := []string{k.json(), k.dense(3000), k.dense(100_000)}
			n := 0
			for _, body := range sizes {
				half := len(body) / 2
				for line, packed := range map[string]string{
					"Content-Encoding: gzip":               gatewaytest.Gzip(body),
					"Content-Encoding: GZip":               gatewaytest.Gzip(body[:half]) + gatewaytest.Gzip(body[half:]), // members, RFC 1952, section 2.2
					"Content-Encoding: x-gzip":             gatewaytest.Gzip(body),
					"Content-Encoding: identity, gzip":     gatewaytest.Gzip(body),
					"Content-Encoding: zstd":               zstandard(t, body),
					"Content-Encoding: zstd, identity":     zstandard(t, body[:half]) + zstandard(t, body[half:]), // frames, RFC 8878, section 3.1
					"Content-Encoding: identity":           body,
					"Content-Encoding:":                    body,
					"Content-Encoding: zstd\r\nX-Empty: 1": zstandard(t, body, zstd.WithEncoderLevel(zstd.SpeedBestCompression)),
				} {
					f.want(f.send(k, packed, line), 200, "")
					sent := f.up.Request(n)
					n++
					plain := strings.Replace(string(sent.Body), `"model":"`+k.model+`-2026"`, `"model":"`+k.model+`"`, 1)
					if !strings.HasPrefix(plain, body[:len(body)-1]) || !strings.HasSuffix(plain, "}") || len(sent.Header("Content-Encoding")) != 0 {
						t.Errorf("%s: of %d bytes the upstream got %d: %s", line, len(body), len(plain), sent.Head)
					}
					f.mustBeFree(line)
					f.mustRecord(line, 200, "")
				}
				a := gatewaytest.Do(t, f.addr, f.head("POST", k.path, "Transfer-Encoding: chunked", "Content-Encoding: gzip")+"\r\n"+inChunks(gatewaytest.Gzip(body), 100))
				f.want(a, 200, "")
				n++
				f.mustRecord("chunked", 200, "")
			}
		})
	}
}

func TestClientEncodings_OthersAndSeveralAreRefused(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		for lines, body := range map[string]string{
			"Content-Encoding: br":                               k.json(),
			"Content-Encoding: deflate":                          deflated(k.json()),
			"Content-Encoding: compress":                         k.json(),
			"Content-Encoding: gzip;q=1":                         gatewaytest.Gzip(k.json()),
			"Content-Encoding: gzip, gzip":                       gatewaytest.Gzip(gatewaytest.Gzip(k.json())),
			"Content-Encoding: gzip, zstd":                       zstandard(t, gatewaytest.Gzip(k.json())),
			"Content-Encoding: gzip\r\nContent-Encoding: zstd":   zstandard(t, gatewaytest.Gzip(k.json())),
			"Content-Encoding: \"gzip\"":                         gatewaytest.Gzip(k.json()),
			"Content-Encoding: zstd\r\nX-Window: more than 8MiB": zstdWindow(64 << 20),
		} {
			a := f.send(k, body, lines)
			f.mustRefuse(lines, a, k.path, 415, "unsupported_encoding")
			if strings.Contains(lines, "X-Window") == (a.Header.Get("Accept-Encoding") == "gzip, zstd") {
				t.Errorf("%s: Accept-Encoding is %q", lines, a.Header.Get("Accept-Encoding"))
			}
			f.mustBeFree(lines)
			f.mustRecord(lines, 415, "unsupported_encoding")
		}
		if n := len(f.up.Requests()); n != 0 {
			t.Errorf("%s: the upstream saw %d requests", k.name, n)
		}
	}
}

// zstdWindow is a zstd frame of one raw byte that wants so large a window (RFC 8878,
// section 3.1.1).
func zstdWindow(size uint32) string {
	exponent := byte(0)
	for 1<<(10+exponent) < size {
		exponent++
	}
	frame := binary.LittleEndian.AppendUint32(nil, 0xFD2FB528)
	frame = append(frame, 0, exponent<<3)
	return string(append(frame, 0b1001, 0, 0, '{')) // the last block, raw, one byte
}

func TestClientEncodings_ABodyThatIsNotWhatItSaysIsRefused(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		gzip, zstd := gatewaytest.Gzip(k.dense(3000)), zstandard(t, k.dense(3000))
		for name, c := range map[string][2]string{
			"gzip, plain":          {"gzip", k.json()},
			"gzip, empty":          {"gzip", ""},
			"gzip, cut":            {"gzip", gzip[:len(gzip)-9]},
			"gzip, wrong checksum": {"gzip", gzip[:len(gzip)-8] + "12345678"},
			"gzip, rest":           {"gzip", gzip + "rest"},
			"gzip, is zstd":        {"gzip", zstd},
			"zstd, plain":          {"zstd", k.json()},
			"zstd, empty":          {"zstd", ""},
			"zstd, cut":            {"zstd", zstd[:len(zstd)-9]},
			"zstd, wrong checksum": {"zstd", zstd[:len(zstd)-4] + "1234"},
			"zstd, is gzip":        {"zstd", gzip},
			"gzip in gzip":         {"gzip", gatewaytest.Gzip(gzip)},
		} {
			f.mustRefuse(name, f.send(k, c[1], "Content-Encoding: "+c[0]), k.path, 400, "parse_error")
			f.mustBeFree(name)
			f.mustRecord(name, 400, "parse_error")
		}
		f.up.Otherwise(k.says(5, 5))
		f.want(f.send(k, gzip, "Content-Encoding: gzip"), 200, "")
		f.want(f.send(k, zstd, "Content-Encoding: zstd"), 200, "")
	}
}

// The whole body is never made: it is given up at the limit, or at a hundred
// times what was sent.
func TestClientEncodings_ABombIsGivenUpAtItsBound(t *testing.T) {
	spaces := strings.Repeat(" ", 12<<20)
	bombs := map[string]string{"gzip": gatewaytest.Gzip(spaces), "zstd": zstandard(t, spaces)}
	for _, k := range representatives() { // the rest passes the same way, and each takes seconds
		f := newFront(t, func(o *gateway.Options) { o.MaxBufferedBytes = 4 << 20 })
		for coding, bomb := range bombs {
			for name, c := range map[string]struct{ body, told string }{
				"a bomb":          {bomb, "over 1 MiB"},
				"100 times":       {packedBody(t, coding, k.with(`"pad":"`+strings.Repeat("x", 90_000)+`"`)), "more than 100 times its size"},
				"over the limit":  {packedBody(t, coding, k.dense(1<<20)), "over 1 MiB"},
				"two of a bomb":   {bomb + bomb, "over 1 MiB"},
				"packed too long": {strings.Repeat("x", 1<<20+1), "over 1 MiB"},
			} {
				name = coding + ", " + name
				a := f.send(k, c.body, "Content-Encoding: "+coding)
				f.mustRefuse(name, a, k.path, 413, "request_too_large")
				if !strings.Contains(a.Body, c.told) && (coding != "zstd" || !strings.Contains(a.Body, "100 times")) {
					t.Errorf("%s: %s", name, a.Body)
				}
				f.mustBeFree(name)
				f.mustRecord(name, 413, "request_too_large")
			}
		}
		if n := len(f.up.Requests()); n != 0 {
			t.Errorf("%s: the upstream saw %d requests", k.name, n)
		}
	}
}

func packedBody(tb testing.TB, coding, text string) string {
	if coding == "zstd" {
		return zstandard(tb, text)
	}
	return gatewaytest.Gzip(text)
}
