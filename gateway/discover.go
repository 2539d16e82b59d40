package gateway

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"relay/gateway/http1"
	"relay/gateway/plan"
	"relay/gateway/wire"
	"relay/store"
)

// Prober makes the upstream calls of administration under the dial rules of
// the request path. It implements plan.Upstream and works without a Server.
type Prober struct {
	Version     string
	DenyPrivate bool
	Own         func() []netip.AddrPort // Relay's listeners, never dialled
	Resolver    *net.Resolver           // nil: the system's
}

const probeTimeout = 15 * time.Second

// ListModels asks the host for its model list with the key, which also tests
// the key. Lists of the forms {"data":[{"id"}]} and {"models":[{"name"}]} are
// read.
func (p *Prober) ListModels(ctx context.Context, h *store.Host, key store.Secret) ([]string, error) {
	up := newUpstream(h.Spec, dialRules{denyPrivate: p.DenyPrivate, own: p.Own, resolver: p.Resolver}, 0)
	defer up.sender.close()
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	var call http1.Call
	defer call.Cancel(nil)
	resp, err := up.sender.send(ctx, &call, p.request(up, key))
	if err != nil {
		return nil, &plan.UpstreamError{Class: classUnreachable.String(), Message: "host " + h.Metadata.Name + " at " + up.base.Host + " cannot be reached: " + dialReason(err)}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	if err != nil {
		return nil, &plan.UpstreamError{Status: resp.StatusCode, Class: classNetwork.String(), Message: "host " + h.Metadata.Name + " broke its answer off"}
	}
	if resp.StatusCode != http.StatusOK {
		return nil, probeError(h, resp.StatusCode, body)
	}
	return modelNames(h, body)
}

func (p *Prober) request(up *upstream, key store.Secret) upRequest {
	given := http.Header{"Accept": {wire.ContentTypeJSON}, "Accept-Encoding": {"identity"}, "User-Agent": {"relay/" + p.Version}}
	if slices.Contains(up.spec.Shapes, store.ShapeAnthropic) {
		given.Set("Anthropic-Version", anthropicVersion)
	}
	at := up.url(modelsSuffix)
	at.RawQuery = wholeList(up.spec.Shapes)
	r := upRequest{method: http.MethodGet, at: at, hosts: hostFields(up.spec, given)}
	r.start = up.start(r.method, r.at, r.hosts)
	r.fields = appendKey(nil, &up.spec, up.keyHeader, &plan.HostKey{Value: key, Anonymous: key.IsZero()})
	return r
}

// wholeList asks for all models at once, where a vendor gives a few a page
// (https://docs.claude.com/en/api/models-list, https://ai.google.dev/api/models).
func wholeList(shapes []store.Shape) string {
	if len(shapes) == 0 {
		return ""
	}
	switch shapes[0] {
	case store.ShapeAnthropic:
		return "limit=1000"
	case store.ShapeGemini:
		return "pageSize=1000"
	}
	return ""
}

func probeError(h *store.Host, status int, body []byte) error {
	f := wire.AnswerFailure(status, body)
	e := &plan.UpstreamError{Status: status, Class: classOf(&f).String()}
	switch c := classOf(&f); {
	case c == classAuth:
		e.Message = "host " + h.Metadata.Name + " does not accept the key"
	case status == http.StatusNotFound:
		e.Message = "host " + h.Metadata.Name + " has no model list at " + h.Spec.BaseURL + modelsSuffix.path + "; check the base URL, which includes the version segment (…/v1)"
	case status >= 300 && status < 400:
		e.Message = "host " + h.Metadata.Name + " answers with a redirect, which Relay never follows; correct the base URL"
	default:
		e.Message = "host " + h.Metadata.Name + " answered with status " + strconv.Itoa(status)
	}
	return e
}

// modelNames reads {"data":[{"id"}]}, or {"models":[{"name"}]} where that is no
// list.
func modelNames(h *store.Host, body []byte) ([]string, error) {
	var data, models []string
	var isData, isModels bool
	w := wire.Walk(body)
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "data":
			data, isData = namesIn(&w, "id")
		case "models":
			models, isModels = namesIn(&w, "name")
		}
	}
	switch {
	case !w.End() || !isData && !isModels:
		return nil, &plan.UpstreamError{Status: http.StatusOK, Class: classServerError.String(), Message: "host " + h.Metadata.Name + " answers at " + h.Spec.BaseURL + modelsSuffix.path + ", but with no list of models"}
	case isData:
		return data, nil
	case slices.Contains(h.Spec.Shapes, store.ShapeGemini):
		return plainNames(models), nil
	}
	return models, nil
}

// plainNames are the names of Gemini's list as callers write them: it calls each
// one a resource, models/NAME (https://ai.google.dev/api/models).
func plainNames(resources []string) []string {
	for i, name := range resources {
		resources[i] = strings.TrimPrefix(name, "models/")
	}
	return resources
}

// namesIn reads the texts of one member of each object in an array; ok is false
// for another value.
func namesIn(w *wire.Walker, member string) (names []string, ok bool) {
	ok = w.First() == '['
	for more := w.Array(); more; more = w.Element() {
		for more := w.Object(); more; more = w.Member() {
			if string(w.Name()) != member {
				continue
			}
			if name, isText := w.Text(nil); isText {
				names = append(names, string(name))
			}
		}
	}
	return names, ok
}
