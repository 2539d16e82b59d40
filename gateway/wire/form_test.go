package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"relay/gateway/wire"
)

const (
	boundary = "----formdata-0123456789abcdef"
	formType = "multipart/form-data; boundary=" + boundary
)

// field is one part of a form, file another with a file name.
func field(name, value string) string { return rawPart(`form-data; name="`+name+`"`, value) }

func file(name, content string) string {
	return rawPart(`form-data; name="`+name+`"; filename="speech.wav"`+"\r\nContent-Type: audio/wav", content)
}

func rawPart(disposition, content string) string {
	return "--" + boundary + "\r\nContent-Disposition: " + disposition + "\r\n\r\n" + content + "\r\n"
}

// form is a whole body of parts.
func form(parts ...string) string { return strings.Join(parts, "") + "--" + boundary + "--\r\n" }

func scanForm(t *testing.T, contentType, body string) (f wire.Form, err error) {
	t.Helper()
	err = wire.ScanForm(contentType, []byte(body), &f)
	if refusal := (*wire.Error)(nil); err != nil && (!errors.As(err, &refusal) || refusal.Code != wire.CodeParseError) {
		t.Errorf("%.200q: the error is %#v", body, err)
	}
	return f, err
}

func TestScanForm_FindsWhatRelayReads(t *testing.T) {
	body := form(field("model", "whisper-1"), file("file", "RIFF1234"), field("stream", "true"), file("image[]", "12"), field("n", "3"), field("prompt", "model"))
	f, err := scanForm(t, formType, body)
	if err != nil {
		t.Fatal(err)
	}
	at := func(r wire.Range) string { return string(r.Of([]byte(body))) }
	if at(f.Model) != "whisper-1" || !f.Streamed || at(f.File) != "RIFF1234" || f.FileBytes != 10 || f.LargestFile != 8 || f.Steering.Present() {
		t.Errorf("got %+v", f)
	}
	if n := (&wire.Members{N: f.N}).Choices([]byte(body)); n != 3 {
		t.Errorf("got %d choices", n)
	}
	spliced := wire.Splice(nil, []byte(body), wire.Edit{At: f.Model, Text: "up/stream"})
	if string(spliced) != strings.Replace(body, "whisper-1", "up/stream", 1) {
		t.Errorf("spliced into %s", spliced)
	}
}

func TestScanForm_LeavesOutWhatIsAbsent(t *testing.T) {
	for _, body := range []string{form(field("prompt", "p")), form(field("prompt", "")), form(field("stream", "false")), form()} {
		if f, err := scanForm(t, formType, body); err != nil || f != (wire.Form{}) {
			t.Errorf("%q: got %+v, %v", body, f, err)
		}
	}
	if f, err := scanForm(t, formType, form(file("file", ""))); err != nil || f.FileBytes != 0 || f.File.Present() {
		t.Errorf("an empty file: got %+v, %v", f, err)
	}
}

func TestScanForm_NamesTheSteeringField(t *testing.T) {
	for _, name := range []string{"base_url", "api_key", "extra_headers", "extra_headers[Authorization]"} {
		body := form(field("model", "m"), field(name, "x"))
		if f, err := scanForm(t, formType, body); err != nil || string(f.Steering.Of([]byte(body))) != name {
			t.Errorf("%s: got %+v, %v", name, f, err)
		}
	}
}

