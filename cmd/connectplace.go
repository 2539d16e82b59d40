package cmd

import (
	"context"
	"maps"
	"slices"
	"strings"

	"relay/admin"
	"relay/store"
)

// fillBaseURL works out the base URL of a shipped host that leaves parts of it
// open, such as the name of a resource: from the flags, else by asking.
func (a *app) fillBaseURL(ctx context.Context, s *session, name string, flags *connectFlags) error {
	if flags.baseURL != "" {
		return unusedParts(name, flags.parts, nil)
	}
	host, err := admin.Get[store.HostSpec](ctx, s.Client, name)
	if refusedAs(err, store.CodeNotFound) {
		return unusedParts(name, flags.parts, nil)
	}
	if err != nil {
		return err
	}
	open := store.BaseURLPlaceholders(host.Spec.BaseURL)
	if err := unusedParts(name, flags.parts, open); err != nil || len(open) == 0 {
		return err
	}
	values := maps.Clone(flags.parts)
	if values == nil {
		values = map[string]string{}
	}
	for _, part := range open {
		if values[part] != "" {
			continue
		}
		if values[part], err = a.askPart(ctx, name, host.Spec.BaseURL, part); err != nil {
			return err
		}
	}
	flags.baseURL = store.FillBaseURL(host.Spec.BaseURL, values)
	return nil
}

// unusedParts refuses values that have no place in the base URL.
func unusedParts(name string, parts map[string]string, open []string) error {
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		switch {
		case len(open) == 0:
			return usagef("--set %s: the URL of %s leaves nothing open", part, name)
		case !slices.Contains(open, part):
			return usagef("--set %s: the URL of %s leaves open %s", part, name, strings.Join(open, ", "))
		case parts[part] == "":
			return usagef("--set %s: the value is missing", part)
		}
	}
	return nil
}

// askPart asks for one part on the terminal.
func (a *app) askPart(ctx context.Context, name, base, part string) (string, error) {
	if _, ok := a.terminal(); !ok {
		return "", usagef("the URL of %s is %s: give --set %s=VALUE", name, base, part)
	}
	text, err := a.askLine(ctx, "The URL of "+name+" is "+base+"\n"+part)
	if err == nil && text == "" {
		err = usagef("no %s, nothing is connected", part)
	}
	return text, err
}
