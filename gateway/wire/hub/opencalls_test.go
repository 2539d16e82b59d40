package hub_test

import (
	"slices"
	"testing"

	"relay/gateway/wire/hub"

	"pgregory.net/rapid"
)

// openModel is OpenCalls as one would say it.
type openModel []hub.Call

func (m *openModel) answer(id, name string) (hub.Call, bool) {
	i := slices.IndexFunc(*m, func(c hub.Call) bool {
		if id != "" {
			return c.ID.Is(id)
		}
		return name == "" || c.NameOfFlat().Is(name)
	})
	if i < 0 {
		return hub.Call{}, false
	}
	c := (*m)[i]
	*m = slices.Delete(*m, i, i+1)
	return c, true
}

func TestOpenCalls_FindsWhatASearchOfAllFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"})
		var calls hub.OpenCalls
		var model openModel
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 40).Draw(t, "step") {
			case 0:
				calls.Reset()
				model = nil
			case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10:
				id, name := rapid.OneOf(ids, rapid.Just("")).Draw(t, "id"), rapid.OneOf(ids, rapid.Just("")).Draw(t, "name")
				got, found := calls.Answer(hub.Text(id), hub.Text(name))
				want, wanted := model.answer(id, name)
				if found != wanted || string(got.ID) != string(want.ID) || string(got.Name) != string(want.Name) || string(got.Namespace) != string(want.Namespace) {
					t.Fatalf("the result of %q %q is that of %+v (%v), want %+v (%v)", id, name, got, found, want, wanted)
				}
			default:
				c := hub.Call{ID: hub.Text(ids.Draw(t, "call")), Name: hub.Text(ids.Draw(t, "tool")), Namespace: hub.Text(rapid.SampledFrom([]string{"", "", "n"}).Draw(t, "within"))}
				calls.Add(c)
				model = append(model, c)
			}
		}
	})
}
