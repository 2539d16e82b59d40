package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/limiter"
	"relay/store"
)

// newSmall is a front on which every model has another name upstream.
func newSmall(tb testing.TB, change ...func(*gateway.Options)) *front {
	tb.Helper()
	f := newFront(tb, change...)
	edit(f.rig, "claude-anthropic", func(b *store.HostBinding) { b.Spec.UpstreamName = "claude-2026" })
	return f
}

// do makes the call.
func (f *front) do(s small, key string, lines ...string) gatewaytest.Answer {
	f.tb.Helper()
	return gatewaytest.Do(f.tb, f.addr, s.request(key, s.model, lines...))
}

// mustForward fails the test unless the upstream has got the caller's bytes, with
// its own name for the model.
func (s small) mustForward(t *testing.T, sent *gatewaytest.Request) {
	t.Helper()
	_, want := s.as(s.model + "-2026")
	if string(sent.Body) != want {
		t.Errorf("%s: the upstream got\n%q, want\n%q", s.name, sent.Body, want)
	}
	if line := "POST " + strings.ReplaceAll(s.sent, "MODEL", s.model+"-2026") + " HTTP/1.1"; sent.Line() != line {
		t.Errorf("%s: the upstream got %s, want %s", s.name, sent.Line(), line)
	}
	contentType := s.form
	if contentType == "" {
		contentType = "application/json"
	}
	if got := sent.Header("Content-Type"); len(got) != 1 || got[0] != contentType {
		t.Errorf("%s: the upstream got Content-Type %q, want %s", s.name, got, contentType)
	}
}

func TestSmall_BytesPassBothWaysAndAreMetered(t *testing.T) {
	for _, s := range smalls() {
		t.Run(s.name, func(t *testing.T) {
			f := newSmall(t)
			key := f.rig.key("phone", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(9), TPM: int64p(900)}})
			f.up.Play(s.says())
			a := f.do(s, key)
			if a.Status != 200 || a.Body != strings.Join(s.answer, "") || a.Header.Get("Content-Type") != s.typeOf() || a.Err != nil {
				t.Fatalf("got %d %q (%v) %v", a.Status, a.Body, a.Err, a.Header)
			}
			s.mustForward(t, f.up.Request(0))
			e := f.events(1)[0]
			if e.Endpoint != s.endpoint || e.Status != 200 || e.ErrorKind != "" || e.Tokens != s.tokens || e.Units != s.units || e.UsageMissing != s.missing || e.Streamed != s.streamed {
				t.Errorf("event %+v", e)
			}
			shape := string(shapeOf(s.path))
			if e.RequestedModel != s.model || e.ShapeIn != shape || e.ShapeOut != shape || e.CostNanos == nil {
				t.Errorf("event %+v", e)
			}
			for meter, want := range map[limiter.Meter]int64{limiter.MeterRequests: 1, limiter.MeterTokens: s.tokens.Input + s.tokens.Output} {
				if n := f.used(key, meter); n != want {
					t.Errorf("%d %s are counted, want %d", n, meter, want)
				}
			}
			f.mustBeFree(s.name)
		})
	}
}

func TestSmall_IsServedInEverySpelling(t *testing.T) {
	f := newSmall(t)
	for _, s := range append(smalls(), unmetered()...) {
		var prefixes []string
		for _, vendor := range []string{"", "/openai", "/anthropic", "/gemini"} {
			prefixes = append(prefixes, vendor)
			if route, versioned := strings.CutPrefix(s.path, "/v1/"); versioned {
				other := s
				other.path = vendor + "/" + route
				f.up.Play(s.says(), s.says())
				f.want(f.do(other, f.key), 200, "")
				other.path = vendor + "/v1/v1/" + route
				f.want(f.do(other, f.key), 200, "")
			}
		}
		for _, prefix := range prefixes {
			other := s
			other.path = prefix + s.path
			f.up.Play(s.says())
			f.want(f.do(other, f.key), 200, strings.Join(s.answer, ""))
			sent := f.up.Requests()
			s.mustForward(t, sent[len(sent)-1])
		}
		f.up.Play(s.says())
		query := s
		query.path += "?alt=json&x=y"
		f.want(f.do(query, f.key), 200, "")
		sent := f.up.Requests()
		s.mustForward(t, sent[len(sent)-1])
	}
	f.mustBeFree("all spellings")
}

