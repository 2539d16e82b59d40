package responses

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// body is a request that is being written.
type body struct {
	dst  []byte
	r    *hub.Request
	to   hub.Target
	more []byte // the caller's members for this shape, which come last and win
}

// Encode writes the body of POST /responses.
func (Hub) Encode(dst []byte, r *hub.Request, to hub.Target) ([]byte, error) {
	if len(r.Items) == 0 {
		return dst, hub.Bad("the conversation", "must hold a message that says something")
	}
	b := &body{dst: wire.AppendText(dst, `{"model":`, to.Model), r: r, to: to, more: r.Extension(shape)}
	if to.Streamed {
		b.dst = append(b.dst, `,"stream":true`...)
	}
	b.put("store", []byte("false"))
	b.put("include", []byte(`["reasoning.encrypted_content"]`))
	b.putConversation()
	b.putTools()
	b.putText()
	b.putReasoning()
	b.putSimple()
	b.putMore()
	b.left()
	return append(b.dst, '}'), nil
}

// member begins a member, unless the caller's own for this shape takes its place.
func (b *body) member(name string) bool {
	if b.more != nil && hub.MemberOf(b.more, name) != nil {
		return false
	}
	b.dst = append(append(append(b.dst, `,"`...), name...), `":`...)
	return true
}

// put writes a member, if it has a value.
func (b *body) put(name string, value []byte) {
	if value != nil && b.member(name) {
		b.dst = append(b.dst, value...)
	}
}

// putSimple writes the parameters that are members by themselves.
func (b *body) putSimple() {
	for _, m := range [...]struct {
		name string
		p    hub.Param
	}{
		{"temperature", hub.Temperature}, {"top_p", hub.TopP}, {"safety_identifier", hub.SafetyIdentifier},
		{"metadata", hub.Metadata}, {"prompt_cache_key", hub.CacheKey}, {"prompt_cache_retention", hub.CacheRetention},
		{"truncation", hub.Truncation}, {"max_tool_calls", hub.MaxToolCalls},
	} {
		b.put(m.name, b.r.Param(m.p))
	}
	b.put("user", b.r.UserWithin(64))
	b.put("max_output_tokens", atLeast(b.r.Param(hub.MaxTokens)))
	b.put("service_tier", tierOf(b.r.Param(hub.ServiceTier)))
}

// atLeast returns a limit of output that OpenAI accepts: 16 tokens are the least.
func atLeast(limit []byte) []byte {
	var u wire.Usage
	if limit != nil && u.Count(limit) < 16 && !u.Flagged {
		return []byte("16")
	}
	return limit
}

// tierOf returns a service tier in OpenAI's words.
func tierOf(tier []byte) []byte {
	if string(tier) == `"standard_only"` {
		return []byte(`"default"`)
	}
	return tier
}

// putText writes what the text of the answer must be.
func (b *body) putText() {
	f, verbosity := &b.r.Format, b.r.Param(hub.Verbosity)
	if f.Kind == hub.FormatText && verbosity == nil || !b.member("text") {
		return
	}
	b.dst = append(b.dst, '{')
	if f.Kind != hub.FormatText {
		b.dst = appendFormat(append(b.dst, `"format":`...), f)
	}
	if verbosity != nil {
		if f.Kind != hub.FormatText {
			b.dst = append(b.dst, ',')
		}
		b.dst = append(append(b.dst, `"verbosity":`...), verbosity...)
	}
	b.dst = append(b.dst, '}')
}

// appendFormat writes a format. A schema must have a name.
func appendFormat(dst []byte, f *hub.Format) []byte {
	if f.Kind == hub.FormatJSON || hub.IsNull(f.Schema) {
		return append(dst, `{"type":"json_object"}`...)
	}
	name := f.Name
	if len(name) == 0 {
		name = hub.Text("answer")
	}
	dst = name.AppendAfter(dst, `{"type":"json_schema","name":`)
	if len(f.About) > 0 {
		dst = f.About.AppendAfter(dst, `,"description":`)
	}
	dst = append(append(dst, `,"schema":`...), f.Schema...)
	switch f.Strict {
	case hub.Yes:
		dst = append(dst, `,"strict":true`...)
	case hub.No:
		dst = append(dst, `,"strict":false`...)
	}
	return append(dst, '}')
}

// putReasoning writes how much the model may think. Callers of other shapes read
// thoughts where there are any, so a summary of them is asked for.
func (b *body) putReasoning() {
	effort, summary := b.r.Reasoning.AsEffort(), b.r.Reasoning.Summary
	if summary == "" && b.r.Reasoning.Asked() && effort != "none" && len(b.r.Echo) == 0 { // a caller of this shape says so itself
		summary = "auto"
	}
	if summary == "none" {
		summary = ""
	}
	if effort == "" && summary == "" || !b.member("reasoning") {
		return
	}
	before := "{"
	if effort != "" {
		b.dst = wire.AppendText(b.dst, `{"effort":`, effort)
		before = ","
	}
	if summary != "" {
		b.dst = wire.AppendText(b.dst, before+`"summary":`, summary)
	}
	b.dst = append(b.dst, '}')
}

// putMore writes the caller's members for this shape. Which model answers, and
// how, is not for them to say.
func (b *body) putMore() {
	for name, value := range hub.Members(b.more) {
		switch string(name) {
		case "model", "stream":
		default:
			b.dst = wire.AppendText(b.dst, ",", string(name))
			b.dst = append(append(b.dst, ':'), value...)
		}
	}
}
