package wire_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"relay/gateway/wire"
)

const upstreamName = `upstream/"näme"`

// TestForwarding_IsReadByNodeAsItWasScanned holds Scan and Splice against
// encoding/json and Node: a body that is accepted says to both what Scan has
// read of it, and what is forwarded names the upstream's model and is the same
// otherwise; a body that is refused is one that they refuse, or that one of the
// rules refuses on top.
func TestForwarding_IsReadByNodeAsItWasScanned(t *testing.T) {
	node := startNode(t, "read.mjs")
	r := rand.New(rand.NewPCG(7, 8))
	accepted, refused, forwarded := 0, 0, 0
	for i := range 10_000 + len(oddBodies) {
		body := mutate(r, []byte(seeds[r.IntN(len(seeds))]))
		if i < len(oddBodies) {
			body = []byte(oddBodies[i])
		}
		switch ok, named := compareNode(t, node, body); {
		case named:
			forwarded++
			fallthrough
		case ok:
			accepted++
		default:
			refused++
		}
	}
	t.Logf("%d bodies accepted, %d of them forwarded, %d refused", accepted, forwarded, refused)
	if forwarded < 500 || refused < 500 {
		t.Error("the mutations are all of one kind")
	}
}

// oddBodies are those that gateways have been walked around with.
var oddBodies = [...]string{
	"", " ", "null", "[]", `"model"`, "\xef\xbb\xbf{\"model\":\"m\"}", `{"model":"m"}x`, `{"model":"m"}{"model":"n"}`, `{"model":"m"} `,
	`{"model":"m","model":"n"}`, `{"model":"m","\u006dodel":"n"}`, `{"\u006dodel":"m"}`, `{"Model":"m"}`, `{"mODEL":"m","model":"n"}`,
	`{"model":"m","ſtream":true}`, `{"model":"m","stream":"true"}`, `{"model":"m","stream":1}`, `{"model":"m","stream":null}`,
	`{"messages":[{"model":"deep","stream":true}],"model":"m"}`, `{"metadata":{"model":"deep","Model":1},"model":"m"}`,
	`{"model":null}`, `{"model":7}`, `{"model":["m"]}`, `{"model":{"model":"m"}}`, `{"model":""}`, `{}`, `{"model":"a\u0000b"}`, "{\"model\":\"a\x00b\"}",
	`{"model":"a\u0085"}`, "{\"model\":\"\x7f\"}", `{"model":"` + strings.Repeat("é", 300) + `"}`, `{"model":"` + strings.Repeat("🙂", 300) + `"}`,
	`{"model":"` + strings.Repeat("é", 301) + `"}`, `{"model":"\ud83d\ude42"}`, `{"model":"\ud83d"}`, `{"model":"m","a":"\ude42\ud83d"}`,
	"{\"model\":\"m\xff\"}", "{\"model\":\"m\",\"a\":\"\xed\xa0\x80\"}", "{\"model\":\"m\",\"\xc0\xaf\":1}", `{"model":"m","a":1e400}`, `{"model":"m","a":-1e400}`,
	`{"model":"m","a":` + strings.Repeat("9", 400) + `}`, `{"model":"m","a":9007199254740993,"b":1e-400,"c":-0}`,
	`{"model":"m","a":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`, `{"model":"m","a":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`,
	`{"model":"m","a":` + strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_002), `{"model":"m","__proto__":{"model":"x"},"constructor":1}`,
	`{"model":"m","a":"` + strings.Repeat("long ", 2_000) + `"}`, "{\"model\"\t:\r\n\"m\" , \"a\" :\n[ ] }",
}

// compareNode holds one body against both readers. It reports whether it was
// accepted, and whether it names a model and so was forwarded.
func compareNode(t *testing.T, node *nodeReader, body []byte) (accepted, named bool) {
	t.Helper()
	accepted = compare(t, body)
	var m wire.Members
	var name, sent []byte
	if accepted && wire.Scan(body, &m) == nil {
		name, _ = m.ModelName(body, nil)
		named = name != nil
	}
	if named {
		sent = wire.Splice(nil, body, wire.Edit{At: m.Model, Text: wire.Quote(upstreamName)})
		compareForwarded(t, body, sent)
	}
	switch v := node.judge(t, body, sent); {
	case accepted != (v.Object && v.Legal) && (accepted || !repeats(t, body)):
		t.Errorf("%.300q: Scan accepts: %v; Node: %+v", body, accepted, v)
	case accepted && (v.Names != named || named && v.Model != string(name) || v.Streamed != m.Streamed):
		t.Errorf("%.300q: Scan reads model %q, streamed %v; Node: %+v", body, name, m.Streamed, v)
	case named && (!v.Same || v.Upstream != upstreamName):
		t.Errorf("%.300q was forwarded as %.300q; Node: %+v", body, sent, v)
	}
	return accepted, named
}

// compareForwarded holds the forwarded body against encoding/json.
func compareForwarded(t *testing.T, body, sent []byte) {
	t.Helper()
	before, after := decoded(t, body), decoded(t, sent)
	var model string
	if err := json.Unmarshal(after["model"], &model); err != nil || model != upstreamName {
		t.Errorf("%.300q was forwarded with model %s", body, after["model"])
	}
	delete(before, "model")
	delete(after, "model")
	if fmt.Sprintf("%q", before) != fmt.Sprintf("%q", after) {
		t.Errorf("%.300q was forwarded as %.300q", body, sent)
	}
}

// repeats reports whether an object of a body has two members with one name:
// the first of them no parser shows, so only Scan can have refused it.
func repeats(t *testing.T, body []byte) bool {
	t.Helper()
	return repeatsIn(json.NewDecoder(strings.NewReader(string(body))))
}

func repeatsIn(d *json.Decoder) (found bool) {
	token, err := d.Token()
	if err != nil || token != json.Delim('{') && token != json.Delim('[') {
		return false
	}
	seen := map[any]bool{}
	for d.More() {
		if token == json.Delim('{') {
			name, err := d.Token()
			if err != nil {
				return found
			}
			found = found || seen[name]
			seen[name] = true
		}
		found = repeatsIn(d) || found
	}
	_, _ = d.Token()
	return found
}

// nodeReader is a Node process that reads bodies.
type nodeReader struct {
	in  io.Writer
	out *bufio.Reader
}

// verdict is what Node makes of a body; see testdata/wire/read.mjs.
type verdict struct {
	Object, Legal, Names, Streamed, Same bool
	Model, Upstream                      string
}

func startNode(t *testing.T, script string) *nodeReader {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("this test reads bodies with Node, which is not on the PATH (%v): install it, for instance with apt-get install nodejs", err)
	}
	cmd := exec.Command(path, "../../testdata/wire/"+script)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("node ended: %v", err)
		}
	})
	return &nodeReader{in, bufio.NewReader(out)}
}

// judge asks Node about a body and what was forwarded of it.
func (n *nodeReader) judge(t *testing.T, body, sent []byte) (v verdict) {
	t.Helper()
	n.ask(t, body, sent, &v)
	return v
}

// ask sends a line of two words and reads the answer.
func (n *nodeReader) ask(t *testing.T, first, second []byte, answer any) {
	t.Helper()
	encode := base64.StdEncoding.EncodeToString
	if _, err := io.WriteString(n.in, encode(first)+" "+encode(second)+"\n"); err != nil {
		t.Fatal(err)
	}
	line, err := n.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("node ended: %v", err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		t.Fatalf("node said %s: %v", line, err)
	}
}
