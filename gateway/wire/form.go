package wire

import (
	"bytes"
	"fmt"
)

// Bounds of a form.
const (
	MaxFormParts  = 1_024
	maxPartHeader = 8 << 10 // bytes of the header lines of one part
)

// Form says where those parts of a body of multipart/form-data stand (RFC 7578,
// RFC 2046) that Relay reads. What is absent has the zero Range. An Edit may
// replace the model by a name without line breaks.
type Form struct {
	Model    Range // value of the field model
	N        Range // value of the field n, see Members.Choices
	Steering Range // name of a field by which callers try to name an upstream, see IsSteering
	Streamed bool  // the field stream is true

	File        Range // content of the first file
	Files       int   // how many there are
	FileBytes   int   // of all files together
	LargestFile int   // bytes of one
}

// ScanForm checks a whole body of multipart/form-data and finds its parts in one
// pass, without copying any. It refuses what two parsers could read differently:
// delimiters that are not exactly those of the boundary, or stand within a part;
// anything outside of the parts; header lines that are folded, end in a bare LF,
// or say the same thing twice; names with escapes; other encodings. The fields
// model and stream may stand once, as plain text without a file name, and in no
// other spelling; stream must be true or false. The error is an *Error with
// CodeParseError that names the byte.
func ScanForm(contentType string, body []byte, f *Form) error {
	*f = Form{}
	boundary, err := boundaryOf(contentType)
	if err != nil {
		return err
	}
	s := formScan{body: body, form: f, delimiter: append([]byte("--"), boundary...)}
	return s.read()
}

// formScan is the scan of one body.
type formScan struct {
	body      []byte
	form      *Form
	delimiter []byte
	named     struct{ model, stream bool }
}

// read goes from delimiter to delimiter. One CRLF may stand before the first and
// behind the last.
func (s *formScan) read() error {
	at := len(s.body) - len(bytes.TrimPrefix(s.body, []byte("\r\n")))
	if !bytes.HasPrefix(s.body[at:], s.delimiter) {
		return unreadable(at, "it must begin with the boundary that the Content-Type names")
	}
	for range MaxFormParts + 1 {
		at += len(s.delimiter)
		switch rest := s.body[at:]; {
		case bytes.HasPrefix(rest, []byte("\r\n")):
			at += len("\r\n")
		case string(rest) == "--", string(rest) == "--\r\n":
			return nil
		default:
			return unreadable(at, "a boundary must end its line, and -- behind the last one the body")
		}
		next, err := s.readPart(at)
		if err != nil {
			return err
		}
		at = next
	}
	return unreadable(at, fmt.Sprintf("it has more than %d parts", MaxFormParts))
}

// readPart reads the part that begins at a byte and returns where the delimiter
// behind it begins.
func (s *formScan) readPart(at int) (next int, err error) {
	length := bytes.Index(s.body[at:], s.delimiter)
	if length < 0 {
		return 0, unreadable(len(s.body), "the boundary that ends it is missing")
	}
	next = at + length
	if !bytes.HasSuffix(s.body[at:next], []byte("\r\n")) {
		return 0, unreadable(next, "a boundary must stand at the beginning of a line")
	}
	end := next - len("\r\n")
	p := part{}
	content, err := p.readHeader(s.body, Range{at, end})
	if err != nil {
		return 0, err
	}
	return next, s.record(&p, Range{content, end})
}

// record keeps a part if Relay reads it.
func (s *formScan) record(p *part, content Range) error {
	name := p.name.Of(s.body)
	if err := refuseFieldName(name, p.name); err != nil {
		return err
	}
	switch base, _, _ := bytes.Cut(name, []byte("[")); {
	case string(name) == "model":
		return s.recordModel(p, content)
	case string(name) == "stream":
		return s.recordStream(p, content)
	case IsSteering(base):
		s.form.Steering = p.name
	case p.isFile:
		s.recordFile(content)
	case string(name) == "n":
		s.form.N = content
	}
	return nil
}

func (s *formScan) recordModel(p *part, content Range) error {
	if s.named.model {
		return standsTwice("model", p.name.Start)
	}
	s.named.model, s.form.Model = true, content
	return p.checkText(s.body, content)
}

func (s *formScan) recordStream(p *part, content Range) error {
	switch text := string(content.Of(s.body)); {
	case s.named.stream:
		return standsTwice("stream", p.name.Start)
	case text != "true" && text != "false":
		return unreadable(content.Start, `the field "stream" must be true or false`)
	default:
		s.named.stream, s.form.Streamed = true, text == "true"
	}
	return p.checkText(s.body, content)
}

func (s *formScan) recordFile(content Range) {
	size := content.End - content.Start
	if s.form.File == (Range{}) {
		s.form.File = content
	}
	s.form.FileBytes += size
	s.form.Files++
	s.form.LargestFile = max(s.form.LargestFile, size)
}

func standsTwice(name string, at int) error {
	return unreadable(at, fmt.Sprintf("the field %q stands twice; send it once", name))
}
