package gateway_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"relay/gateway"
	"relay/gateway/gatewaytest"
	"relay/store"
)

// TestProber_ReadsTheListsOfModelsThatHostsGive has answers of several vendors,
// and what is none: the names, or nil for an error.
func TestProber_ReadsTheListsOfModelsThatHostsGive(t *testing.T) {
	for body, want := range map[string][]string{
		`{"object":"list","data":[{"id":"a","n":[1,{}]},{"id":"b\u00e9"},{"id":7},3]}`: {"a", "bé"},
		`{"models":[{"name":"x:latest","details":{"name":"no"}}]}`:                     {"x:latest"},
		`{"data":null,"models":[{"name":"y"}]}`:                                        {"y"},
		`{"models":[{"name":"y"}],"data":[]}`:                                          {},
		`{"data":[{"id":"a"}]`:                                                         nil,
		`[{"id":"a"}]`:                                                                 nil,
		`{"data":{"id":"a"}}`:                                                          nil,
		`<html>`:                                                                       nil,
		`{"data":` + strings.Repeat("[", 4<<20):                                        nil,
	} {
		up := gatewaytest.New(t, gatewaytest.JSON(200, body))
		host := &store.Host{Metadata: store.Metadata{Name: "probed"}, Spec: store.HostSpec{BaseURL: up.URL() + "/v1", Shapes: []store.Shape{store.ShapeOpenAI}}}
		names, err := new(gateway.Prober).ListModels(context.Background(), host, store.Secret{})
		if (err == nil) != (want != nil) || !slices.Equal(names, want) {
			t.Errorf("%.60s: got %q, %v, want %q", body, names, err, want)
		}
	}
}

// TestProber_ReadsNamesOfGeminiAsCallersWriteThem: the list has resources, and
// servers of other shapes may have models whose names begin so.
func TestProber_ReadsNamesOfGeminiAsCallersWriteThem(t *testing.T) {
	for shape, want := range map[store.Shape][]string{
		store.ShapeGemini: {"gemini-a", "tunedModels/b", "c"},
		store.ShapeOllama: {"models/gemini-a", "tunedModels/b", "c"},
	} {
		up := gatewaytest.New(t, gatewaytest.JSON(200, `{"models":[{"name":"models/gemini-a"},{"name":"tunedModels/b"},{"name":"c"}]}`))
		host := &store.Host{Metadata: store.Metadata{Name: "probed"}, Spec: store.HostSpec{BaseURL: up.URL() + "/v1beta", Shapes: []store.Shape{shape}}}
		names, err := new(gateway.Prober).ListModels(context.Background(), host, store.Secret{})
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: got %q, %v, want %q", shape, names, err, want)
		}
	}
}