// keysOfNobody are keys that may not make any of the calls, with what refuses
// them.
func (f *front) keysOfNobody(s small) map[string]string {
	id := f.record(store.KindModel, s.model)
	return map[string]string{
		"model_not_allowed":    f.rig.key("denied", store.RelayKeySpec{Deny: []store.ModelRef{store.ModelRef(id)}}),
		"endpoint_not_allowed": f.rig.key("elsewhere", store.RelayKeySpec{Endpoints: []string{"generate"}}),
		"ip_restricted":        f.rig.key("far", store.RelayKeySpec{AllowedCIDRs: []string{"10.0.0.0/8"}}),
	}
}

func TestSmall_RefusalsHaveTheShapeOfTheirPathAndReachNoUpstream(t *testing.T) {
	for _, s := range append(smalls(), unmetered()...) {
		t.Run(s.name, func(t *testing.T) {
			f := newSmall(t)
			refuse := func(code string, status int, a gatewaytest.Answer) {
				t.Helper()
				f.mustRefuse(s.name, a, s.path, status, code)
			}
			refuse("unauthenticated", 401, f.do(s, "sk-wr-unknown"))
			refuse("model_not_found", 404, gatewaytest.Do(t, f.addr, s.request(f.key, "none")))
			for code, key := range f.keysOfNobody(s) {
				refuse(code, 403, f.do(s, key))
			}
			refuse("unsupported_encoding", 415, f.do(s, f.key, "Content-Encoding: br"))
			refuse("loop_detected", 508, f.do(s, f.key, "Relay-Hops: 3"))
			broken := s
			broken.body = strings.TrimSuffix(strings.TrimSuffix(s.body, "}"), "--\r\n")
			refuse("parse_error", 400, f.do(broken, f.key))
			steering := s
			if steering.body = strings.Replace(s.body, "{", `{"api_base":"http://x",`, 1); s.form != "" {
				steering.body = form("api_base", "http://x")
				steering.body = strings.TrimSuffix(steering.body, "--"+formBoundary+"--\r\n") + s.body
			}
			refuse("unsupported_param", 400, f.do(steering, f.key))
			path, _ := s.as(s.model)
			get := gatewaytest.Do(t, f.addr, f.head("GET", path)+"\r\n")
			refuse("method_not_allowed", 405, get)
			if get.Header.Get("Allow") != "POST" {
				t.Errorf("Allow is %q", get.Header.Get("Allow"))
			}
			if n := len(f.up.Requests()); n != 0 {
				t.Errorf("the upstream saw %d requests", n)
			}
		})
	}
}

func TestSmall_LimitsOfTheCallerHoldAndAreToldInTheShapeOfThePath(t *testing.T) {
	for _, s := range smalls() {
		f := newSmall(t)
		key := f.rig.key("phone", store.RelayKeySpec{Limits: &store.Limits{RPM: int64p(1)}})
		f.up.Play(s.says())
		f.want(f.do(s, key), 200, "")
		a := f.do(s, key)
		_, begins, holds := toldIn(shapeOf(s.path), 429, "rate_limit_exceeded")
		if a.Status != 429 || !strings.HasPrefix(a.Body, begins+"Limit of key phone: 1 of 1 requests in 1m used") || !strings.Contains(a.Body, strings.TrimSuffix(holds, "}")) || a.Header.Get("Retry-After") != "61" {
			t.Errorf("%s: got %d %s %v", s.name, a.Status, a.Body, a.Header)
		}
		if n := len(f.up.Requests()); n != 1 {
			t.Errorf("%s: the upstream saw %d requests", s.name, n)
		}
		f.mustBeFree(s.name)
	}
}

