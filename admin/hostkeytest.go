package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"relay/gateway/plan"
	"relay/store"
)

// KeyTest is what one cheap call with a host key has shown. Result is for
// people and holds neither the key nor what the host has answered.
type KeyTest struct {
	OK           bool   `json:"ok" doc:"The host takes the key."`
	Result       string `json:"result" doc:"What was found, in words."`
	Status       int    `json:"status,omitempty" doc:"HTTP status of the host; absent when it gave none."`
	Class        string `json:"class,omitempty" doc:"What the failure means for the key: auth, quota, rate_limit, overloaded, server_error, network, unreachable, request; value when the key itself cannot be read."`
	Models       int    `json:"models" doc:"Models that the host lists."`
	Milliseconds int64  `json:"milliseconds" doc:"How long the call took."`
}

type keyTestOutput struct {
	Body KeyTest
}

func (k hostKeys) testRoute() {
	op := k.operation(http.MethodPost, "/by-id/{id}/test", "test", "Try the key with one cheap call")
	huma.Register(k.api, op, func(ctx context.Context, in *bareInput) (*keyTestOutput, error) {
		c := k.DB.Catalog()
		key, err := current[store.HostKeySpec](c, store.KindHostKey, in.ID, "")
		if err != nil {
			return nil, k.refusal(err)
		}
		if k.Upstream == nil {
			return nil, needsServer()
		}
		return &keyTestOutput{Body: k.try(ctx, c.Hosts.Get(key.Spec.HostID), key)}, nil
	})
}

// bareInput is a call on a record that takes nothing else.
type bareInput struct {
	ID   string `path:"id"`
	Body *noMembers
}

func needsServer() *Problem {
	return problem(http.StatusServiceUnavailable, "this needs a running server: start relay serve and repeat it")
}

// try makes the call. Whatever comes of it is the result of the test.
func (k hostKeys) try(ctx context.Context, host *store.Host, key *store.HostKey) KeyTest {
	value, err := k.DB.HostKeyValue(key)
	if err != nil {
		return KeyTest{Class: "value", Result: strings.TrimPrefix(err.Error(), "host key "+key.Metadata.Name+": ")}
	}
	ctx, cancel := context.WithTimeout(ctx, upstreamTimeout)
	defer cancel()
	begun := k.Now()
	models, err := k.Upstream.ListModels(ctx, host, value)
	found := outcome(host, len(models), err)
	found.Milliseconds = k.Now().Sub(begun).Milliseconds()
	return found
}

func outcome(host *store.Host, models int, err error) KeyTest {
	var fault *plan.UpstreamError
	switch {
	case err == nil:
		return KeyTest{OK: true, Status: http.StatusOK, Models: models,
			Result: fmt.Sprintf("host %s takes the key and lists %s", host.Metadata.Name, counted(models, "model"))}
	case errors.As(err, &fault):
		return KeyTest{Status: fault.Status, Class: fault.Class, Result: fault.Error()}
	}
	return KeyTest{Class: "unreachable", Result: fmt.Sprintf("host %s did not answer within %s", host.Metadata.Name, upstreamTimeout)}
}

func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// TestHostKey tries the host key with the id. A key that does not work is no
// error: the answer says so.
func (c *Client) TestHostKey(ctx context.Context, id string) (*KeyTest, error) {
	return call[KeyTest](ctx, c, request{method: http.MethodPost, path: byID(store.KindHostKey, id) + "/test"})
}
