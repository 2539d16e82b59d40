package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"relay/store"
)

// inImages puts a URL where requests of a kind name images.
func inImages(k kind, url string) string {
	text := `"content":"hi"`
	switch {
	case strings.HasSuffix(k.path, "/chat/completions"):
		return strings.Replace(k.json(), text, `"content":[{"type":"image_url","image_url":{"url":"`+url+`"}}]`, 1)
	case strings.HasSuffix(k.path, "/messages"):
		return strings.Replace(k.json(), text, `"content":[{"type":"image","source":{"type":"url","url":"`+url+`"}}]`, 1)
	case strings.HasSuffix(k.path, "/responses"):
		return strings.Replace(k.json(), `"input":"hi"`, `"input":[{"role":"user","content":[{"type":"input_image","image_url":"`+url+`"}]}]`, 1)
	case strings.Contains(k.path, "/models/"):
		return strings.Replace(k.json(), `{"text":"hi"}`, `{"fileData":{"fileUri":"`+url+`"}}`, 1)
	}
	return strings.Replace(k.json(), text, `"content":"hi","images":["`+url+`"]`, 1)
}

// The URL of an image is the upstream's affair: Relay passes it on as it is and
// never looks at what is there.
func TestImages_AreNeverFetched(t *testing.T) {
	var hits atomic.Int64
	victim := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	}))
	t.Cleanup(victim.Close)
	port := victim.URL[strings.LastIndex(victim.URL, ":"):]
	urls := []string{
		victim.URL + "/secret.png", "http://localhost" + port + "/", "http://[::1]" + port + "/", "http://2130706433" + port + "/", "http://0x7f.1" + port + "/x",
		"http://169.254.169.254/latest", "file:///etc/passwd", "gopher://127.0.0.1" + port, "data:image/png;base64,iVBORw0KGgo=",
	}
	for _, k := range kinds() {
		if k.name == "embeddings" {
			continue // takes no images
		}
		r, up := newStand(t)
		up.Otherwise(k.says(7, 3))
		key := r.key("laptop", store.RelayKeySpec{})
		for i, url := range urls {
			body := inImages(k, url)
			if !strings.Contains(body, url) {
				t.Fatalf("%s: the body names no image: %s", k.name, body)
			}
			r.want(r.post(k.path, key, body), 200, "")
			if sent := string(up.Request(i).Body); !strings.Contains(sent, url) {
				t.Errorf("%s: %s went up as %s", k.name, url, sent)
			}
		}
		r.wantArrived(up, len(urls))
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d images have been fetched", n)
	}
}
