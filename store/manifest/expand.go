package manifest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var variablePattern = regexp.MustCompile(`^\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expand puts the values of variables in the place of ${NAME}; $$ is a dollar,
// and any other dollar stays. Values are not expanded again.
func expand(text string, lookup func(string) (string, bool)) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		switch {
		case strings.HasPrefix(rest, "$"):
			out.WriteByte('$')
			rest = rest[1:]
		case strings.HasPrefix(rest, "{"):
			name := variablePattern.FindStringSubmatch(rest)
			if name == nil {
				return "", errors.New("must name a variable in ${NAME}; for a dollar before a brace write $$")
			}
			value, err := variable(name[1], lookup)
			if err != nil {
				return "", err
			}
			out.WriteString(value)
			rest = rest[len(name[0]):]
		default:
			out.WriteByte('$')
		}
		text = rest
	}
}

func variable(name string, lookup func(string) (string, bool)) (string, error) {
	if lookup != nil {
		if value, set := lookup(name); set {
			return value, nil
		}
	}
	return "", fmt.Errorf("needs the environment variable %s, which is not set", name)
}

// protect is the inverse of expand: it doubles the dollars that expand would
// take for something else.
func protect(text string) string {
	var out strings.Builder
	for i := range len(text) {
		out.WriteByte(text[i])
		if text[i] == '$' && i+1 < len(text) && (text[i+1] == '$' || text[i+1] == '{') {
			out.WriteByte('$')
		}
	}
	return out.String()
}
