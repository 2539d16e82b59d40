package hub_test

import (
	"testing"

	"relay/gateway/wire/hub"
)

func TestOwn_SendsUpWhatOnlyTheShapeKnows(t *testing.T) {
	body := []byte(`{"model":"m","odd" : {"b": 1, "a":[9007199254740993]},"\u006fdd2":true,"top_k":7,"temperature":1,"n":2,"store":true,"include":["x"],"api_key":"k","none":null,"nested":{"odd":1}}`)
	var r hub.Request
	for p, name := range map[hub.Param]string{hub.TopK: "top_k", hub.Temperature: "temperature", hub.Choices: "n", hub.Store: "store", hub.Include: "include", hub.Seed: "config.seed"} {
		r.Set(p, name, []byte("1"))
	}
	for _, name := range []string{"odd", "odd2", "api_key", "none", "nested.odd"} {
		r.AddUnknown(name, []byte("1"))
	}
	fates := all(hub.Ignored)
	fates[hub.Temperature], fates[hub.Choices] = hub.Carried, hub.Refused
	own := r.Own(body, "shape", fates)
	if got, want := string(own.Extension("shape")), `{"odd":{"b": 1, "a":[9007199254740993]},"odd2":true,"top_k":7}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for p, left := range map[hub.Param]bool{hub.TopK: false, hub.Temperature: true, hub.Choices: true, hub.Store: true, hub.Include: true, hub.Seed: true} {
		if got := own.Param(p) != nil; got != left {
			t.Errorf("%s is left: %v", p, got)
		}
	}
	if len(own.Unknown) != 3 || len(r.Unknown) != 5 || r.Param(hub.TopK) == nil || r.Extensions != nil {
		t.Errorf("left %v of %v", own.Unknown, r.Unknown)
	}
}

func TestOwn_AddsNothingWhereNothingWouldBeLost(t *testing.T) {
	var r hub.Request
	r.Set(hub.Temperature, "temperature", []byte("1"))
	if own := r.Own([]byte(`{"model":"m","temperature":1,"messages":[]}`), "shape", all(hub.Carried)); own.Extensions != nil || own.Param(hub.Temperature) == nil {
		t.Errorf("got %+v", own)
	}
}
