package cmd

import (
	"fmt"
	"strings"
)

// expand puts the values of variables in the place of ${NAME}; $$ is a dollar,
// and any other dollar stays.
func expand(text string, env Environment) (string, error) {
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
			text = rest[1:]
		case strings.HasPrefix(rest, "{"):
			name, after, closed := strings.Cut(rest[1:], "}")
			if !closed || !isVariableName(name) {
				return "", fmt.Errorf("%q does not read as ${VARIABLE}; write $$ for a dollar", "$"+rest)
			}
			value, set := env(name)
			if !set {
				return "", fmt.Errorf("the environment variable %s is not set", name)
			}
			out.WriteString(value)
			text = after
		default:
			out.WriteByte('$')
			text = rest
		}
	}
}

func isVariableName(name string) bool {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
