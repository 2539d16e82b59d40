package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// TestThoughts_OfALocalModelComeAtOnce is case B62: a piece is with the caller
// before the host says the next, under the name that its shape has for it.
func TestThoughts_OfALocalModelComeAtOnce(t *testing.T) {
	lines := []string{
		`{"model":"m","message":{"role":"assistant","content":"","thinking":"hm1"},"done":false}` + "\n", `{"model":"m","message":{"role":"assistant","content":"","thinking":"hm2"},"done":false}` + "\n",
		`{"model":"m","message":{"role":"assistant","content":"yes"},"done":false}` + "\n",
	}
	compatible := func(name string) (events []string) {
		for _, text := range []string{`"` + name + `":"hm1"`, `"` + name + `":"hm2"`, `"content":"yes"`} {
			events = append(events, gatewaytest.Data(`{"choices":[{"index":0,"delta":{`+text+`},"finish_reason":null}]}`))
		}
		return events
	}
	for _, c := range []struct {
		caller, to, host string
		pieces           []string
		named            string
	}{
		{"ollama stream", "ollama", "ollama stream", lines, `"thinking":"%s"`},
		{"chat stream", "ollama", "ollama stream", lines, `"reasoning_content":"%s"`},
		{"messages stream", "ollama", "ollama stream", lines, `"thinking_delta","thinking":"%s"`},
		{"messages stream", "openai", "chat stream", compatible("reasoning"), `"thinking_delta","thinking":"%s"`},
		{"ollama stream", "openai", "chat stream", compatible("reasoning_content"), `"thinking":"%s"`},
		{"responses stream", "openai", "chat stream", compatible("reasoning_content"), `"response.reasoning_summary_text.delta",%s`},
	} {
		t.Run(c.caller+" to "+c.to, func(t *testing.T) {
			r, up := newTongues(t)
			host, caller := kindsNamed(c.host)[0], kindsNamed(c.caller)[0].of("to-"+c.to)
			heard := make(chan struct{})
			parts := []gatewaytest.Script{host.head()}
			for _, piece := range c.pieces {
				parts = append(parts, gatewaytest.Chunk(piece), gatewaytest.Wait(heard))
			}
			up.Play(gatewaytest.Join(append(parts, host.closing())...))
			_, answer := r.stream(caller, r.key("k", store.RelayKeySpec{}))
			said := ""
			for _, piece := range []string{"hm1", "hm2", "yes"} {
				said = r.hears(answer, piece, 1)
				if want := strings.Split(fmt.Sprintf(c.named, piece), ",")[0]; piece != "yes" && !strings.Contains(said+`"`, want) {
					t.Errorf("%s is told in %q, not as %s", piece, said, want)
				}
				heard <- struct{}{}
			}
			if _, err := readAll(answer.Body); err != nil {
				t.Error(err)
			}
		})
	}
}