// What an upstream refuses goes on as it is; what it breaks off is never taken
// for whole.
func TestSmall_FaultsOfTheUpstreamAreTold(t *testing.T) {
	for _, s := range smalls() {
		f := newSmall(t)
		f.withoutKeys(hosts()...)
		for _, host := range hosts() {
			f.remove(store.KindHostKey, host+"-1")
		}
		f.up.Play(gatewaytest.JSON(422, upstreamError))
		if a := f.do(s, f.key); a.Status != 422 || a.Body != upstreamError {
			t.Errorf("%s: got %d %s", s.name, a.Status, a.Body)
		}
		for name, c := range map[string]struct {
			script gatewaytest.Script
			status int
			code   string
		}{
			"500":   {gatewaytest.JSON(500, upstreamError), 502, "upstream_unavailable"},
			"reset": {gatewaytest.Reset(), 502, "upstream_unavailable"},
			"empty": {gatewaytest.Head(200, "Content-Type: "+s.typeOf(), "Content-Length: 0"), 502, "upstream_invalid_response"},
			"short": {gatewaytest.Join(gatewaytest.Head(200, "Content-Type: "+s.typeOf(), "Content-Length: 500"), gatewaytest.Close()), 502, "upstream_unavailable"},
		} {
			f.up.Play(c.script)
			a := f.do(s, f.key)
			if name == "empty" && s.typeOf() == "text/event-stream" && !s.cut || name == "empty" && s.typeOf() == "application/x-ndjson" {
				c.code = "upstream_unavailable" // a stream that has not begun
			}
			f.mustRefuse(s.name+", "+name, a, s.path, c.status, c.code)
			f.mustBeFree(s.name)
		}
		f.up.Play(gatewaytest.Join(s.head(), gatewaytest.Chunk(s.answer[0][:len(s.answer[0])-1]), gatewaytest.Close()))
		a := f.do(s, f.key)
		if begun := a.Status == 200; begun && (!s.cut || a.Err == nil || len(a.Body) >= len(s.answer[0])) {
			t.Errorf("%s: cut within its first piece it got %d %q, %v", s.name, a.Status, a.Body, a.Err)
		}
		if s.streamed {
			f.up.Play(gatewaytest.Join(s.head(), gatewaytest.Chunk(s.answer[0]), gatewaytest.Close()))
			a := f.do(s, f.key)
			if !strings.HasPrefix(a.Body, s.answer[0]) || s.cut != (a.Err != nil) || !s.cut && !holdsError(a.Body) {
				t.Errorf("%s: cut behind its first piece it got %d %q, %v", s.name, a.Status, a.Body, a.Err)
			}
			if e := f.events(7)[6]; e.ErrorKind != "truncated" || e.Status != 200 {
				t.Errorf("%s: event %+v", s.name, e)
			}
		}
		f.mustBeFree(s.name)
	}
}

// Sound goes on as it comes, whatever it looks like.
func TestSmall_EachPieceOfAStreamIsPassedOnBeforeTheNextComes(t *testing.T) {
	for _, s := range smalls() {
		if !s.streamed {
			continue
		}
		f := newSmall(t)
		heard := make(chan struct{})
		parts := []gatewaytest.Script{s.head()}
		for _, piece := range s.answer {
			parts = append(parts, gatewaytest.Chunk(piece), gatewaytest.Wait(heard))
		}
		f.up.Play(gatewaytest.Join(append(parts, gatewaytest.LastChunk())...))
		c := gatewaytest.Dial(t, f.addr)
		c.Send(s.request(f.key, s.model))
		answer := c.Response()
		for i, piece := range s.answer {
			if read, err := gatewaytest.ReadUntil(answer.Body, piece); read != piece {
				t.Fatalf("%s: piece %d is %q, %v", s.name, i, read, err)
			}
			heard <- struct{}{}
		}
		if rest, err := readAll(answer.Body); rest != "" || err != nil {
			t.Errorf("%s: then came %q, %v", s.name, rest, err)
		}
		f.mustBeFree(s.name)
	}
}

