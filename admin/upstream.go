package admin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"relay/gateway/plan"
	"relay/store"
)

// upstreamTimeout bounds a call that administration makes to a host.
const upstreamTimeout = 30 * time.Second

// listed asks a host for its models, which also tells whether the key is good.
// Refusals are problems in plain words: 422 when the host did not take what
// was given, 502 when it could not be asked.
func (s *server) listed(ctx context.Context, host *store.Host, key store.Secret) ([]string, error) {
	if s.Upstream == nil {
		return nil, problem(http.StatusServiceUnavailable, "this needs a running server: start relay serve and repeat it")
	}
	ctx, cancel := context.WithTimeout(ctx, upstreamTimeout)
	defer cancel()
	models, err := s.Upstream.ListModels(ctx, host, key)
	if err == nil {
		return models, nil
	}
	var fault *plan.UpstreamError
	if errors.As(err, &fault) {
		return nil, explained(host, fault)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, problem(http.StatusBadGateway, "host %s did not answer within %s; nothing was changed", host.Metadata.Name, upstreamTimeout)
	}
	return nil, err
}

func explained(host *store.Host, fault *plan.UpstreamError) *Problem {
	name := host.Metadata.Name
	switch {
	case fault.Status == http.StatusUnauthorized || fault.Status == http.StatusForbidden:
		return problem(http.StatusUnprocessableEntity,
			"host %s refuses the key (HTTP %d): check that it was copied whole and is not revoked; nothing was changed", name, fault.Status)
	case fault.Status == http.StatusNotFound:
		return problem(http.StatusUnprocessableEntity,
			"host %s has no list of models at its base URL (HTTP 404): the URL includes the version segment, as in https://api.example.com/v1; nothing was changed", name)
	case fault.Status >= 400 && fault.Status < 500:
		return problem(http.StatusUnprocessableEntity,
			"host %s refuses to list its models (HTTP %d): %s; nothing was changed", name, fault.Status, fault.Message)
	}
	return problem(http.StatusBadGateway, "host %s cannot be asked for its models: %s; nothing was changed", name, fault.Error())
}

// keyValue reads the value of a host key from where it is.
func (s *server) keyValue(key *store.HostKey) (store.Secret, error) {
	value, err := s.DB.HostKeyValue(key)
	if err == nil && !value.IsZero() {
		return value, nil
	}
	switch source := key.Spec.Source; source.Kind {
	case "env":
		return value, unprocessable(store.Problem{Field: "env", Message: "the server does not see the environment variable " +
			source.Env + ": start it with the variable set, or give the value itself"})
	case "file":
		return value, unprocessable(store.Problem{Field: "file", Message: "the server cannot read a key from " + source.Path +
			": it has to be a readable file that holds the key and nothing else"})
	}
	return value, unprocessable(store.Problem{Message: "the stored value does not open with this master key: rotate the host key"})
}
