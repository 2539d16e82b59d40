package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// member puts a member before the others of a call's body.
func (k kind) with(member string) string {
	return `{` + member + `,` + strings.TrimPrefix(k.json(), "{")
}

// model puts a value, or nothing, in place of the model's.
func (k kind) modelled(member string) string {
	return strings.Replace(k.json(), `"model":"`+k.model+`"`, member, 1)
}

// unread are bodies that no two parsers read alike.
func (k kind) unread() map[string]string {
	first := "" // the one that stands in the body
	if k.namesInPath() {
		first = `"model":"x",`
	}
	return map[string]string{
		"empty":              "",
		"invalid UTF-8":      k.with("\"a\":\"\xff\""),
		"byte order mark":    "\xef\xbb\xbf" + k.json(),
		"UTF-16":             "\xff\xfe{\x00}\x00",
		"lone surrogate":     k.with(`"a":"\ud800"`),
		"NUL":                k.with("\"a\":\"\x00\""),
		"trailing data":      k.json() + "x",
		"two documents":      k.json() + k.json(),
		"1e400":              k.with(`"a":1e400`),
		"10,001 levels":      k.with(`"a":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)),
		"form":               "model=" + k.model,
		"multipart":          "--x\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nchat\r\n--x--\r\n",
		"Model":              strings.Replace(k.with(`"Model":"`+k.model+`"`), `"model":"`+k.model+`",`, "", 1),
		"mODEL beside model": k.with(first + `"mODEL":"x"`),
		"model twice":        k.with(first + `"model":"x"`),
		"model escaped":      k.with(first + `"\u006dodel":"x"`),
	}
}

// nameless are bodies that name no model.
func (k kind) nameless() map[string]string {
	return map[string]string{
		"no model":          k.modelled(`"a":1`),
		"model null":        k.modelled(`"model":null`),
		"model number":      k.modelled(`"model":7`),
		"model array":       k.modelled(`"model":["` + k.model + `"]`),
		"model empty":       k.modelled(`"model":""`),
		"model of 300":      k.modelled(`"model":"` + strings.Repeat("m", 300) + `"`),
		"model of 300 wide": k.modelled(`"model":"` + strings.Repeat("é", 300) + `"`),
		"model with NUL":    k.modelled(`"model":"a\u0000"`),
		"model only inside": k.modelled(`"metadata":{"model":"` + k.model + `"}`),
	}
}

func TestClientBodies_ThatParsersReadDifferentlyAreRefused(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			f := newFront(t)
			for name, body := range k.unread() {
				f.mustRefuse(name, f.send(k, body), k.path, 400, "parse_error")
				f.mustBeFree(name)
				f.mustRecord(name, 400, "parse_error")
			}
			if n := len(f.up.Requests()); n != 0 {
				t.Errorf("the upstream saw %d requests", n)
			}
		})
	}
}

// A body does so where no path names a model.
func TestClientBodies_ThatNameNoModelAreRefused(t *testing.T) {
	for _, k := range kinds() {
		if k.namesInPath() {
			continue // see TestClientPaths_ThatNameNoModelAreRefused
		}
		t.Run(k.name, func(t *testing.T) {
			f := newFront(t)
			for name, body := range k.nameless() {
				f.mustRefuse(name, f.send(k, body), k.path, 400, "missing_model")
				f.mustBeFree(name)
				f.mustRecord(name, 400, "missing_model")
			}
			if n := len(f.up.Requests()); n != 0 {
				t.Errorf("the upstream saw %d requests", n)
			}
		})
	}
}

// What a name may be is the same wherever it stands. A name that is left out
// leaves no call.
func TestClientPaths_ThatNameNoModelAreRefused(t *testing.T) {
	for _, k := range kinds() {
		if !k.namesInPath() {
			continue
		}
		f := newFront(t)
		for name, model := range map[string]string{
			"of 300": strings.Repeat("m", 300), "of 300 wide": strings.Repeat("%C3%A9", 300), "with NUL": "a%00", "with a line end": "a%0Ab", "no UTF-8": "%ff",
		} {
			other := k.of(model)
			f.mustRefuse(name, f.send(other, other.json()), k.path, 400, "missing_model")
			f.mustBeFree(name)
			f.mustRecord(name, 400, "missing_model")
		}
		for _, path := range []string{k.of("").path, k.of("models/").path, strings.Replace(k.path, "/gem:", "/", 1)} {
			f.mustRefuse(path, gatewaytest.Do(t, f.addr, f.head("POST", path)+"Content-Length: 2\r\n\r\n{}"), path, 404, "not_found")
		}
		if n := len(f.up.Requests()); n != 0 || len(f.events(0)) != f.recorded {
			t.Errorf("%s: the upstream saw %d requests", k.name, n)
		}
	}
}

func TestClientBodies_TheOneExactModelIsTheOneThatIsAskedFor(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			f := newFront(t)
			f.up.Otherwise(k.says(5, 5))
			copies := strings.Repeat(`{"model":"other","MODEL":["x"],"stream":"x"},`, 50)
			escaped := k.modelled(`"\u006dodel":"` + k.model + `"`)
			if k.namesInPath() {
				escaped = k.with(`"\u006dodel":"other"`) // which the path is to overrule
			}
			for i, body := range []string{
				escaped,
				k.with(`"metadata":{"deep":[` + copies + `null],"Model":1}`),
				" \r\n\t" + k.json() + "\n\n",
			} {
				f.want(f.send(k, body), 200, "")
				request := f.up.Request(i)
				sent := string(request.Body)
				others := strings.Count(copies, "other")
				if strings.Count(sent, "other") != map[int]int{1: others}[i] || strings.Contains(sent, `odel":"`+k.model+`"`) && k.shape != store.ShapeAnthropic {
					t.Errorf("body %d reached the upstream as %s", i, sent)
				}
				if asked := k.asked(request); i == 2 && asked != k.upstreamName() {
					t.Errorf("body %d asked the upstream for %s", i, asked)
				}
				f.mustBeFree(body)
				f.mustRecord(body, 200, "")
			}
		})
	}
}

// curl -d sends a form type, and browsers may send text/plain without asking.
func TestClientBodies_AreTakenAsJSONWhateverTheirTypeSays(t *testing.T) {
	for _, k := range kinds() {
		f := newFront(t)
		f.up.Otherwise(k.says(5, 5))
		types := []string{
			"X-None: 1", "Content-Type: application/json", "Content-Type: application/x-www-form-urlencoded",
			"Content-Type: multipart/form-data; boundary=x", "Content-Type: text/plain;charset=UTF-8", "Content-Type:", "Content-Type: \x01",
		}
		passed := 0
		for _, line := range types {
			a := f.send(k, k.json(), line)
			if strings.HasSuffix(line, "\x01") { // net/http's answer to what is no header
				f.want(a, 400, "400 Bad Request")
				continue
			}
			f.want(a, 200, "")
			if got := f.up.Request(passed).Header("Content-Type"); fmt.Sprint(got) != "[application/json]" {
				t.Errorf("%s reached the upstream as %q", line, got)
			}
			passed++
			a = f.send(k, k.json(), line, "Origin: https://evil.example")
			f.mustRefuse(line, a, k.path, 403, "origin_not_allowed")
		}
		f.mustBeFree("all types")
		if n := len(f.up.Requests()); n != passed {
			t.Errorf("%s: the upstream saw %d requests, want %d", k.name, n, passed)
		}
	}
}
