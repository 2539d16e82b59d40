package admin_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestBody_RefusesMembersGivenTwice(t *testing.T) {
	f := start(t)
	for body, text := range map[string]string{
		`{"metadata":{"name":"a"},"spec":{},"spec":{}}`:               "spec is given twice",
		`{"metadata":{"name":"a","name":"b"},"spec":{}}`:              "metadata.name is given twice",
		`{"metadata":{"name":"a","n\u0061me":"b"},"spec":{}}`:         "metadata.name is given twice",
		`{"metadata":{"labels":{"x":"1","x":"2"}},"spec":{}}`:         "metadata.labels.x is given twice",
		`{"metadata":{"name":"a"},"spec":{}} {}`:                      "more than one JSON value",
		`{"metadata":{"name":"a"},"spec":{}`:                          "not valid JSON",
		`{"metadata":{"name":"a"},"spec":{"icon":tru}}`:               "not valid JSON",
		"{\"metadata\":{\"name\":\"\xff\"}}":                          "not UTF-8",
		strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200): "nests deeper",
		`[]`: "expected object",
		`""`: "expected object",
		``:   "request body is required",
	} {
		f.send("POST", "/api/providers", body).want(http.StatusBadRequest).holds(text, `"code":"invalid"`)
	}
}

func TestBody_IsBounded(t *testing.T) {
	f := start(t)
	large := `{"metadata":{"name":"a","description":"` + strings.Repeat("x", 1<<20) + `"},"spec":{}}`
	f.send("POST", "/api/providers", large).want(http.StatusRequestEntityTooLarge).holds("1 MiB")
}

func TestBody_RefusesNumbersThatDoNotFit(t *testing.T) {
	f := start(t)
	for _, amount := range []string{"1.5", "1e30", "9007199254740993000000", "-1", `"7"`, "1e999"} {
		answer := f.send("POST", "/api/rate-limits",
			`{"metadata":{"name":"a"},"spec":{"rules":[{"meter":"requests","amount":`+amount+`,"window":60,"strategy":"sliding-window"}]}}`)
		if answer.want(http.StatusBadRequest); strings.Contains(answer.text, "Go ") || strings.Contains(answer.text, "unmarshal") {
			t.Errorf("%s: the decoder's text comes through: %s", amount, answer.text)
		}
	}
}

// No text of the request comes back in a refusal, whatever is wrong with it.
func TestRefusals_NeverEchoWhatWasSent(t *testing.T) {
	f := start(t)
	f.create("host", hostBody)
	id := f.create("host-key", `{"metadata":{"name":"a"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"first-value"}}`)
	const canary = "CANARY-5up3r-secret"
	for _, r := range [][3]string{
		{"POST", "/api/host-keys", `{"metadata":{"name":"b"},"spec":{"hostId":"up","source":{"kind":"` + canary + `"},"value":"` + canary + `"}}`},
		{"POST", "/api/host-keys", `{"metadata":{"name":"b"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":["` + canary + `"]}}`},
		{"POST", "/api/host-keys", `{"metadata":{"name":"b"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":{"x":"` + canary + `"}}}`},
		{"POST", "/api/host-keys", `{"metadata":{"name":"b"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"` + canary + `\n"}}`},
		{"POST", "/api/host-keys", `{"metadata":{"name":"b"},"spec":{"hostId":"up","source":{"kind":"env"},"value":"` + canary + `"}}`},
		{"POST", "/api/host-keys", `{"metadata":{"name":"b"},"spec":{"value":"` + canary + `",`},
		{"POST", "/api/host-keys", `{"metadata":{"name":"a"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"` + canary + `"}}`},
		{"PATCH", "/api/host-keys/by-id/" + id, `{"spec":{"value":"` + canary + `"}}`},
		{"PUT", "/api/host-keys/by-id/" + id, `{"metadata":{"name":"a"},"spec":{"hostId":"up","source":{"kind":"stored"},"value":"` + canary + `"}}`},
		{"POST", "/api/host-keys/by-id/" + id + "/rotate", `{"value":"` + canary + ` "}`},
		{"POST", "/api/host-keys/by-id/" + id + "/rotate", `{"value":"sk-wr-` + canary + `"}`},
		{"POST", "/api/host-keys/by-id/" + id + "/rotate", `{"values":"x","value":7,"value2":"` + canary + `"}`},
		{"POST", "/api/relay-keys", `{"metadata":{"name":"k"},"spec":{"keyHash":"` + canary + `"}}`},
		{"POST", "/api/connect", `{"host":"up","value":"` + canary + `"}`},
		{"POST", "/api/connect", `{"host":"up","value":"` + canary + `","env":"X"}`},
		{"POST", "/api/connect", `{"host":"up","value":"` + canary + ` "}`},
		{"POST", "/api/hosts", `{"metadata":{"name":"h"},"spec":{"baseURL":"https://user:` + canary + `@h.example/v1","auth":"bearer"}}`},
		{"POST", "/api/hosts", `{"metadata":{"name":"h"},"spec":{"baseURL":"https://h.example/v1?key=` + canary + `","auth":"bearer"}}`},
		{"POST", "/api/hosts", `{"metadata":{"name":"h"},"spec":{"baseURL":"https://h.example/v1","auth":"bearer","drainOnDisconnect":"` + canary + `"}}`},
		{"GET", "/api/hosts?limit=" + canary, ""},
		{"GET", "/api/usage/events?since=" + canary, ""},
		{"GET", "/api/hosts/" + canary, ""},
		{"GET", "/" + canary, ""},
		{"POST", "/api/apply", `{"documents":[{"kind":"host-key","metadata":{"name":"b"},"spec":{"host":"up","source":{"kind":"stored"},"value":"` + canary + `"}}]}`},
	} {
		answer := f.send(r[0], r[1], r[2])
		if answer.status < 400 || strings.Contains(answer.text, canary) {
			t.Errorf("%s %s %s: %d %s", r[0], r[1], r[2], answer.status, answer.text)
		}
	}
}
