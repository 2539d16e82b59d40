package store

import (
	"slices"
	"strings"
)

// isToken reports whether text is a token of RFC 9110, which header names are.
func isToken(text string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	for i := range len(text) {
		c := text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte(marks, c) < 0 {
			return false
		}
	}
	return text != "" && len(text) <= maxLabelKey
}

func isCredentialHeader(name string) bool {
	return slices.Contains([]string{
		"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key",
		"cookie", "set-cookie", "x-relay-key", "x-auth-token", "x-amz-security-token",
	}, strings.ToLower(name))
}

// isConnectionHeader finds the headers that belong to one connection or to the
// message's framing.
func isConnectionHeader(name string) bool {
	return slices.Contains([]string{
		"host", "content-length", "transfer-encoding", "content-encoding", "connection", "keep-alive",
		"proxy-connection", "upgrade", "te", "trailer", "expect", "relay-hops",
	}, strings.ToLower(name))
}

func isHeaderControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
