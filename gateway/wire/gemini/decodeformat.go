package gemini

import (
	"strings"

	"relay/gateway/wire/hub"
)

// format is what generationConfig says of the form of the answer, in several
// members.
type format struct {
	mime       hub.Text
	schema     []byte // a Schema of Google's
	jsonSchema []byte // JSON Schema, which wins
}

// read reads responseFormat, which newer clients write in place of the others
// (https://ai.google.dev/api/generate-content#ResponseFormat).
func (f *format) read(r *hub.Request, value []byte) {
	for each := range elements(value) {
		for kind, value := range hub.Members(each) {
			if string(kind) != "text" {
				r.Set(hub.AudioOutput, "generationConfig.responseFormat", value)
				continue
			}
			f.mime, f.jsonSchema = textOf(value, "mimeType"), memberOf(value, "schema")
		}
	}
}

// tell gives the request the format. A schema says by itself that JSON is meant.
func (f *format) tell(r *hub.Request) error {
	switch mime := strings.ToLower(f.mime.String()); {
	case mime == "text/x.enum":
		return unsupported("generationConfig.responseMimeType", "asks for one word of a list")
	case f.jsonSchema != nil:
		r.Format = hub.Format{Kind: hub.FormatSchema, Schema: f.jsonSchema}
	case f.schema != nil:
		r.Format = hub.Format{Kind: hub.FormatSchema, Schema: appendJSONSchema(nil, f.schema)}
	case mime == "application/json" || mime == "application_json":
		r.Format.Kind = hub.FormatJSON
	case mime != "" && mime != "text/plain" && mime != "text_plain":
		return hub.Bad("generationConfig.responseMimeType", "must be text/plain or application/json")
	}
	return nil
}
