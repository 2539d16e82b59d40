package store

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// NormalizeBaseURL takes from a pasted URL what is no part of a base URL: blanks
// and slashes around it and the path of a call such as /chat/completions. The
// note says in words what was taken away; it is empty when nothing was.
func NormalizeBaseURL(pasted string) (base, note string) {
	base = lowerHost(strings.TrimRight(strings.TrimSpace(pasted), "/"))
	for {
		shorter := base
		for _, suffix := range callPaths() {
			shorter = strings.TrimRight(strings.TrimSuffix(shorter, suffix), "/")
		}
		if shorter == base {
			break
		}
		base = shorter
	}
	if base != pasted {
		note = fmt.Sprintf("base URL taken as %s: paths of calls and slashes at the end are not part of it", base)
	}
	return base, note
}

// callPaths lists the ends of URLs that people copy out of documentation.
func callPaths() []string {
	return []string{
		"/chat/completions", "/completions", "/responses", "/messages", "/embeddings", "/models",
		"/api/chat", "/api/generate", "/api/embed", "/api/tags",
	}
}

func lowerHost(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return text
	}
	host, path, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(host, "@?#{") {
		return text
	}
	out := strings.ToLower(scheme) + "://" + strings.ToLower(host)
	if path != "" {
		out += "/" + path
	}
	return out
}

// BaseURLPlaceholders returns the names in braces that a shipped base URL still
// holds: resource, region, project, location. A host with any cannot be called.
func BaseURLPlaceholders(base string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(base, -1) {
		names = append(names, match[1])
	}
	return names
}

// FillBaseURL puts values, by name, in the place of what a shipped base URL
// leaves open. Names without a value stay open.
func FillBaseURL(base string, values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(base, func(open string) string {
		if value, given := values[open[1:len(open)-1]]; given {
			return value
		}
		return open
	})
}

var placeholder = regexp.MustCompile(`\{(resource|region|project|location)\}`)

// checkBaseURL returns the parsed URL, or what is wrong with it.
func checkBaseURL(text string) (*url.URL, string) {
	u, err := url.Parse(placeholder.ReplaceAllString(text, "x"))
	switch {
	case text == "":
		return nil, "must be given: the URL that the provider's SDKs use, such as https://api.openai.com/v1"
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, "must be an http:// or https:// URL with a host, such as https://api.openai.com/v1"
	case u.User != nil:
		return nil, "must not hold a user name or password: make a host key for the credential"
	case u.RawQuery != "" || u.ForceQuery:
		return nil, "must not have a query: leave out what follows the question mark"
	case u.Fragment != "" || strings.Contains(text, "#"):
		return nil, "must not have a fragment: leave out what follows the number sign"
	case !validPort(u):
		return nil, "must have a port between 1 and 65535, or none"
	}
	if why := checkHostName(u.Hostname()); why != "" {
		return nil, u.Hostname() + " " + why
	}
	if base, _ := NormalizeBaseURL(text); base != text {
		return nil, "must be written as " + base
	}
	return u, ""
}

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.Atoi(u.Port())
	return err == nil && port >= 1 && port <= 65535
}
