package wire_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/wiretest"
)

// reading is what a parser makes of a form.
type reading struct {
	Read            bool
	Models, Streams []string
	FileBytes       int
}

// readForm reads a form with mime/multipart.
func readForm(contentType string, body []byte) (r reading) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return r
	}
	parts := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			r.Read = true
			return r
		}
		if err != nil {
			return r
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return r
		}
		r.take(part, string(content))
	}
}

func (r *reading) take(part *multipart.Part, content string) {
	_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	_, isFile := params["filename"]
	switch {
	case part.FormName() == "model":
		r.Models = append(r.Models, content)
	case part.FormName() == "stream":
		r.Streams = append(r.Streams, content)
	case isFile:
		r.FileBytes += len(content)
	}
}

// scanned is what ScanForm makes of it.
func scanned(t *testing.T, contentType string, body []byte) (r reading, f wire.Form) {
	t.Helper()
	f, err := scanForm(t, contentType, string(body))
	if r.Read = err == nil; !r.Read {
		return r, f
	}
	if f.Model != (wire.Range{}) {
		r.Models = []string{string(f.Model.Of(body))}
	}
	if f.Streamed {
		r.Streams = []string{"true"}
	}
	r.FileBytes = f.FileBytes
	return r, f
}

// same reports whether another parser has read what ScanForm has.
func (r *reading) same(other reading) bool {
	streams := slices.DeleteFunc(slices.Clone(other.Streams), func(s string) bool { return s == "false" })
	return slices.Equal(r.Models, other.Models) && slices.Equal(r.Streams, streams) && len(other.Streams) <= 1 && r.FileBytes == other.FileBytes
}

// formSeeds are bodies that mutations start from.
func formSeeds() []string {
	return []string{
		form(field("model", "m"), file("file", "RIFF"), field("stream", "true")),
		form(field("stream", "false"), rawPart(`form-data; name="file"; filename="a\b.wav"`, "\r\n--x"), field("model", "ä")),
		form(rawPart("form-data; name=model\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: binary", "m"), field("prompt", "model")),
		form(field("prompt", "x\r\n\r\ny"), field("model", "m"), field("image[]", "")),
	}
}

func formSpices() []string {
	return []string{
		"\r\n", "\n", "\r", "--", "--" + boundary, "\r\n--" + boundary, boundary, "\r\n\r\n", ":", ";", "=", `"`, `\`, `\"`, "%22", "%0D%0A", " ", "\t", "\x00", "é", "[]", "'",
		`; name="model"`, `; name="stream"`, `; filename="x"`, `; filename=""`, "; filename*=utf-8''x", "; name*=utf-8''model", "name=model", "Model", "model", "stream", "true", "false", "_charset_",
		"\r\nContent-Type: text/plain", "\r\nContent-Disposition: form-data; name=\"model\"", "\r\nContent-Transfer-Encoding: base64", "\r\nX: y", field("model", "n"), field("x", "y"), "form-data", "attachment",
	}
}

// TestScanForm_IsReadByGoAndNodeAsItWasScanned holds ScanForm against
// mime/multipart and against Node on mutated bodies: one that is accepted says to
// both what Relay has read of it, unless they refuse it.
func TestScanForm_IsReadByGoAndNodeAsItWasScanned(t *testing.T) {
	node := startNode(t, "form.mjs")
	r := rand.New(rand.NewPCG(5, 6))
	seeds, spices := formSeeds(), formSpices()
	accepted, inNode := 0, 0
	for range 8_000 {
		body := wiretest.Mutate(r, seeds[r.IntN(len(seeds))], spices)
		mine, f := scanned(t, formType, body)
		if !mine.Read {
			continue
		}
		accepted++
		compareGo(t, body, &mine, f)
		var theirs reading
		if node.ask(t, []byte(formType), body, &theirs); theirs.Read && !mine.same(theirs) {
			t.Errorf("%q:\nscanned %+v\nNode    %+v", body, mine, theirs)
		}
		if theirs.Read {
			inNode++
		}
	}
	if t.Logf("%d of 8000 accepted, %d of them by Node", accepted, inNode); accepted < 500 || inNode < 400 {
		t.Error("the mutations are all of one kind")
	}
}

// compareGo holds an accepted body against mime/multipart, as it came and with
// its model replaced.
func compareGo(t *testing.T, body []byte, mine *reading, f wire.Form) {
	t.Helper()
	if theirs := readForm(formType, body); !theirs.Read || !mine.same(theirs) {
		t.Errorf("%q:\nscanned %+v\nGo      %+v", body, mine, theirs)
	}
	if len(mine.Models) == 0 {
		return
	}
	sent := wire.Splice(nil, body, wire.Edit{At: f.Model, Text: "upstream"})
	if theirs := readForm(formType, sent); !slices.Equal(theirs.Models, []string{"upstream"}) || theirs.FileBytes != mine.FileBytes {
		t.Errorf("%q was forwarded as %q, which is read as %+v", body, sent, theirs)
	}
}

// TestScanForm_ReadsTheBoundaryAsGoDoes holds the Content-Types that are accepted
// against mime.ParseMediaType.
func TestScanForm_ReadsTheBoundaryAsGoDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	spices := []string{";", `"`, "=", " ", "\\", "boundary=a", "; boundary=" + boundary, "*", "*0", "'", "/", ",", "é", "\t", "; charset=utf-8", "x", "B"}
	accepted := 0
	for range 20_000 {
		contentType := string(wiretest.Mutate(r, formType, spices))
		_, params, err := mime.ParseMediaType(contentType)
		body := strings.ReplaceAll(form(field("model", "m")), boundary, params["boundary"])
		if f, refused := scanForm(t, contentType, body); refused == nil && (err != nil || string(f.Model.Of([]byte(body))) != "m") {
			t.Errorf("%q: Go reads %q, %v", contentType, params, err)
		} else if refused == nil {
			accepted++
		}
	}
	if accepted < 500 {
		t.Errorf("only %d Content-Types were accepted", accepted)
	}
}

func FuzzScanForm(f *testing.F) {
	for _, seed := range formSeeds() {
		f.Add([]byte(seed))
	}
	for _, spice := range formSpices() {
		f.Add([]byte(form(field("model", spice), rawPart(`form-data; name="x"`+spice, spice))))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if mine, form := scanned(t, formType, body); mine.Read {
			compareGo(t, body, &mine, form)
		}
	})
}
