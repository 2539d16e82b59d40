package gateway_test

import (
	"testing"
	"time"

	"relay/gateway/gatewaytest"
	"relay/store"
)

// eachKind runs a test once for every kind on one stand, days apart: of windows
// of a day and less there is nothing left then.
func (r *rig) eachKind(t *testing.T, all []kind, test func(t *testing.T, k kind)) {
	t.Helper()
	former := r.tb
	defer func() { r.tb = former }()
	for _, k := range all {
		t.Run(k.name, func(t *testing.T) {
			r.tb = t
			r.nextNoon()
			test(t, k)
		})
	}
}

// nextNoon goes on to the noon after three days. Slots of every window begin
// there.
func (r *rig) nextNoon() {
	r.at(noon.AddDate(0, 0, int(r.clock.Now().Wall-noon.UnixNano())/int(24*time.Hour)+3))
}

// waitOf is how long a sliding window is full that was filled at noon: a 60th
// longer than it is.
func waitOf(window time.Duration) time.Duration { return window + (window+59)/60 }

// answers makes so many calls that pass, each of so many tokens.
func (r *rig) answers(k kind, up *gatewaytest.Upstream, key string, calls int, input, output int64, headers ...string) {
	r.tb.Helper()
	for range calls {
		up.Play(k.says(input, output))
		r.want(r.ask(k, key, headers...), 200, "")
	}
}

// hangs begins a call that stays in flight until it is ended.
func (r *rig) hangs(k kind, up *gatewaytest.Upstream, key string, before ...gatewaytest.Script) (end func()) {
	r.tb.Helper()
	goOn, arrived := make(chan struct{}), len(up.Requests())
	up.Play(append(before, k.saysAfter(5, 5, gatewaytest.Wait(goOn)))...)
	_, call := r.begin(k, key)
	up.Request(arrived + len(before))
	return func() {
		close(goOn)
		call.end()
	}
}

// sitsOut checks that whoever was told to wait so long is refused until then, to
// the nanosecond, and admitted after it.
func (r *rig) sitsOut(k kind, key string, wait time.Duration) {
	r.tb.Helper()
	r.advance(wait - 1)
	r.want(r.ask(k, key), 429, "")
	r.advance(1)
	r.want(r.ask(k, key), 200, "")
}

// fails is an upstream's refusal after which a fallback has its turn.
func fails() gatewaytest.Script { return gatewaytest.JSON(500, upstreamError) }

// aside adds a model at the host of the kind's model, with those that it goes on
// with.
func (r *rig) aside(k kind, name string, limits *store.Limits, fallbacks ...string) {
	r.tb.Helper()
	spec := store.ModelSpec{Limits: limits}
	for _, to := range fallbacks {
		spec.Fallbacks = append(spec.Fallbacks, store.Fallback{ModelID: to})
	}
	r.putAll(
		named(name, spec),
		named(name+"-bound", store.HostBindingSpec{ModelID: name, HostID: k.host(), UpstreamName: name + "-2026", PricingID: r.pricing()}),
	)
}

func named[S any](name string, spec S) *store.Record[S] {
	return &store.Record[S]{Metadata: store.Metadata{Name: name}, Spec: spec}
}

// putAll writes records at once, in place of those of their names. They refer to
// one another by name.
func (r *rig) putAll(records ...store.AnyRecord) {
	r.tb.Helper()
	_, err := r.db.Write(func(e *store.Edit) error {
		for _, rec := range records {
			meta := rec.Meta()
			if former := e.Catalog().Of(rec.Kind()).FindByName(meta.Name); former != nil {
				owner := meta.Owner
				*meta = *former.Meta()
				if owner != nil {
					meta.Owner = owner
				}
			}
			if err := e.Put(rec); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		r.tb.Fatal(err)
	}
}

// shapes are one kind for each model of the stand.
func shapes() []kind {
	return kindsNamed("chat whole", "messages whole", "gemini whole", "ollama whole")
}
