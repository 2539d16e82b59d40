package cmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// none is what a flag takes to lift a cap or empty a list.
const none = "none"

// limitFlags are the texts of a limits shorthand by its members.
type limitFlags map[string]*string

// limitMembers are the members of a limits shorthand and what each counts.
func limitMembers() [][2]string {
	return [][2]string{
		{"rps", "requests a second"}, {"rpm", "requests a minute"}, {"rph", "requests an hour"}, {"rpd", "requests a day"},
		{"tpm", "tokens a minute"}, {"tpd", "tokens a day"}, {"concurrency", "requests in flight"},
	}
}

func registerLimits(flags *pflag.FlagSet) limitFlags {
	l := limitFlags{}
	for _, member := range limitMembers() {
		l[member[0]] = flags.String(member[0], "", "`N` "+member[1]+", or none")
	}
	return l
}

// patch returns the members that were given, as a merge patch: null lifts.
func (l limitFlags) patch(flags *pflag.FlagSet) (map[string]any, error) {
	limits := map[string]any{}
	for member, text := range l {
		if !flags.Changed(member) {
			continue
		}
		amount, err := parseAmount(*text)
		if err != nil {
			return nil, usagef("--%s %s: %v", member, *text, err)
		}
		limits[member] = amount
	}
	return limits, nil
}

// parseAmount returns a whole number above 0, or nil for none.
func parseAmount(text string) (any, error) {
	if text == none {
		return nil, nil
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || n <= 0 {
		return nil, fmt.Errorf("write a whole number above 0, or none to lift the cap")
	}
	return n, nil
}

// withoutNulls leaves out what a patch would lift: a new record has nothing to
// lift.
func withoutNulls(patch map[string]any) map[string]any {
	out := map[string]any{}
	for member, value := range patch {
		if nested, ok := value.(map[string]any); ok {
			value = withoutNulls(nested)
		}
		if value != nil {
			out[member] = value
		}
	}
	return out
}