// TestSmall_ACallerThatLeavesStopsTheUpstream is case B64 on every endpoint: no
// other key is tried, and what is metered leaves its event.
func TestSmall_ACallerThatLeavesStopsTheUpstream(t *testing.T) {
	free := len(smalls())
	for i, s := range append(smalls(), unmetered()...) {
		f := newSmall(t)
		f.second(hosts()...)
		var moments []gatewaytest.Script
		moments = append(moments, gatewaytest.Hang())
		if s.streamed {
			moments = append(moments, gatewaytest.Join(s.head(), gatewaytest.Chunk(s.answer[0]), gatewaytest.Hang()))
		}
		calls := 0
		for name, leave := range partings() {
			for begun, script := range moments {
				f.up.Play(script)
				c := gatewaytest.Dial(t, f.addr)
				c.Send(s.request(f.key, s.model))
				sent := f.up.Request(calls)
				calls++
				if begun > 0 {
					if _, err := gatewaytest.ReadUntil(c.Response().Body, s.answer[0]); err != nil {
						t.Fatal(err)
					}
				}
				leave(c)
				await(t, sent.Gone())
				f.mustBeFree(name)
				switch {
				case i >= free:
					f.mustRecord(s.name, 0, "nothing")
				case begun > 0:
					f.mustRecord(s.name, 200, "client_closed")
				default:
					f.mustRecord(s.name, 499, "client_closed")
				}
			}
		}
		if n := len(f.up.Requests()); n != calls {
			t.Errorf("%s: %d attempts for %d calls", s.name, n, calls)
		}
		for id, state := range f.server.KeyStates() {
			if state.State != "closed" {
				t.Errorf("%s: key %s is %s", s.name, id, state.State)
			}
		}
	}
}

func TestSmall_UploadsAndTextToSpeakAreBounded(t *testing.T) {
	f := newSmall(t, func(o *gateway.Options) {
		o.Media = gateway.Media{MaxUploadBytes: 1 << 10, MaxAudioSeconds: 2, MaxSpeechChars: 5}
	})
	large := form("model", "chat", "file file", strings.Repeat("x", 1<<10+1))
	fits := form("model", "chat", "file file", strings.Repeat("x", 1<<10))
	second := func(n int) string { // of WAV with one byte a second
		return "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x08\x00data" + string([]byte{byte(n), 0, 0, 0}) + strings.Repeat("\x80", n)
	}
	for _, path := range []string{"/v1/audio/transcriptions", "/v1/audio/translations", "/v1/images/edits"} {
		for name, c := range map[string]struct {
			body   string
			status int
			told   string
		}{
			"too large": {large, 413, "over 1 KiB, the limit media.max_upload_bytes"}, "large": {fits, 200, ""},
			"too long": {form("file file", second(3), "model", "chat"), 400, "longer than 2 seconds, the limit media.max_audio_seconds"}, "long": {form("file file", second(2), "model", "chat"), 200, ""},
		} {
			f.up.Otherwise(gatewaytest.JSON(200, `{"text":"hello"}`))
			a := gatewaytest.Do(t, f.addr, small{path: path, form: formType, body: c.body}.request(f.key, "chat"))
			if a.Status != c.status || !strings.Contains(a.Body, c.told) || c.status != 200 && !strings.Contains(a.Body, `"code":"media_too_large"`) {
				t.Errorf("%s, %s: got %d %s", path, name, a.Status, a.Body)
			}
			f.mustRecord(name, c.status, map[bool]string{true: "", false: "media_too_large"}[c.status == 200])
		}
	}
	for input, status := range map[string]int{"fünf!": 200, "sechs!": 400, `\u0066\u0066\u0066\u0066\u0066`: 200} {
		f.up.Otherwise(gatewaytest.Join(gatewaytest.Head(200, "Content-Type: audio/mpeg", "Content-Length: 3"), gatewaytest.Raw("ID3")))
		a := gatewaytest.Do(t, f.addr, small{path: "/v1/audio/speech", body: `{"model":"MODEL","input":"` + input + `"}`}.request(f.key, "chat"))
		if a.Status != status || status == 400 && !strings.Contains(a.Body, "more than 5 characters, the limit media.max_speech_chars") {
			t.Errorf("%q: got %d %s", input, a.Status, a.Body)
		}
	}
	f.mustBeFree("all uploads")
}

