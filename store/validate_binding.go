package store

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const maxParams = 64

func (f *faults) hostBinding(s *HostBindingSpec) {
	f.known("spec.shapes", texts(s.Shapes), texts(Shapes()))
	f.upstreamName(s.UpstreamName)
	f.params(s.Params)
	if s.Priority < 0 || s.Priority > maxWeight {
		f.add("spec.priority", "must be between 0 and %d; the smallest goes first", maxWeight)
	}
	f.weight("spec.weight", s.Weight)
}

func (f *faults) upstreamName(name string) {
	unfit := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }
	if len(name) > maxModelName || strings.ContainsFunc(name, unfit) {
		f.add("spec.upstreamName", "must be at most %d characters without blanks", maxModelName)
	}
}

func (f *faults) params(p *BindingParams) {
	if p == nil {
		return
	}
	f.members("spec.params.drop", p.Drop)
	f.members("spec.params.refuse", p.Refuse)
	for _, from := range slices.Sorted(maps.Keys(p.Rename)) {
		field := "spec.params.rename." + from
		f.member(field, from)
		f.member(field, p.Rename[from])
	}
	for _, name := range slices.Sorted(maps.Keys(p.Defaults)) {
		f.member("spec.params.defaults."+name, name)
		if !json.Valid(p.Defaults[name]) {
			f.add("spec.params.defaults."+name, "must be a JSON value")
		}
	}
	for i, name := range p.Refuse {
		if slices.Contains(p.Drop, name) {
			f.add(item("spec.params.refuse", i), "is dropped as well: choose one of drop and refuse")
		}
	}
}

func (f *faults) members(field string, names []string) {
	if len(names) > maxParams {
		f.add(field, "must be at most %d", maxParams)
	}
	for i, name := range names {
		f.member(item(field, i), name)
	}
	f.unique(field, names)
}

var memberPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// member checks the name of a member of a request's body.
func (f *faults) member(field, name string) {
	switch {
	case !memberPattern.MatchString(name):
		f.add(field, "must be the name of a request member, such as temperature")
	case name == "model", name == "stream":
		f.add(field, "must not be %s, which Relay needs itself", name)
	}
}

func (f *faults) hostKey(s *HostKeySpec) {
	f.keySource(s)
	value := s.Value.Reveal()
	unfit := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }
	switch {
	case value == "":
	case s.Source.Kind != "stored":
		f.add("spec.value", "goes with source.kind stored only")
	case strings.HasPrefix(value, RelayKeyPrefix):
		f.add("spec.value", "is a relay key of this gateway: give the key of the provider")
	case strings.ContainsFunc(value, unfit) || len(value) > maxAnnotation:
		f.add("spec.value", "must be one word of at most %s: check for blanks and line ends", byteCount(maxAnnotation))
	}
}

// ownSecret reports whether the environment variable is one that Relay reads
// its own secrets from.
func ownSecret(env string) bool {
	for _, own := range [...]string{"RELAY_MASTER_KEY", "RELAY_ADMIN_TOKEN", "RELAY_STATE_REDIS"} {
		if strings.HasPrefix(env, own) {
			return true
		}
	}
	return false
}

var envPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

func (f *faults) keySource(s *HostKeySpec) {
	source := s.Source
	if source.Kind != "env" && source.Env != "" {
		f.add("spec.source.env", "goes with kind env only")
	}
	if source.Kind != "file" && source.Path != "" {
		f.add("spec.source.path", "goes with kind file only")
	}
	switch source.Kind {
	case "env":
		if !envPattern.MatchString(source.Env) {
			f.add("spec.source.env", "must name an environment variable, such as OPENAI_API_KEY")
		}
		if ownSecret(source.Env) {
			f.add("spec.source.env", "holds a secret of Relay's own, which is sent to nobody: name the variable of the provider's key")
		}
	case "file":
		if source.Path == "" {
			f.add("spec.source.path", "must be the path of a file that holds the key")
		}
		f.addIf("spec.source.path", checkLine(source.Path, maxDescription))
	case "stored":
		if s.Value.IsZero() && s.ValueHash == "" {
			f.add("spec.value", "must be given for a stored key, or set source to {kind: env, env: NAME} or {kind: file, path: PATH}")
		}
	}
}
