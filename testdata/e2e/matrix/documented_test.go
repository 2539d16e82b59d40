package matrix_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"relay/testdata/e2e/strict"
)

// documented is what docs/wire.md says of a parameter: its fate by shape.
type documented map[string]map[string]string

// readDocumented reads the table of parameters.
func readDocumented(t *testing.T) documented {
	t.Helper()
	text, err := os.ReadFile("../../../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "<!-- parameters -->\n")
	if !found {
		t.Fatal("docs/wire.md has no table of parameters")
	}
	table, _, _ = strings.Cut(table, "<!-- /parameters -->")
	var columns []string
	rows := documented{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		if columns == nil {
			columns = cells
			continue
		}
		fates := map[string]string{}
		for i, cell := range cells {
			fates[columns[i]] = cell
		}
		rows[cells[0]] = fates
	}
	return rows
}

// TestParametersFareAsTheyAreDocumented sends every sample to every foreign shape,
// whose provider must take what goes up.
func TestParametersFareAsTheyAreDocumented(t *testing.T) {
	table := readDocumented(t)
	for i, s := range append(samples(), conversations()...) {
		if table[s.row] == nil {
			t.Errorf("docs/wire.md has no row of %s", s.row)
			continue
		}
		for _, upstream := range shapes() {
			if upstream == s.shape {
				continue
			}
			t.Run(s.shape+"/"+s.row+"/"+upstream, func(t *testing.T) {
				c := cell{T: t, upstream: upstream, model: upstream + "-mini", name: "documented" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "-" + upstream}
				c.fares(s, table[s.row][strict.ShapeName(upstream)])
			})
		}
	}
}

func (c cell) fares(s sample, fate string) {
	resp, body := c.post(s)
	var dropped []string
	if said := resp.Header.Get("X-Relay-Dropped-Params"); said != "" {
		dropped = strings.Split(said, ", ")
	}
	seen := bench.providers.Seen(c.name)
	switch fate {
	case "refused":
		if resp.StatusCode != http.StatusBadRequest || len(seen) > 0 || s.shape != strict.Messages && s.shape != strict.Ollama && !strings.Contains(body, "unsupported_param") {
			c.Errorf("a parameter that is refused: %d %s\n%s", resp.StatusCode, body, c.bodies())
		}
	case "ignored":
		if resp.StatusCode != http.StatusOK || !slices.Contains(dropped, s.member) {
			c.Errorf("a parameter that is ignored: %d %s, dropped %q\n%s", resp.StatusCode, body, dropped, c.bodies())
		}
	case "carried":
		if c.upstream == strict.Gemini { // which takes documents without their names
			dropped = slices.DeleteFunc(dropped, func(name string) bool { return name == "file name" })
		}
		if resp.StatusCode != http.StatusOK || len(dropped) > 0 {
			c.Errorf("a parameter that is carried: %d %s, dropped %q\n%s", resp.StatusCode, body, dropped, c.bodies())
		}
	default:
		c.Errorf("the table says %q", fate)
	}
}

// body writes the sample as its shape has it, and says where it goes.
func (s sample) body() (path, body string) {
	bodies := map[string][3]string{
		strict.Chat:      {"/v1/chat/completions", `"model":"MODEL","messages":`, `[{"role":"user","content":PROMPT}]`},
		strict.Responses: {"/v1/responses", `"model":"MODEL","store":false,"input":`, `PROMPT`},
		strict.Messages:  {"/v1/messages", `"model":"MODEL","max_tokens":5000,"messages":`, `[{"role":"user","content":PROMPT}]`},
		strict.Gemini:    {"/v1beta/models/MODEL:generateContent", `"contents":`, `[{"role":"user","parts":[{"text":PROMPT}]}]`},
		strict.Ollama:    {"/api/chat", `"model":"MODEL","stream":false,"messages":`, `[{"role":"user","content":PROMPT}]`},
	}
	at := bodies[s.shape]
	if s.said {
		return at[0], "{" + at[1] + s.json + "}"
	}
	return at[0], "{" + at[1] + at[2] + "," + s.json + "}"
}

// post calls a model with a sample.
func (c cell) post(s sample) (*http.Response, string) {
	c.Helper()
	fill := strings.NewReplacer("MODEL", c.model, "PROMPT", encoded("Answer in JSON. [script:text] [cell:"+c.name+"]"))
	path, body := s.body()
	if body = fill.Replace(body); !json.Valid([]byte(body)) {
		c.Fatalf("the sample is no JSON: %s", body)
	}
	request, err := http.NewRequestWithContext(c.context(), http.MethodPost, bench.relay.URL+fill.Replace(path), strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+bench.key)
	request.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		c.Fatal(err)
	}
	return resp, string(answer)
}
