package gateway_test

import (
	"fmt"
	"strings"
	"testing"
)

// member puts a member before the others of a call's body.
func (k kind) with(member string) string {
	return `{` + member + `,` + strings.TrimPrefix(k.json(), "{")
}

// model puts a value, or nothing, in place of the model's.
func (k kind) modelled(member string) string {
	return strings.Replace(k.json(), `"model":"`+k.model+`"`, member, 1)
}

func TestClientBodies_ThatParsersReadDifferentlyAreRefused(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			f := newFront(t)
			for name, c := range map[string]struct{ body, code string }{
				"empty":              {"", "parse_error"},
				"invalid UTF-8":      {k.with("\"a\":\"\xff\""), "parse_error"},
				"byte order mark":    {"\xef\xbb\xbf" + k.json(), "parse_error"},
				"UTF-16":             {"\xff\xfe{\x00}\x00", "parse_error"},
				"lone surrogate":     {k.with(`"a":"\ud800"`), "parse_error"},
				"NUL":                {k.with("\"a\":\"\x00\""), "parse_error"},
				"trailing data":      {k.json() + "x", "parse_error"},
				"two documents":      {k.json() + k.json(), "parse_error"},
				"1e400":              {k.with(`"a":1e400`), "parse_error"},
				"10,001 levels":      {k.with(`"a":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)), "parse_error"},
				"form":               {"model=" + k.model, "parse_error"},
				"multipart":          {"--x\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nchat\r\n--x--\r\n", "parse_error"},
				"no model":           {k.modelled(`"a":1`), "missing_model"},
				"model null":         {k.modelled(`"model":null`), "missing_model"},
				"model number":       {k.modelled(`"model":7`), "missing_model"},
				"model array":        {k.modelled(`"model":["` + k.model + `"]`), "missing_model"},
				"model empty":        {k.modelled(`"model":""`), "missing_model"},
				"model of 301":       {k.modelled(`"model":"` + strings.Repeat("m", 301) + `"`), "missing_model"},
				"model with NUL":     {k.modelled(`"model":"a\u0000"`), "missing_model"},
				"Model":              {k.modelled(`"Model":"` + k.model + `"`), "parse_error"},
				"mODEL beside model": {k.with(`"mODEL":"x"`), "parse_error"},
				"model twice":        {k.with(`"model":"x"`), "parse_error"},
				"model escaped":      {k.with(`"\u006dodel":"x"`), "parse_error"},
				"model only inside":  {k.modelled(`"metadata":{"model":"` + k.model + `"}`), "missing_model"},
			} {
				f.mustRefuse(name, f.send(k, c.body), k.path, 400, c.code)
				f.mustBeFree(name)
				f.mustRecord(name, 400, c.code)
			}
			if n := len(f.up.Requests()); n != 0 {
				t.Errorf("the upstream saw %d requests", n)
			}
		})
	}
}

func TestClientBodies_TheOneExactModelIsTheOneThatIsAskedFor(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			f := newFront(t)
			f.up.Otherwise(k.says(5, 5))
			copies := strings.Repeat(`{"model":"other","MODEL":["x"],"stream":"x"},`, 50)
			for i, body := range []string{
				k.modelled(`"\u006dodel":"` + k.model + `"`),
				k.with(`"metadata":{"deep":[` + copies + `null],"Model":1}`),
				" \r\n\t" + k.json() + "\n\n",
			} {
				f.want(f.send(k, body), 200, "")
				sent := string(f.up.Request(i).Body)
				if strings.Count(sent, "other") != strings.Count(body, "other") || strings.Contains(sent, `odel":"chat"`) {
					t.Errorf("body %d reached the upstream as %s", i, sent)
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
