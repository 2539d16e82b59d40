package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const crashClients = 64

// answered is one request that its caller has a whole answer to.
type answered struct {
	id     string
	status int
	end    time.Time
}

// client sends requests one after the other.
type client struct {
	http *http.Client
	url  string
	id   string // begins the ids of its requests
	sent int
	log  []answered
	only *credential // its own; nil: those of all in turn
}

// newClients returns clients whose request ids begin with id.
func newClients(url, id string) []*client {
	shared := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: crashClients}}
	clients := make([]*client, crashClients)
	for i := range clients {
		clients[i] = &client{http: shared, url: url + "/v1/chat/completions", id: fmt.Sprintf("%s-%d", id, i)}
	}
	return clients
}

var errPartial = errors.New("the answer is not whole")

// call sends a request under the key and waits for the last byte. User names
// the key to the upstream. Every fourth request is streamed.
func (c *client) call(ctx context.Context, key, user string) (status int, err error) {
	c.sent++
	streamed := c.sent%4 == 0
	body, err := json.Marshal(map[string]any{
		"model": "chat", "user": user, "stream": streamed,
		"messages": []map[string]string{{"role": "user", "content": strings.Repeat("word ", c.sent%7+1)}},
	})
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	id := fmt.Sprintf("%s-%d", c.id, c.sent)
	r.Header = http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "X-Request-Id": {id}}
	answer, err := c.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	if streamed && answer.StatusCode == http.StatusOK && !bytes.HasSuffix(text, []byte("data: [DONE]\n\n")) {
		return 0, errPartial
	}
	c.log = append(c.log, answered{id, answer.StatusCode, time.Now()})
	return answer.StatusCode, nil
}

// credential is a relay key, and the name by which the upstream knows it.
type credential struct{ name, key string }

// traffic is what came of the requests of clients.
type traffic struct {
	answers []answered
	faults  []fault
}

// fault is an answer that did not come, or not to its end.
type fault struct {
	err error
	at  time.Time
}

// fire lets the clients call, each with the credentials in turn, until there
// is no answer.
func fire(ctx context.Context, clients []*client, credentials ...credential) traffic {
	var all traffic
	var mu sync.Mutex
	var running sync.WaitGroup
	for i, c := range clients {
		running.Go(func() {
			err := error(nil)
			for n := i; err == nil; n++ {
				with := credentials[n%len(credentials)]
				if c.only != nil {
					with = *c.only
				}
				_, err = c.call(ctx, with.key, with.name)
			}
			at := time.Now()
			mu.Lock()
			defer mu.Unlock()
			all.answers = append(all.answers, c.log...)
			all.faults = append(all.faults, fault{err, at})
		})
	}
	running.Wait()
	clients[0].http.CloseIdleConnections()
	return all
}

// exhaust lets each client call under the credential until it is refused.
func exhaust(ctx context.Context, clients []*client, with credential) error {
	failed := make(chan error, len(clients))
	for _, c := range clients {
		go func() {
			for {
				status, err := c.call(ctx, with.key, with.name)
				if err != nil || status == http.StatusTooManyRequests {
					failed <- err
					return
				}
			}
		}()
	}
	var errs []error
	for range clients {
		errs = append(errs, <-failed)
	}
	clients[0].http.CloseIdleConnections()
	return errors.Join(errs...)
}