// A form is read as strictly as JSON is.
func TestSmall_FormsThatAreReadDifferentlyAreRefused(t *testing.T) {
	f := newSmall(t)
	good := form("model", "chat", "file file", noise)
	for name, c := range map[string]struct{ contentType, body, code string }{
		"JSON":              {"application/json", `{"model":"chat"}`, "parse_error"},
		"no boundary":       {"multipart/form-data", good, "parse_error"},
		"another boundary":  {"multipart/form-data; boundary=x", good, "parse_error"},
		"no end":            {formType, strings.TrimSuffix(good, "--\r\n"), "parse_error"},
		"a word before it":  {formType, "x" + good, "parse_error"},
		"a word behind it":  {formType, good + "x", "parse_error"},
		"two models":        {formType, form("model", "chat", "model", "chat"), "parse_error"},
		"a model in a file": {formType, form("file model", "chat"), "parse_error"},
		"Model":             {formType, form("Model", "chat"), "parse_error"},
		"no model":          {formType, form("file file", noise), "missing_model"},
		"an empty model":    {formType, form("model", ""), "missing_model"},
		"a long model":      {formType, form("model", strings.Repeat("m", 300)), "missing_model"},
		"no UTF-8":          {formType, form("model", "chat\xff"), ""},
	} {
		a := gatewaytest.Do(t, f.addr, small{path: "/v1/audio/transcriptions", form: c.contentType, body: c.body}.request(f.key, "chat"))
		if c.code == "" {
			if a.Status != 400 {
				t.Errorf("%s: got %d %s", name, a.Status, a.Body)
			}
			continue
		}
		f.mustRefuse(name, a, "/v1/audio/transcriptions", 400, c.code)
	}
	if n := len(f.up.Requests()); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
	f.mustBeFree("bad forms")
}

// The limits of a caller are charged by what the upstream has said of every
// choice that was asked for.
func TestSmall_AStreamOfSeveralIsWholeWithTheLast(t *testing.T) {
	f := newSmall(t)
	candidate := func(index int) string {
		return gatewaytest.Data(fmt.Sprintf(`{"candidates":[{"index":%d,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}`, index))
	}
	image := "event: image_edit.completed\ndata: {\"type\":\"image_edit.completed\",\"usage\":{\"input_tokens\":7,\"output_tokens\":3}}\n\n"
	for name, c := range map[string]struct {
		s     small
		event func(int) string
	}{
		"candidates": {small{path: "/v1beta/models/gem:streamGenerateContent?alt=sse", model: "gem", body: `{"contents":[],"generationConfig":{"candidateCount":2}}`}, candidate},
		"images":     {small{path: "/v1/images/edits", model: "chat", form: formType, body: form("model", "MODEL", "n", "2", "stream", "true")}, func(int) string { return image }},
	} {
		f.up.Play(
			gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(c.event(0), c.event(1)), gatewaytest.LastChunk()),
			gatewaytest.Join(gatewaytest.StreamHead(), gatewaytest.Chunk(c.event(0)), gatewaytest.Reset()))
		if a := f.do(c.s, f.key); a.Body != c.event(0)+c.event(1) || a.Err != nil {
			t.Errorf("%s: got %q, %v", name, a.Body, a.Err)
		}
		f.mustRecord(name, 200, "")
		if a := f.do(c.s, f.key); !strings.HasPrefix(a.Body, c.event(0)) || !holdsError(a.Body) {
			t.Errorf("%s, one of two: got %q, %v", name, a.Body, a.Err)
		}
		f.mustRecord(name, 200, "truncated")
	}
	f.up.Play(gatewaytest.Stream(candidate(0)))
	a := f.do(small{path: "/v1beta/models/gem:streamGenerateContent?alt=sse", model: "gem", body: `{"contents":[],"generationConfig":{"candidateCount":2}}`}, f.key)
	if !holdsError(a.Body) {
		t.Errorf("one candidate of two, ended cleanly: got %q", a.Body)
	}
	f.mustBeFree("several choices")
}