func TestScanForm_TakesWhatClientsSend(t *testing.T) {
	for name, contentType := range map[string]string{
		"quoted": `multipart/form-data; boundary="` + boundary + `"`, "spaces": "Multipart/Form-Data ;  Boundary=" + boundary + " ; charset=utf-8",
	} {
		if f, err := scanForm(t, contentType, form(field("model", "m"))); err != nil || !f.Model.Present() {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, body := range map[string]string{
		".NET":          form(rawPart("form-data; name=model\r\nContent-Type: text/plain; charset=utf-8", "m"), rawPart("form-data; name=file; filename=a.wav; filename*=utf-8''%C3%A4.wav", "x")),
		"OkHttp":        form(rawPart("form-data; name=\"model\"\r\nContent-Transfer-Encoding: binary\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 1", "m")),
		"a line before": "\r\n" + form(field("model", "m")),
		"no line after": strings.TrimSuffix(form(field("model", "m")), "\r\n"),
		"Windows path":  form(field("model", "m"), rawPart(`form-data; name="file"; filename="C:\Users\ä.wav"`, "x")),
		"text of lines": form(field("prompt", "a\r\nb\n--\r\n\r\n----form"), field("model", "m")),
		"tabs":          form(rawPart("\tform-data;\tname=\"model\" ", "m")),
	} {
		if f, err := scanForm(t, formType, body); err != nil || string(f.Model.Of([]byte(body))) != "m" {
			t.Errorf("%s: got %+v, %v", name, f, err)
		}
	}
}

func TestScanForm_RefusesContentTypesThatParsersReadDifferently(t *testing.T) {
	for _, contentType := range []string{
		"", "multipart/form-data", "multipart/mixed; boundary=" + boundary, "application/json", "multipart/form-data; boundary=", `multipart/form-data; boundary=""`,
		formType + "; boundary=" + boundary, formType + "; boundary*=x", "multipart/form-data; boundary*0=" + boundary, formType + ";", formType + "x=y z",
		"multipart/form-data; boundary=" + strings.Repeat("b", 71), `multipart/form-data; boundary="a b"`, `multipart/form-data; boundary="a\"b"`, `multipart/form-data; boundary="a`,
		"multipart/form-data; boundary=a;b", "multipart/form-data, boundary=" + boundary, "multipart/form-data; boundary=é", "multipart/form-data;; boundary=" + boundary,
		"multipart/form-data; boundary = " + boundary,
	} {
		if _, err := scanForm(t, contentType, form(field("model", "m"))); err == nil || !strings.Contains(err.Error(), "Content-Type") {
			t.Errorf("%q: %v", contentType, err)
		}
	}
}

func TestScanForm_RefusesBodiesThatParsersReadDifferently(t *testing.T) {
	ok, model := form(field("model", "m")), field("model", "m")
	for name, body := range map[string]string{
		"empty": "", "preamble": "x\r\n" + ok, "two lines before": "\r\n\r\n" + ok, "epilogue": ok + "x", "lines after": ok + "\r\n",
		"no end": model, "no last dashes": model + "--" + boundary + "\r\n", "cut": ok[:len(ok)-4], "padding": strings.Replace(ok, boundary+"\r\n", boundary+" \r\n", 1),
		"bare LF": strings.ReplaceAll(ok, "\r\n", "\n"), "LF in header": strings.Replace(ok, "\r\n\r\n", "\n\r\n\r\n", 1), "LF before boundary": strings.Replace(ok, "m\r\n--", "m\n--", 1),
		"CR before boundary": strings.Replace(ok, "m\r\n--", "m\r--", 1), "boundary in a line": form(field("prompt", "a--"+boundary+"b"), model), "longer boundary": form(field("prompt", "a\r\n--"+boundary+"b"), model),
		"no header": "--" + boundary + "\r\n\r\nx\r\n--" + boundary + "--", "no blank line": "--" + boundary + "\r\nContent-Disposition: form-data; name=\"model\"\r\n--" + boundary + "--",
		"folded": strings.Replace(ok, "; name", ";\r\n name", 1), "no colon": strings.Replace(ok, "Content-Disposition:", "Content-Disposition", 1), "space before colon": strings.Replace(ok, "Disposition:", "Disposition :", 1),
		"NUL": strings.Replace(ok, "; name", ";\x00 name", 1), "CR in header": strings.Replace(ok, "; name", ";\r name", 1),
		"two dispositions":      form(rawPart("form-data; name=\"prompt\"\r\ncontent-disposition: form-data; name=\"model\"", "m")),
		"two names":             form(rawPart(`form-data; name="prompt"; name="model"`, "m")),
		"no name":               form(rawPart(`form-data`, "m")),
		"empty name":            form(rawPart(`form-data; name=""`, "m")),
		"name*":                 form(rawPart(`form-data; name="prompt"; name*=utf-8''model`, "m")),
		"Name":                  form(rawPart(`form-data; name="prompt"; Name="model"`, "m")),
		"open quote":            form(rawPart(`form-data; name="model`, "m")),
		"escape":                form(rawPart(`form-data; name="mo\del"`, "m")),
		"percent":               form(rawPart(`form-data; name="mod%65l"`, "m")),
		"attachment":            form(rawPart(`attachment; name="model"`, "m")),
		"escaped quote":         form(rawPart(`form-data; name="prompt"; filename="\"; name="model"`, "m")),
		"trailing semicolon":    form(rawPart(`form-data; name="model";`, "m")),
		"text behind":           form(rawPart(`form-data; name="model" x`, "m")),
		"spaces around =":       form(rawPart(`form-data; name = "model"`, "m")),
		"base64":                form(rawPart("form-data; name=\"model\"\r\nContent-Transfer-Encoding: base64", "bQ==")),
		"quoted-printable":      form(rawPart("form-data; name=\"model\"\r\nContent-Transfer-Encoding: Quoted-Printable", "=6D")),
		"two encodings":         form(rawPart("form-data; name=\"model\"\r\nContent-Transfer-Encoding: binary\r\nContent-Transfer-Encoding: binary", "m")),
		"two types":             form(rawPart("form-data; name=\"x\"\r\nContent-Type: a/b\r\ncontent-type: a/b", "m")),
		"parts within":          form(rawPart("form-data; name=\"x\"\r\nContent-Type: Multipart/Mixed; boundary=y", "m")),
		"model twice":           form(model, model),
		"Model":                 form(model, field("Model", "n")),
		"model[]":               form(model, field("model[]", "n")),
		"MODEL alone":           form(field("MODEL", "n")),
		"ſtream":                form(field("ſtream", "true")),
		"stream[0]":             form(field("stream[0]", "true")),
		"stream twice":          form(field("stream", "true"), field("stream", "false")),
		"stream True":           form(field("stream", "True")),
		"stream 1":              form(field("stream", "1")),
		"stream empty":          form(field("stream", "")),
		"model as a file":       form(rawPart(`form-data; name="model"; filename="a"`, "m")),
		"model with empty file": form(rawPart(`form-data; name="model"; filename=""`, "m")),
		"model with filename*":  form(rawPart(`form-data; name="model"; filename*=utf-8''a`, "m")),
		"model in UTF-16":       form(rawPart("form-data; name=\"model\"\r\nContent-Type: text/plain; charset=utf-16", "m\x00")),
		"model in JSON":         form(rawPart("form-data; name=\"model\"\r\nContent-Type: application/json", `"m"`)),
		"model with a mark":     form(field("model", "\xef\xbb\xbfm")),
		"model not UTF-8":       form(field("model", "m\xff")),
		"_charset_":             form(field("_charset_", "utf-16"), model),
		"_Charset_":             form(field("_Charset_", "utf-16"), model),
	} {
		if f, err := scanForm(t, formType, body); err == nil || !strings.Contains(err.Error(), "(byte ") {
			t.Errorf("%s: got %+v, %v", name, f, err)
		}
	}
}

func TestScanForm_IsBounded(t *testing.T) {
	for parts, accepted := range map[int]bool{wire.MaxFormParts: true, wire.MaxFormParts + 1: false} {
		if _, err := scanForm(t, formType, form(strings.Repeat(field("x", ""), parts))); (err == nil) != accepted {
			t.Errorf("%d parts: %v", parts, err)
		}
	}
	for size, accepted := range map[int]bool{8_000: true, 8_192: false} {
		if _, err := scanForm(t, formType, form(rawPart("form-data; name=\"x\"\r\nX-Long: "+strings.Repeat("a", size), "x"))); (err == nil) != accepted {
			t.Errorf("a header line of %d bytes: %v", size, err)
		}
	}
}

func TestScanForm_SaysWhatIsWrongAndWhere(t *testing.T) {
	body := form(field("prompt", "p"), field("Model", "m"))
	_, err := scanForm(t, formType, body)
	if want := fmt.Sprintf(`The request body cannot be read: the field "Model" must be written "model" (byte %d).`, strings.Index(body, "Model")); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func BenchmarkScanForm(b *testing.B) {
	body := []byte(form(field("model", "whisper-1"), field("language", "en"), field("response_format", "json"), file("file", strings.Repeat("0123456789\r\n--", 70_000))))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var f wire.Form
		if err := wire.ScanForm(formType, body, &f); err != nil {
			b.Fatal(err)
		}
	}
}
