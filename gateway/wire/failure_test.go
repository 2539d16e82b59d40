package wire_test

import (
	"strings"
	"testing"
	"time"

	"relay/gateway/wire"
)

func TestFailureIn_ReadsErrorsOfEveryShape(t *testing.T) {
	for body, want := range map[string]wire.Failure{
		`{"error":{"message":"quota","code":429}}`:                                          {Status: 429, Message: "quota"},
		`{"error":{"message":"m","type":"server_error","code":null,"param":"n"}}`:           {Status: 500, Message: "m", Type: "server_error", Param: "n"},
		`{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}`: {Status: 429, Message: "m", Type: "insufficient_quota", Code: "insufficient_quota"},
		`{"error":{"message":"m","code":"401"}}`:                                            {Status: 401, Message: "m"},
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`:       {Status: 529, Type: "overloaded_error", Message: "Overloaded"},
		`{"type":"error","code":"insufficient_quota","message":"m"}`:                        {Status: 429, Code: "insufficient_quota", Message: "m"},
		`{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`:                       {Status: 503, Code: "UNAVAILABLE", Message: "m"},
		`[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]`:              {Status: 429, Code: "RESOURCE_EXHAUSTED", Message: "m"},
		`{"object":"error","message":"m","type":"BadRequestError","code":400}`:              {Status: 400, Type: "BadRequestError", Message: "m"},
		`{"error":"model not loaded"}`:                                                      {Status: 500, Message: "model not loaded"},
		`{"error":{"message":"m","code":200,"type":"invalid_request_error"}}`:               {Status: 400, Type: "invalid_request_error", Message: "m"},
		`{"error":{"message":"m"},"choices":[]}`:                                            {Status: 500, Message: "m"},
		`{"error":{"message":"a"},"error":{"message":"b"}}`:                                 {Status: 500, Message: "b"},
		`{"\u0065rror":{"message":"\u96e8\ud83d"}}`:                                         {Status: 500, Message: "雨\uFFFD"},
		`{"error":{"message":["a",1],"code":null,"type":true}}`:                             {Status: 500, Message: `["a",1]`, Type: "true"},
		`{"error":"m","code":"rate_limit_exceeded"}`:                                        {Status: 429, Code: "rate_limit_exceeded", Message: "m"},
		`{"type":"error","error":null,"message":"m"}`:                                       {Status: 500, Message: "m"},
	} {
		if got, ok := wire.FailureIn([]byte(body)); !ok || got != want {
			t.Errorf("%s: got %+v, %v", body, got, ok)
		}
	}
	for _, body := range []string{
		`{"choices":[]}`, `{"error":null}`, `{"error":{}}`, `{"error":""}`, `{"error":false}`, `[]`, `[1]`, `"error"`, ``, `{"type":"message"}`,
		`{"error":{"message":"m"}`, `{"error":{"message":"m"}} x`, `[{"choices":[]},{"error":"m"}]`, `{"error":"m","error":null}`, `{"choices":[{"error":"m"}]}`,
	} {
		if got, ok := wire.FailureIn([]byte(body)); ok {
			t.Errorf("%s: got %+v", body, got)
		}
	}
}

func TestFailureIn_KnowsTheStatusThatAWordTells(t *testing.T) {
	for word, want := range map[string]int{
		"invalid_request_error": 400, "INVALID_ARGUMENT": 400, "invalid_api_key": 401, "UNAUTHENTICATED": 401, "billing_error": 402,
		"permission_error": 403, "PERMISSION_DENIED": 403, "model_not_found": 404, "NOT_FOUND": 404, "conflict_error": 409, "request_too_large": 413,
		"unprocessable_entity": 422, "RESOURCE_EXHAUSTED": 429, "rate_limit_error": 429, "bad_gateway": 502, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504,
		"overloaded_error": 529, "server_error": 500, "odd": 500, "": 500, "-429": 500, "429": 429, "599.5": 599, "1e999": 500, "600": 500,
	} {
		for _, member := range []string{"code", "type", "status"} {
			f, ok := wire.FailureIn([]byte(`{"error":{"message":"m","` + member + `":"` + word + `"}}`))
			if !ok || f.Status != want {
				t.Errorf("%s %q: got %+v", member, word, f)
			}
		}
	}
}

func TestAnswerFailure_KeepsTheStatusAndTheText(t *testing.T) {
	long := strings.Repeat("é", 600)
	for body, want := range map[string]wire.Failure{
		`{"error":{"message":"m","code":400,"type":"t"}}`: {Status: 502, Message: "m", Type: "t"},
		" <html>Bad gateway</html>\n":                     {Status: 502, Message: "<html>Bad gateway</html>"},
		`{"detail":"no"}`:                                 {Status: 502, Message: `{"detail":"no"}`},
		"":                                                {Status: 502},
		"x" + long:                                        {Status: 502, Message: "x" + long[:510]},
	} {
		if got := wire.AnswerFailure(502, []byte(body)); got != want {
			t.Errorf("%.40s: got %+v", body, got)
		}
	}
}

func TestFailure_DoesNotHoldOnToTheBytesItWasReadFrom(t *testing.T) {
	body := []byte(`{"error":{"message":"message","code":"code","type":"type","param":"param"}}`)
	got, _ := wire.FailureIn(body)
	want := got
	want.Message, want.Code, want.Type, want.Param = "message", "code", "type", "param"
	for i := range body {
		body[i] = 'x'
	}
	if got != want {
		t.Errorf("got %+v", got)
	}
}

func TestClass_SaysWhatBecomesOfTheKey(t *testing.T) {
	for _, c := range []struct {
		failure wire.Failure
		want    wire.Class
	}{
		{wire.Failure{Status: 400}, wire.ClassRequest},
		{wire.Failure{Status: 401}, wire.ClassAuth},
		{wire.Failure{Status: 402}, wire.ClassAuth},
		{wire.Failure{Status: 403}, wire.ClassRequest},
		{wire.Failure{Status: 403, Message: "This region is not supported"}, wire.ClassRequest},
		{wire.Failure{Status: 403, Code: "invalid_api_key"}, wire.ClassAuth},
		{wire.Failure{Status: 403, Code: "PERMISSION_DENIED", Message: "The caller does not have permission"}, wire.ClassAuth},
		{wire.Failure{Status: 403, Message: "Your account has been suspended"}, wire.ClassAuth},
		{wire.Failure{Status: 403, Type: "permission_error", Message: "Your API key does not have permission to use model m"}, wire.ClassRequest},
		{wire.Failure{Status: 403, Type: "billing_error", Message: "no"}, wire.ClassAuth},
		{wire.Failure{Status: 404, Code: "model_not_found"}, wire.ClassRequest},
		{wire.Failure{Status: 429}, wire.ClassRateLimit},
		{wire.Failure{Status: 429, Code: "rate_limit_exceeded", RetryAfter: time.Second}, wire.ClassRateLimit},
		{wire.Failure{Status: 429, Code: "RESOURCE_EXHAUSTED"}, wire.ClassRateLimit},
		{wire.Failure{Status: 429, Code: "insufficient_quota"}, wire.ClassQuota},
		{wire.Failure{Status: 429, Message: "You exceeded your current quota, please check your plan and billing details."}, wire.ClassQuota},
		{wire.Failure{Status: 500}, wire.ClassServer},
		{wire.Failure{Status: 503}, wire.ClassServer},
		{wire.Failure{Status: 503, RetryAfter: time.Second}, wire.ClassOverloaded},
		{wire.Failure{Status: 529, RetryAfter: time.Second}, wire.ClassOverloaded},
		{wire.Failure{Status: 529}, wire.ClassServer},
	} {
		if got := c.failure.Class(); got != c.want {
			t.Errorf("%+v: class %d, want %d", c.failure, got, c.want)
		}
	}
}

func TestAsError_FillsWhatTheUpstreamLeftOut(t *testing.T) {
	f := wire.Failure{Status: 429, RetryAfter: time.Second}
	if e := f.AsError(); e.Status != 429 || e.Type != wire.TypeRateLimit || e.Message == "" || e.RetryAfter != time.Second {
		t.Errorf("got %+v", e)
	}
	f = wire.Failure{Status: 400, Type: "t", Code: "c", Param: "p", Message: "m"}
	if e := f.AsError(); e.Type != "t" || e.Code != "c" || e.Param != "p" || e.Message != "m" {
		t.Errorf("got %+v", e)
	}
}

func TestTap_FinishesWhenEveryChoiceHas(t *testing.T) {
	tap := wire.Tap{Choices: 2}
	tap.Finish(1, "stop")
	tap.Finish(1, "stop")
	if tap.Finished() {
		t.Error("finished after one choice of two")
	}
	tap.Finish(0, "length")
	if !tap.Finished() || tap.Reason != "length" {
		t.Errorf("finished %v, reason %q", tap.Finished(), tap.Reason)
	}
	tap.Finish(0, strings.Repeat("r", 500))
	if len(tap.Reason) != 64 {
		t.Errorf("keeps %d bytes of a reason", len(tap.Reason))
	}
}
