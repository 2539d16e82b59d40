package wire_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"relay/gateway/wire"
)

// table is the table of errors that callers program against.
const table = `
400 invalid_request_error parse_error missing_model unsupported_param translate_request output_limit_required
400 invalid_request_error request_too_large_for_limit input_too_large media_too_large embeddings_unsupported_host
400 invalid_request_error unknown_upstream_host bad_tags blocked_param
401 authentication_error unauthenticated ambiguous_credentials key_disabled key_expired key_revoked token_expired token_revoked
403 permission_error model_not_allowed model_disabled endpoint_not_allowed capability_not_allowed account_not_allowed
403 permission_error no_policy policy_disabled proxy_disabled ip_restricted origin_not_allowed
404 invalid_request_error model_not_found not_found
405 invalid_request_error method_not_allowed
408 invalid_request_error request_timeout
413 invalid_request_error request_too_large
415 invalid_request_error unsupported_encoding
421 invalid_request_error misdirected_host
426 invalid_request_error upgrade_not_supported
431 invalid_request_error headers_too_large
429 rate_limit_exceeded rate_limit_exceeded org_rate_limit_exceeded concurrency_limit_exceeded budget_exceeded
500 server_error internal_error
502 upstream_error upstream_unavailable upstream_unreachable upstream_auth upstream_redirect upstream_invalid_response
504 upstream_error upstream_timeout
503 server_error no_keys no_host_binding overloaded limiter_unavailable limit_missing record_invalid usage_unavailable starting
508 server_error loop_detected
`

func TestNewError_GivesEachCodeItsStatusAndType(t *testing.T) {
	listed := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		fields := strings.Fields(line)
		for _, code := range fields[2:] {
			listed[code] = true
			e := wire.NewError(code, "text")
			if strconv.Itoa(e.Status) != fields[0] || e.Type != fields[1] || e.Code != code || e.Error() != "text" {
				t.Errorf("%s: got %+v", code, e)
			}
		}
	}
	for _, code := range declaredCodes(t) {
		if !listed[code] {
			t.Errorf("code %s is not in the table", code)
		}
	}
}

func declaredCodes(t *testing.T) (codes []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && strings.HasPrefix(spec.Names[0].Name, "Code") {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	return codes
}

func TestNewError_TakesAnUnknownCodeForAnInternalError(t *testing.T) {
	if e := wire.Errorf("strange", "%d things", 2); e.Status != 500 || e.Type != wire.TypeServer || e.Message != "2 things" {
		t.Errorf("got %+v", e)
	}
}

func TestRetrySeconds_RoundsUpToAtLeastOne(t *testing.T) {
	for wait, want := range map[time.Duration]int64{
		-time.Second: 0, 0: 0, 1: 1, time.Second: 1, time.Second + 1: 2, 1500 * time.Millisecond: 2, time.Minute: 60,
	} {
		if got := wire.RetrySeconds(wait); got != want {
			t.Errorf("%v: got %d, want %d", wait, got, want)
		}
	}
}
