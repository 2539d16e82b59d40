package wire

import "net/http"

// The codes that callers see: one condition, one code, on every shape.
const (
	CodeParseError            = "parse_error"
	CodeMissingModel          = "missing_model"
	CodeUnsupportedParam      = "unsupported_param"
	CodeTranslateRequest      = "translate_request"
	CodeOutputLimitRequired   = "output_limit_required"
	CodeRequestTooLargeLimit  = "request_too_large_for_limit"
	CodeInputTooLarge         = "input_too_large"
	CodeMediaTooLarge         = "media_too_large"
	CodeEmbeddingsUnsupported = "embeddings_unsupported_host"
	CodeUnknownUpstreamHost   = "unknown_upstream_host"
	CodeBadTags               = "bad_tags"
	CodeBlockedParam          = "blocked_param"
	CodeUnauthenticated       = "unauthenticated"
	CodeAmbiguousCredentials  = "ambiguous_credentials"
	CodeKeyDisabled           = "key_disabled"
	CodeKeyExpired            = "key_expired"
	CodeKeyRevoked            = "key_revoked"
	CodeTokenExpired          = "token_expired"
	CodeTokenRevoked          = "token_revoked"
	CodeModelNotAllowed       = "model_not_allowed"
	CodeModelDisabled         = "model_disabled"
	CodeEndpointNotAllowed    = "endpoint_not_allowed"
	CodeCapabilityNotAllowed  = "capability_not_allowed"
	CodeAccountNotAllowed     = "account_not_allowed"
	CodeNoPolicy              = "no_policy"
	CodePolicyDisabled        = "policy_disabled"
	CodeProxyDisabled         = "proxy_disabled"
	CodeIPRestricted          = "ip_restricted"
	CodeOriginNotAllowed      = "origin_not_allowed"
	CodeModelNotFound         = "model_not_found"
	CodeNotFound              = "not_found"
	CodeMethodNotAllowed      = "method_not_allowed"
	CodeUpgradeNotSupported   = "upgrade_not_supported"
	CodeRequestTimeout        = "request_timeout"
	CodeRequestTooLarge       = "request_too_large"
	CodeUnsupportedEncoding   = "unsupported_encoding"
	CodeMisdirectedHost       = "misdirected_host"
	CodeHeadersTooLarge       = "headers_too_large"
	CodeRateLimitExceeded     = "rate_limit_exceeded"
	CodeOrgRateLimitExceeded  = "org_rate_limit_exceeded"
	CodeConcurrencyExceeded   = "concurrency_limit_exceeded"
	CodeBudgetExceeded        = "budget_exceeded"
	CodeInternalError         = "internal_error"
	CodeUpstreamUnavailable   = "upstream_unavailable"
	CodeUpstreamUnreachable   = "upstream_unreachable"
	CodeUpstreamAuth          = "upstream_auth"
	CodeUpstreamRedirect      = "upstream_redirect"
	CodeUpstreamInvalid       = "upstream_invalid_response"
	CodeUpstreamTimeout       = "upstream_timeout"
	CodeNoKeys                = "no_keys"
	CodeNoHostBinding         = "no_host_binding"
	CodeOverloaded            = "overloaded"
	CodeLimiterUnavailable    = "limiter_unavailable"
	CodeLimitMissing          = "limit_missing"
	CodeRecordInvalid         = "record_invalid"
	CodeUsageUnavailable      = "usage_unavailable"
	CodeStarting              = "starting"
	CodeLoopDetected          = "loop_detected"
)

// The canonical error types.
const (
	TypeInvalidRequest = "invalid_request_error"
	TypeAuthentication = "authentication_error"
	TypePermission     = "permission_error"
	TypeRateLimit      = "rate_limit_exceeded"
	TypeServer         = "server_error"
	TypeUpstream       = "upstream_error"
)

// statusOf is the one table from codes to status. An unknown code is 500.
func statusOf(code string) int {
	switch code {
	case CodeParseError, CodeMissingModel, CodeUnsupportedParam, CodeTranslateRequest, CodeOutputLimitRequired,
		CodeRequestTooLargeLimit, CodeInputTooLarge, CodeMediaTooLarge, CodeEmbeddingsUnsupported,
		CodeUnknownUpstreamHost, CodeBadTags, CodeBlockedParam:
		return http.StatusBadRequest
	case CodeUnauthenticated, CodeAmbiguousCredentials, CodeKeyDisabled, CodeKeyExpired, CodeKeyRevoked,
		CodeTokenExpired, CodeTokenRevoked:
		return http.StatusUnauthorized
	case CodeModelNotAllowed, CodeModelDisabled, CodeEndpointNotAllowed, CodeCapabilityNotAllowed,
		CodeAccountNotAllowed, CodeNoPolicy, CodePolicyDisabled, CodeProxyDisabled, CodeIPRestricted,
		CodeOriginNotAllowed:
		return http.StatusForbidden
	case CodeModelNotFound, CodeNotFound:
		return http.StatusNotFound
	case CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case CodeRequestTimeout:
		return http.StatusRequestTimeout
	case CodeRequestTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeUnsupportedEncoding:
		return http.StatusUnsupportedMediaType
	case CodeMisdirectedHost:
		return http.StatusMisdirectedRequest
	case CodeUpgradeNotSupported:
		return http.StatusUpgradeRequired
	case CodeHeadersTooLarge:
		return http.StatusRequestHeaderFieldsTooLarge
	case CodeRateLimitExceeded, CodeOrgRateLimitExceeded, CodeConcurrencyExceeded, CodeBudgetExceeded:
		return http.StatusTooManyRequests
	case CodeUpstreamUnavailable, CodeUpstreamUnreachable, CodeUpstreamAuth, CodeUpstreamRedirect, CodeUpstreamInvalid:
		return http.StatusBadGateway
	case CodeUpstreamTimeout:
		return http.StatusGatewayTimeout
	case CodeNoKeys, CodeNoHostBinding, CodeOverloaded, CodeLimiterUnavailable, CodeLimitMissing, CodeRecordInvalid,
		CodeUsageUnavailable, CodeStarting:
		return http.StatusServiceUnavailable
	case CodeLoopDetected:
		return http.StatusLoopDetected
	}
	return http.StatusInternalServerError
}

// typeOf returns the canonical type that goes with a status.
func typeOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return TypeAuthentication
	case http.StatusForbidden:
		return TypePermission
	case http.StatusTooManyRequests:
		return TypeRateLimit
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return TypeUpstream
	}
	if status >= http.StatusInternalServerError {
		return TypeServer
	}
	return TypeInvalidRequest
}
