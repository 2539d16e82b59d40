package hub

import "bytes"

// After returns what stands behind the first of a text in a body. rare is the place
// in the text of a byte that it has not before, and that bodies seldom have: to
// search for one byte is many times as fast as to search for a text.
func After(body []byte, text string, rare int) (rest []byte, found bool) {
	for {
		at := bytes.IndexByte(body, text[rare])
		if at < 0 {
			return nil, false
		}
		if at >= rare && bytes.HasPrefix(body[at-rare:], []byte(text)) {
			return body[at-rare+len(text):], true
		}
		body = body[at+1:]
	}
}
