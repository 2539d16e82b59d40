package store_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"relay/store"
)

// typicalEvent is a priced chat completion that passed the whole ladder.
func typicalEvent() *store.Event {
	id := func() string { return uuid.Must(uuid.NewV7()).String() }
	cost := int64(4_215_000)
	model, key := id(), id()
	return &store.Event{
		At: time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.UTC), RequestID: id(),
		Source: "pipeline", Endpoint: "chat", ShapeIn: "openai", ShapeOut: "anthropic", Streamed: true, Status: 200,
		DurationMS: 2314, TTFTMS: 412, OverheadUS: 187,
		Attempts: []store.EventAttempt{{HostKey: key, Model: model, Status: 200, MS: 2310}},
		Model:    model, RequestedModel: "gpt-4.1-mini", Host: id(), Provider: id(), HostKey: key,
		Policies:     []string{id(), id()},
		Organization: id(), Team: id(), Project: id(),
		Principal:     store.Ref{Kind: store.KindServiceAccount, ID: id()},
		Credential:    store.Credential{Kind: store.KindRelayKey, ID: id(), Prefix: "sk-wr-AbCdEfGh"},
		Tokens:        store.Tokens{Input: 1830, Output: 412, CacheRead: 12000, CacheCreation: 800, Reasoning: 96},
		FinishReason:  "stop",
		CostNanos:     &cost,
		CostBreakdown: []store.CostPart{{Meter: "tokens.input", Nanos: 1_200_000}, {Meter: "tokens.output", Nanos: 2_800_000}, {Meter: "tokens.cache_read", Nanos: 215_000}},
		Pricing:       id(),
	}
}

// fullEvent has every member set, in the forms that typicalEvent leaves out.
func fullEvent() *store.Event {
	e := typicalEvent()
	e.ErrorKind, e.Source, e.Endpoint, e.Model = "a kind of its own", "elsewhere", "telepathy", "no-uuid"
	e.Attempts = append(e.Attempts, store.EventAttempt{HostKey: "k", Model: "m", Status: 529, ErrorKind: "upstream_timeout", MS: -1})
	e.User, e.Session, e.ClientIP = "maria", uuid.NewString(), "2001:db8::1"
	e.Tokens.CacheCreation1h, e.Tokens.ServerToolUseInput, e.Tokens.ServerToolUseOutput = 1, 2, 1<<62
	e.Tokens.AudioInput, e.Tokens.AudioOutput = -5, 6
	e.Units = store.Units{Seconds: 12.75, Images: 3}
	e.UsageMissing, e.UsageClamped, e.Truncated = true, true, true
	e.RefusedBy = store.RefusedBy{Limit: uuid.NewString(), Meter: "tokens.output"}
	e.Tags = map[string]string{"team": "blue", "": "x", "empty": "", "ümlaut": "\x00"}
	return e
}

func TestAppendEvent_ComesBackAsItWas(t *testing.T) {
	negative := typicalEvent()
	negative.Status, negative.Attempts[0].Status = -1, -7
	zero := &store.Event{At: time.Unix(0, 0).UTC(), CostNanos: new(int64)}
	for name, e := range map[string]*store.Event{"typical": typicalEvent(), "full": fullEvent(), "negative": negative, "zero": zero} {
		got := store.Event{User: "left over"}
		if err := store.DecodeEvent(store.AppendEvent(nil, e), &got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(*e, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAppendEvent_LeavesNoMemberOut(t *testing.T) {
	v := reflect.ValueOf(*fullEvent())
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; name != "Seq" && v.Field(i).IsZero() {
			t.Errorf("fullEvent does not set %s, so that nothing shows whether it is kept", name)
		}
	}
	tokens := reflect.ValueOf(fullEvent().Tokens)
	for i := range tokens.NumField() {
		if tokens.Field(i).IsZero() {
			t.Errorf("fullEvent does not set %s", tokens.Type().Field(i).Name)
		}
	}
}

func TestAppendEvent_TakesLessThan400BytesOnDisk(t *testing.T) {
	const keyAndElement = 16 + 16 // what bbolt adds
	size := len(store.AppendEvent(nil, typicalEvent())) + keyAndElement
	t.Logf("%d bytes on disk", size)
	if size >= 400 {
		t.Errorf("%d bytes on disk", size)
	}
}

func TestAppendEvent_AllocatesNothingWhenThereIsRoom(t *testing.T) {
	e, dst := fullEvent(), make([]byte, 0, 2048)
	if n := testing.AllocsPerRun(100, func() { dst = store.AppendEvent(dst[:0], e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	prefixed := store.AppendEvent([]byte("before"), e)
	var got store.Event
	if err := store.DecodeEvent(prefixed[len("before"):], &got); err != nil {
		t.Error(err)
	}
}

func TestDecodeEvent_RefusesEveryFlippedBitAndEveryCut(t *testing.T) {
	whole := store.AppendEvent(nil, fullEvent())
	var e store.Event
	for i := range whole {
		if store.DecodeEvent(whole[:i], &e) == nil {
			t.Errorf("cut after %d bytes: accepted", i)
		}
		for bit := range 8 {
			whole[i] ^= 1 << bit
			if store.DecodeEvent(whole, &e) == nil {
				t.Errorf("bit %d of byte %d flipped: accepted", bit, i)
			}
			whole[i] ^= 1 << bit
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add(store.AppendEvent(nil, typicalEvent())[5:])
	f.Add(store.AppendEvent(nil, fullEvent())[5:])
	f.Fuzz(func(t *testing.T, fields []byte) {
		var e, again store.Event
		if store.DecodeEvent(store.SealEvent(fields), &e) != nil {
			return
		}
		if err := store.DecodeEvent(store.AppendEvent(nil, &e), &again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, again, cmpopts.EquateNaNs()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDecodeEvent_NeverPanics(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	valid := store.AppendEvent(nil, fullEvent())[5:]
	for range 20000 {
		fields := append([]byte(nil), valid[:random.IntN(len(valid))]...)
		for range 1 + random.IntN(4) {
			if len(fields) > 0 {
				fields[random.IntN(len(fields))] = byte(random.Uint32())
			}
		}
		var e store.Event
		_ = store.DecodeEvent(store.SealEvent(fields), &e)
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	e, dst := typicalEvent(), make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		dst = store.AppendEvent(dst[:0], e)
	}
	b.SetBytes(int64(len(dst)))
}

func BenchmarkDecodeEvent(b *testing.B) {
	encoded := store.AppendEvent(nil, typicalEvent())
	b.ReportAllocs()
	for b.Loop() {
		var e store.Event
		if err := store.DecodeEvent(encoded, &e); err != nil {
			b.Fatal(err)
		}
	}
}
