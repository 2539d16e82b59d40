package cmd_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// imageCalls are calls of one model of every shape, with an image at URL.
func imageCalls() map[string]string {
	return map[string]string{
		"/v1/chat/completions":                 `{"model":"MODEL","messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"URL"}}]}]}`,
		"/v1/messages":                         `{"model":"MODEL","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":SOURCE}]}]}`,
		"/v1/responses":                        `{"model":"MODEL","input":[{"role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"URL"}]}]}`,
		"/v1beta/models/MODEL:generateContent": `{"contents":[{"role":"user","parts":[{"text":"see"},PART]}]}`,
		"/api/chat":                            `{"model":"MODEL","stream":false,"messages":[{"role":"user","content":"see","images":["IMAGE"]}]}`,
		"/v1/generate":                         `{"model":"MODEL","input":[{"type":"message","role":"user","content":[{"type":"text","text":"see"},{"type":"image","url":"URL"}]}]}`,
	}
}

// pixels is a PNG of one point, inline what makes a URL of it.
const (
	inline = "data:image/png;base64,"
	pixels = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

// withImage fills a call in: the URL, or what stands for it where a shape takes
// bytes and addresses in different places.
func withImage(text, model, url string) string {
	source, part, image := `{"type":"url","url":"`+url+`"}`, `{"fileData":{"mimeType":"image/png","fileUri":"`+url+`"}}`, url
	if data, is := strings.CutPrefix(url, inline); is {
		source, part, image = `{"type":"base64","media_type":"image/png","data":"`+data+`"}`, `{"inlineData":{"mimeType":"image/png","data":"`+data+`"}}`, data
	}
	return strings.NewReplacer("MODEL", model, "URL", url, "SOURCE", source, "PART", part, "IMAGE", image).Replace(text)
}

// trap is a listener on both loopback addresses, where they exist, that leads
// back to itself, and how often it was called.
func trap(t *testing.T) (port string, hits *atomic.Int64) {
	t.Helper()
	hits = &atomic.Int64{}
	lead := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:"+port+"/again", http.StatusFound)
	})
	server := httptest.NewUnstartedServer(lead)
	server.Listener = counted{server.Listener, hits}
	server.Start()
	t.Cleanup(server.Close)
	_, port, _ = net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	if six, err := net.Listen("tcp6", "[::1]:"+port); err == nil {
		other := &httptest.Server{Listener: counted{six, hits}, Config: &http.Server{Handler: lead}}
		other.Start()
		t.Cleanup(other.Close)
	}
	return port, hits
}

// counted counts connections.
type counted struct {
	net.Listener
	n *atomic.Int64
}

func (c counted) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.n.Add(1)
	}
	return conn, err
}

// Whatever stands where an image's address belongs goes to the provider as it
// is, or is refused where the provider takes bytes alone. Relay looks at none.
func TestServe_FetchesNoImageForAnybody(t *testing.T) {
	s, up := speaking(t, nil)
	key := s.done("", "key", "add", "laptop")
	port, hits := trap(t)
	urls := []string{
		"http://127.0.0.1:" + port + "/", "http://localhost:" + port + "/x.png", "http://[::1]:" + port + "/", "http://2130706433:" + port + "/",
		"http://0x7f000001:" + port + "/", "http://169.254.169.254/latest", "file:///etc/passwd", "gopher://127.0.0.1:" + port + "/", inline + pixels,
	}
	for path, text := range imageCalls() {
		for _, model := range []string{"to-chat", "to-messages", "to-gemini", "to-ollama"} {
			for _, url := range urls {
				answer, told := s.post(strings.Replace(path, "MODEL", model, 1), key, withImage(text, model, url))
				if sent := up.asked(); !handed(path, model, url, answer.StatusCode, sent) {
					t.Errorf("%s to %s with %s: %d %s, the provider got %q", path, model, url, answer.StatusCode, told, sent)
				}
			}
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("Relay has made %d connections to what images name", n)
	}
	if answer, err := http.DefaultTransport.RoundTrip(httptest.NewRequest(http.MethodGet, urls[0], http.NoBody)); err != nil || answer.Body.Close() != nil || hits.Load() == 0 {
		t.Errorf("nobody would have noticed: %v", err)
	}
}

// handed reports whether the image went up as it came, or was refused because it
// could not.
func handed(path, model, url string, status int, sent []string) bool {
	bytes, isData := strings.CutPrefix(url, inline)
	own := path == "/api/chat" && model == "to-ollama" || strings.HasPrefix(path, "/v1beta/") && model == "to-gemini"
	onlyBytes := path == "/api/chat" || model == "to-gemini" || model == "to-ollama"
	if !isData && !own && onlyBytes {
		return status == http.StatusBadRequest && len(sent) == 0
	}
	return status == http.StatusOK && len(sent) == 1 && (strings.Contains(sent[0], url) || isData && strings.Contains(sent[0], bytes))
}
