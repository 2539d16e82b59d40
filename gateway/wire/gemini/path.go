package gemini

import (
	"net/url"
	"strings"
)

const modelsPrefix, tunedPrefix = "models/", "tunedModels/"

// SplitPath splits what stands behind /models/ in the escaped path of a call
// into the model's name, unescaped, and the verb. Names may hold slashes and
// colons, so that the verb stands behind the last colon; both may be written as
// they are or escaped. models/ before the name is left out. ok is false where
// one of the two is missing or an escape is none.
func SplitPath(rest string) (model, verb string, ok bool) {
	at, behind := lastColon(rest)
	if behind == 0 {
		return "", "", false
	}
	name, err := url.PathUnescape(rest[:at])
	if err != nil {
		return "", "", false
	}
	model, verb = strings.TrimPrefix(name, modelsPrefix), rest[behind:]
	if model == "" || verb == "" {
		return "", "", false
	}
	return model, verb, true
}

// lastColon returns where the last colon of an escaped path begins, and what
// follows it; 0 when there is none.
func lastColon(escaped string) (at, behind int) {
	at = strings.LastIndexByte(escaped, ':')
	if at >= 0 {
		behind = at + len(":")
	}
	for _, colon := range [...]string{"%3A", "%3a"} {
		if i := strings.LastIndex(escaped, colon); i > at {
			at, behind = i, i+len(colon)
		}
	}
	return at, behind
}

// Path returns the path of a call behind the version segment, unescaped: it is
// for the Path of a url.URL, which escapes what must be when it is written.
// Slashes and colons of the name stay as they are.
func Path(model, verb string) string { return "/" + resource(model) + ":" + verb }

// resource is the name of a model as the API writes it: with models/, save for
// one that says tunedModels/.
func resource(model string) string {
	if strings.HasPrefix(model, modelsPrefix) || strings.HasPrefix(model, tunedPrefix) {
		return model
	}
	return modelsPrefix + model
}
