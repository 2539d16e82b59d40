package wire_test

import (
	"testing"
	"time"

	"relay/gateway/wire"
)

// said are error answers as servers give them, and what they say of the key.
var said = []struct {
	name   string
	status int
	body   string
	want   wire.Class
}{
	{"a bad request", 400, `{"error":{"message":"'messages' is required; see the account settings and billing details","type":"invalid_request_error","code":null}}`, wire.ClassRequest},
	{"a bad argument", 400, `[{"error":{"code":400,"message":"Invalid value for API key field of the tool","status":"INVALID_ARGUMENT"}}]`, wire.ClassRequest},
	{"a key unknown to Google", 400, `[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]`, wire.ClassAuth},
	{"an account without money at Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."},"request_id":"req_1"}`, wire.ClassAuth},
	{"a caller who speaks of such an account", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"tools.0.name: 'Your credit balance is too low' does not match"}}`, wire.ClassRequest},
	{"such a text under another type", 400, `{"error":{"type":"bad_prompt","message":"Your credit balance is too low to access"}}`, wire.ClassRequest},
	{"an unprocessable body", 422, `{"detail":[{"loc":["body","model"],"msg":"field required"}]}`, wire.ClassRequest},
	{"an unknown model", 404, `{"error":{"message":"The model does not exist or you do not have access to it.","code":"model_not_found"}}`, wire.ClassRequest},
	{"a conflict", 409, ``, wire.ClassRequest},

	{"a wrong key", 401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`, wire.ClassAuth},
	{"a 401 without a body", 401, ``, wire.ClassAuth},
	{"a 401 about a model", 401, `{"error":{"message":"model m"}}`, wire.ClassAuth},
	{"no balance", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error"}}`, wire.ClassAuth},
	{"no credits", 402, `{"error":{"message":"This request requires more credits for model m","code":402}}`, wire.ClassAuth},

	{"a bare refusal", 403, `{"error":{"message":"Forbidden"}}`, wire.ClassRequest},
	{"a 403 without a body", 403, ``, wire.ClassRequest},
	{"a region", 403, `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","type":"request_forbidden"}}`, wire.ClassRequest},
	{"a moderated prompt", 403, `{"error":{"message":"The chosen model requires moderation and the input was flagged","code":403}}`, wire.ClassRequest},
	{"a firewall", 403, `<html><title>Access denied</title>You do not have permission to view this account's page</html>`, wire.ClassRequest},
	{"a network rule", 403, `{"error":{"code":"AccessDenied","message":"Access denied due to firewall rules."}}`, wire.ClassRequest},
	{"a model that the key may not use", 403, `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use model m"}}`, wire.ClassRequest},
	{"a model that the project may not use", 403, `{"error":{"message":"Project p does not have access to model m","type":"invalid_request_error","code":"model_not_found"}}`, wire.ClassRequest},
	{"a model that must be unlocked", 403, `{"error":{"message":"Your organization must be verified to use the model m"}}`, wire.ClassRequest},
	{"a tuned model", 403, `[{"error":{"code":403,"message":"You do not have permission to access tuned model tunedModels/x","status":"PERMISSION_DENIED"}}]`, wire.ClassRequest},

	{"a key without the right", 403, `{"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}`, wire.ClassAuth},
	{"a type alone", 403, `{"error":{"type":"permission_error","message":"no"}}`, wire.ClassAuth},
	{"a code alone", 403, `{"error":{"code":"account_deactivated","message":"no"}}`, wire.ClassAuth},
	{"a code that knows the model too", 403, `{"error":{"code":"access_terminated","message":"no model for you"}}`, wire.ClassAuth},
	{"missing scopes", 403, `{"error":{"message":"You have insufficient permissions for this operation. Missing scopes: model.request. Check that your API key has the necessary scopes."}}`, wire.ClassAuth},
	{"a leaked key", 403, `[{"error":{"code":403,"message":"Your API key was reported as leaked. Please use another API key.","status":"PERMISSION_DENIED"}}]`, wire.ClassAuth},
	{"a suspended consumer", 403, `{"error":{"code":403,"message":"Permission denied: Consumer has been suspended.","status":"PERMISSION_DENIED","details":[{"reason":"CONSUMER_SUSPENDED"}]}}`, wire.ClassAuth},
	{"a reason alone", 403, `{"error":{"code":403,"message":"Requests to this API are blocked for models.","status":"DENIED","details":[{"reason":"API_KEY_SERVICE_BLOCKED"}]}}`, wire.ClassAuth},
	{"a service that is off", 403, `{"error":{"code":403,"message":"The service has not been used in project 1 before or it is disabled.","status":"PERMISSION_DENIED","details":[{"reason":"SERVICE_DISABLED"}]}}`, wire.ClassAuth},
	{"billing", 403, `{"error":{"type":"billing_error","message":"no"}}`, wire.ClassAuth},
	{"billing of a model", 403, `{"error":{"message":"This model is paid, and there is insufficient credit on the account."}}`, wire.ClassAuth},
	{"a team without credits", 403, `{"code":"The caller does not have permission to execute the specified operation","error":"Your team doesn't have any credits yet."}`, wire.ClassAuth},
	{"a key's own limit", 403, `{"error":{"message":"Key limit exceeded (total limit).","code":403}}`, wire.ClassAuth},
	{"a suspended account", 403, `{"error":"Your account has been suspended; models are not available"}`, wire.ClassAuth},

	{"too fast", 429, `{"error":{"message":"Rate limit reached for model m in organization o on requests per min. Visit the account page to learn more.","type":"requests","code":"rate_limit_exceeded"}}`, wire.ClassRateLimit},
	{"too fast for the shape", 429, `{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`, wire.ClassRateLimit},
	{"a 429 without a body", 429, ``, wire.ClassRateLimit},
	{"pace that speaks of billing", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`, wire.ClassRateLimit},
	{"no quota", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, wire.ClassQuota},
	{"no quota by type", 429, `{"error":{"type":"exceeded_current_quota_error","message":"m"}}`, wire.ClassQuota},
	{"a hard limit", 429, `{"error":{"code":"billing_hard_limit_reached","message":"m"}}`, wire.ClassQuota},
	{"an account in arrears", 429, `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`, wire.ClassQuota},
	{"a spending limit", 429, `{"code":"Some resource has been exhausted","error":"Your team has used all available credits or reached its monthly spending limit."}`, wire.ClassQuota},

	{"a fault", 500, `{"error":{"message":"billing"}}`, wire.ClassServer},
	{"a bad gateway", 502, `<html>`, wire.ClassServer},
	{"no time named", 503, `{"error":{"message":"overloaded"}}`, wire.ClassServer},
	{"time named in the body", 503, `{"error":{"code":503,"status":"UNAVAILABLE","details":[{"retryDelay":"2s"}]}}`, wire.ClassOverloaded},
	{"a time-out", 504, ``, wire.ClassServer},
	{"too much to do", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, wire.ClassServer},
}

func TestClass_OfWhatServersSay(t *testing.T) {
	for _, c := range said {
		f := wire.AnswerFailure(c.status, []byte(c.body))
		if got := f.Class(); got != c.want {
			t.Errorf("%s: class %d, want %d; %+v", c.name, got, c.want, f)
		}
	}
}

// An answer with status 200 is classed by what the error says itself.
func TestClass_OfAnErrorInAnAnswerThatSaysOK(t *testing.T) {
	for body, want := range map[string]wire.Class{
		`{"error":{"message":"m","code":429}}`:                                          wire.ClassRateLimit,
		`{"error":{"message":"m","code":"insufficient_quota"}}`:                         wire.ClassQuota,
		`{"error":{"message":"m","type":"insufficient_quota","code":null}}`:             wire.ClassQuota,
		`{"error":{"message":"m","code":"invalid_api_key"}}`:                            wire.ClassAuth,
		`{"error":{"message":"m","type":"authentication_error"}}`:                       wire.ClassAuth,
		`{"error":{"message":"m","type":"permission_error"}}`:                           wire.ClassAuth,
		`{"error":{"message":"model m","type":"permission_error"}}`:                     wire.ClassRequest,
		`{"error":{"message":"m","type":"billing_error"}}`:                              wire.ClassAuth,
		`{"error":{"message":"m","type":"invalid_request_error"}}`:                      wire.ClassRequest,
		`{"error":{"message":"m","status":"INVALID_ARGUMENT"}}`:                         wire.ClassRequest,
		`[{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}]`:                 wire.ClassServer,
		`[{"error":{"message":"m","status":"RESOURCE_EXHAUSTED"}}]`:                     wire.ClassRateLimit,
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`:            wire.ClassServer,
		`{"error":{"message":"m"}}`:                                                     wire.ClassServer,
		`{"error":"text"}`:                                                              wire.ClassServer,
		`{"error":{"message":"m","code":200}}`:                                          wire.ClassServer,
		`{"error":{"message":"m","code":99999999999999999999}}`:                         wire.ClassServer,
		`{"error":{"message":"m","code":{"a":1},"type":[429]}}`:                         wire.ClassServer,
		`{"object":"error","message":"m","type":"BadRequestError","code":400}`:          wire.ClassRequest,
		`{"type":"error","code":"rate_limit_exceeded","message":"m","param":null}`:      wire.ClassRateLimit,
		`{"error":{"code":"model_not_found","message":"m"}}`:                            wire.ClassRequest,
		`{"error":{"message":"m","status_code":401}}`:                                   wire.ClassAuth,
		`{"error":{"message":"m","details":[{"reason":"API_KEY_INVALID"}],"code":400}}`: wire.ClassAuth,
	} {
		f, ok := wire.FailureIn([]byte(body))
		if got := f.Class(); !ok || got != want {
			t.Errorf("%s: class %d, want %d; %+v", body, got, want, f)
		}
	}
}

func TestClass_IsOverloadedOnlyWithATime(t *testing.T) {
	for _, status := range []int{503, 529} {
		f := wire.AnswerFailure(status, []byte(`{"error":{"message":"m"}}`))
		if f.RetryAfter = time.Second; f.Class() != wire.ClassOverloaded {
			t.Errorf("%d: class %d", status, f.Class())
		}
	}
}
