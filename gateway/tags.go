package gateway

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"relay/gateway/wire"
)

// Bounds of X-Relay-Tags, in bytes save for the number of keys.
const (
	maxTagBytes = 2 << 10
	maxTags     = 16
	maxTagKey   = 64
	maxTagValue = 256
)

// readTags puts the caller's tags into the usage event.
func (x *exchange) readTags() error {
	lines := x.r.Header["X-Relay-Tags"]
	if lines == nil {
		lines = x.r.Header["X-Wr-Request-Tags"]
	}
	if lines == nil {
		return nil
	}
	tags, err := parseTags(lines)
	if err != nil {
		return wire.NewError(wire.CodeBadTags, "X-Relay-Tags "+err.Error()+`. Send one flat JSON object of strings, such as {"team":"search"}.`)
	}
	x.event.Tags = tags
	return nil
}

func parseTags(lines []string) (map[string]string, error) {
	text := lines[0]
	switch {
	case len(lines) > 1:
		return nil, errors.New("stands more than once")
	case len(text) > maxTagBytes:
		return nil, errors.New("is longer than 2 KiB")
	case !utf8.ValidString(text):
		return nil, errors.New("is not valid UTF-8")
	}
	d := json.NewDecoder(strings.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("is not a JSON object")
	}
	tags := map[string]string{}
	for d.More() {
		if err := addTag(tags, d); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("is not a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("goes on after its object")
	}
	return tags, nil
}

// addTag reads one member.
func addTag(tags map[string]string, d *json.Decoder) error {
	name, err := d.Token()
	if err != nil {
		return errors.New("is not a JSON object")
	}
	value, err := d.Token()
	key, _ := name.(string)
	text, isText := value.(string)
	switch _, twice := tags[key]; {
	case err != nil:
		return errors.New("is not a JSON object")
	case !isText:
		return errors.New("has a value that is no string under " + quoted(key))
	case twice:
		return errors.New("has the key " + quoted(key) + " twice")
	case len(tags) == maxTags:
		return errors.New("has more than 16 keys")
	case key == "" || len(key) > maxTagKey:
		return errors.New("has a key that is empty or longer than 64 bytes")
	case len(text) > maxTagValue:
		return errors.New("has a value longer than 256 bytes under " + quoted(key))
	case strings.ContainsFunc(key+text, unicode.IsControl):
		return errors.New("holds control characters under " + quoted(key))
	}
	tags[key] = text
	return nil
}
