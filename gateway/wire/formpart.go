package wire

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// part is what the header lines of one part of a form say.
type part struct {
	name   Range
	isFile bool

	isText bool // its type is plain text in UTF-8, or it tells none

	hasDisposition, hasFileName, hasFileNameExt, hasType, hasEncoding bool
}

// readHeader reads the header lines of the part at a range and returns where
// its content begins.
func (p *part) readHeader(body []byte, at Range) (content int, err error) {
	p.isText = true
	within := at.Of(body)
	length := bytes.Index(within[:min(len(within), maxPartHeader)], []byte("\r\n\r\n"))
	if length < 0 {
		return 0, unreadable(at.Start, "the header lines of a part do not end, or have more than 8 KiB")
	}
	for line := range bytes.SplitSeq(within[:length], []byte("\r\n")) {
		if err := p.readLine(body, line, at.Start); err != nil {
			return 0, err
		}
		at.Start += len(line) + len("\r\n")
	}
	if !p.name.Present() {
		return 0, unreadable(at.Start, "a part has no Content-Disposition with a name")
	}
	return at.Start + len("\r\n"), nil
}

// readLine reads one header line, which begins at a byte. Names are told apart
// without regard to case.
func (p *part) readLine(body, line []byte, at int) error {
	name, value, found := bytes.Cut(line, []byte(":"))
	if !found || !isToken(string(name)) || bytes.ContainsFunc(value, isControl) {
		return unreadable(at, "a header line of a part is not well formed")
	}
	value = bytes.TrimLeft(value, " \t")
	text := Range{at + len(line) - len(value), at + len(line) - len(value) + len(bytes.TrimRight(value, " \t"))}
	switch strings.ToLower(string(name)) {
	case "content-disposition":
		return p.readDisposition(body, text)
	case "content-type":
		return p.readType(body, text)
	case "content-transfer-encoding":
		return p.readEncoding(body, text)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// readType reads a part's media type.
func (p *part) readType(body []byte, text Range) error {
	kind := strings.ToLower(string(text.Of(body)))
	if p.hasType || strings.HasPrefix(kind, "multipart/") {
		return unreadable(text.Start, "a part may have one Content-Type, and hold no other parts")
	}
	p.hasType = true
	kind, charset, _ := strings.Cut(kind, ";")
	charset = strings.Trim(strings.TrimPrefix(strings.TrimSpace(charset), "charset="), `"`)
	p.isText = kind == "text/plain" && (charset == "" || charset == "utf-8" || charset == "us-ascii")
	return nil
}

// readEncoding reads a part's transfer encoding. RFC 7578, section 4.7, has none;
// those that leave the bytes as they are do no harm.
func (p *part) readEncoding(body []byte, text Range) error {
	encoding := strings.ToLower(string(text.Of(body)))
	if p.hasEncoding || encoding != "7bit" && encoding != "8bit" && encoding != "binary" {
		return unreadable(text.Start, "the Content-Transfer-Encoding of a part must be binary")
	}
	p.hasEncoding = true
	return nil
}

// checkText refuses a field that one reader could take for a file and another
// for text, or decode in another way.
func (p *part) checkText(body []byte, content Range) error {
	text := content.Of(body)
	if p.isFile || !p.isText || !utf8.Valid(text) || bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return unreadable(p.name.Start, "the field must be plain text in UTF-8, without a file name")
	}
	return nil
}
