package ollama_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func answers(url string) bool {
	_, err := get(url)
	return err == nil
}

// get reads what must be there.
func get(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: status %d", url, resp.StatusCode)
	}
	return string(body), err
}

// answer is what came of a call.
type answer struct {
	status int
	header http.Header
	body   string
}

// send makes a call and reads its answer whole.
func send(t *testing.T, address, method, path, body string, headers ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resp := open(ctx, t, address, method, path, body, headers...)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: read the answer: %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// open makes a call and leaves its answer to be read.
func open(ctx context.Context, t *testing.T, address, method, path, body string, headers ...string) *http.Response {
	t.Helper()
	resp, err := http.DefaultClient.Do(request(ctx, t, address, method, path, body, headers...))
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp
}

func request(ctx context.Context, t *testing.T, address, method, path, body string, headers ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	return req
}

// control reads from Relay's control API, over its socket.
func control(t *testing.T, path string, into any) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(r.dir, "data", "relay.sock"))
	}}}
	defer client.CloseIdleConnections()
	resp, err := client.Get("http://relay" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: status %d, %v: %s", path, resp.StatusCode, err, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("GET %s: %v: %s", path, err, text)
	}
}

// event is what Relay keeps of one request.
type event struct {
	RequestID    string `json:"request_id"`
	Endpoint     string `json:"endpoint"`
	ShapeIn      string `json:"shape_in"`
	ShapeOut     string `json:"shape_out"`
	Streamed     bool   `json:"streamed"`
	Status       int    `json:"status"`
	ErrorKind    string `json:"error_kind"`
	ModelName    string `json:"model_name"`
	HostName     string `json:"host_name"`
	FinishReason string `json:"finish_reason"`
	Missing      bool   `json:"usage_missing"`
	Tokens       struct {
		Input  int `json:"input"`
		Output int `json:"output"`
	} `json:"tokens"`
}

// recorded waits for the event of a request.
func recorded(t *testing.T, id string) (found event) {
	t.Helper()
	err := eventually("the usage of request "+id+" is recorded", 15*time.Second, func() bool {
		var page struct {
			Items []event `json:"items"`
		}
		control(t, "/api/usage/events?limit=50", &page)
		for _, e := range page.Items {
			if e.RequestID == id {
				found = e
				return true
			}
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tokens are the counts that an answer tells.
type tokens struct{ input, output int }

// counted reads the largest counts of an answer: a JSON document, or a stream of
// them, in any shape.
func counted(body string) (n tokens) {
	for line := range strings.Lines(body) {
		var document any
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &document) == nil {
			n.read(document)
		}
	}
	return n
}

func (n *tokens) read(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			n.read(element)
		}
	case map[string]any:
		for name, member := range value {
			count, _ := member.(float64)
			switch name {
			case "prompt_tokens", "input_tokens", "prompt_eval_count":
				n.input = max(n.input, int(count))
			case "completion_tokens", "output_tokens", "eval_count":
				n.output = max(n.output, int(count))
			}
			n.read(member)
		}
	}
}
