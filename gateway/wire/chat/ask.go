package chat

import "relay/gateway/wire"

const includeUsage = "include_usage"

// WantsUsage reports whether stream_options.include_usage is true.
func (Codec) WantsUsage(body []byte, m *wire.Members) bool {
	if !isObject(body, m.StreamOptions) {
		return false
	}
	value, _ := wire.Member(body, m.StreamOptions, includeUsage)
	return string(value.Of(body)) == "true"
}

// AskUsage returns the edit that makes a streamed request ask for the usage
// chunk and keeps the other stream options. There is none when the request asks
// already, and none for stream options that are no object: those are the
// upstream's to refuse.
func (c Codec) AskUsage(body []byte, m *wire.Members) (wire.Edit, bool) {
	options := m.StreamOptions
	switch {
	case !options.Present():
		end := wire.Range{Start: m.Close, End: m.Close}
		return wire.Edit{At: end, Text: `,"stream_options":{"include_usage":true}`}, true
	case string(options.Of(body)) == "null":
		return wire.Edit{At: options, Text: `{"include_usage":true}`}, true
	case !isObject(body, options), c.WantsUsage(body, m):
		return wire.Edit{}, false
	}
	return askWithin(body, options), true
}

func askWithin(body []byte, options wire.Range) wire.Edit {
	value, empty := wire.Member(body, options, includeUsage)
	if value.Present() {
		return wire.Edit{At: value, Text: "true"}
	}
	text := `"include_usage":true,`
	if empty {
		text = `"include_usage":true`
	}
	inside := options.Start + 1
	return wire.Edit{At: wire.Range{Start: inside, End: inside}, Text: text}
}

func isObject(body []byte, r wire.Range) bool { return r.Present() && body[r.Start] == '{' }
