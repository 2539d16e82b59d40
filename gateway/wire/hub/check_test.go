package hub_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

func all(fate hub.Fate) *hub.Fates {
	var f hub.Fates
	for p := range f {
		f[p] = fate
	}
	return &f
}

// holding returns a request that holds everything that Check knows.
func holding() map[hub.Param]*hub.Request {
	part := func(role hub.Role, p hub.Part) *hub.Request {
		return &hub.Request{Items: []hub.Item{{Role: role, Parts: []hub.Part{p}}, {Role: hub.RoleUser}}}
	}
	user := func(p hub.Part) *hub.Request { return part(hub.RoleUser, p) }
	tool := func(t hub.Tool) *hub.Request { return &hub.Request{Tools: []hub.Tool{t}} }
	chosen := func(mode hub.ChoiceMode, parallel hub.Switch) *hub.Request {
		r := tool(hub.Tool{Name: hub.Text("f")})
		r.Choice.Mode, r.Parallel = mode, parallel
		return r
	}
	id, address, data := hub.Text("id"), hub.Text("https://x"), hub.Text("AA==")
	held := map[hub.Param]*hub.Request{
		hub.ImageData:      user(hub.Part{Kind: hub.PartImage, Data: data}),
		hub.ImageURL:       user(hub.Part{Kind: hub.PartImage, URL: address}),
		hub.ImageFile:      user(hub.Part{Kind: hub.PartImage, FileID: id}),
		hub.FileData:       user(hub.Part{Kind: hub.PartFile, Data: data}),
		hub.FileURL:        user(hub.Part{Kind: hub.PartFile, URL: address}),
		hub.FileFile:       user(hub.Part{Kind: hub.PartFile, FileID: id}),
		hub.AudioData:      user(hub.Part{Kind: hub.PartAudio, Data: data}),
		hub.CacheMarks:     user(hub.Part{Mark: []byte("{}")}),
		hub.AssistantMedia: part(hub.RoleAssistant, hub.Part{Kind: hub.PartAudio, Data: data}),
		hub.ResultMedia: {Items: []hub.Item{{
			Kind: hub.ItemResult, Parts: []hub.Part{{Kind: hub.PartAudio, Data: data}},
		}}},
		hub.CustomTools:      tool(hub.Tool{Kind: hub.ToolCustom}),
		hub.ServerTools:      tool(hub.Tool{Kind: hub.ToolServer}),
		hub.ChoiceForced:     chosen(hub.ChoiceRequired, hub.Unset),
		hub.ChoiceByName:     chosen(hub.ChoiceNamed, hub.Yes),
		hub.ParallelOff:      chosen(hub.ChoiceAuto, hub.No),
		hub.JSONObject:       {Format: hub.Format{Kind: hub.FormatJSON}},
		hub.JSONSchema:       {Format: hub.Format{Kind: hub.FormatSchema}},
		hub.ReasoningEffort:  {Reasoning: hub.Reasoning{Effort: "low"}},
		hub.ReasoningBudget:  {Reasoning: hub.Reasoning{Budget: -1}},
		hub.ReasoningSummary: {Reasoning: hub.Reasoning{Summary: "auto"}},
		hub.PrefilledAnswer:  {Items: []hub.Item{{Role: hub.RoleAssistant}}},
		hub.LaterSystem:      {Items: []hub.Item{{Role: hub.RoleSystem}, {Role: hub.RoleUser}, {Role: hub.RoleSystem}}},
	}
	for p := range hub.NumMembers {
		r := &hub.Request{}
		r.Set(p, p.String(), []byte("1"))
		held[p] = r
	}
	return held
}

// beside are constructs that cannot be held without another.
func beside(p hub.Param) []string {
	if p == hub.AssistantMedia || p == hub.ResultMedia {
		return []string{hub.AudioData.String(), p.String()}
	}
	return []string{p.String()}
}

func TestCheck_FindsEveryParameter(t *testing.T) {
	requests := holding()
	for p := range hub.NumParams {
		if p == hub.NumMembers {
			continue
		}
		r := requests[p]
		if r == nil {
			t.Errorf("no request holds %s", p)
			continue
		}
		if dropped, err := r.Check("s", all(hub.Carried)); err != nil || dropped != nil {
			t.Errorf("%s: carried, but %q %v", p, dropped, err)
		}
		if dropped, err := r.Check("s", all(hub.Ignored)); err != nil || !slices.Equal(dropped, beside(p)) {
			t.Errorf("%s: ignored, but %q %v", p, dropped, err)
		}
		fates := all(hub.Ignored)
		fates[p] = hub.Refused
		_, err := r.Check("tongue", fates)
		var e *wire.Error
		if !errors.As(err, &e) || e.Status != 400 || e.Code != wire.CodeUnsupportedParam || e.Param != p.String() {
			t.Errorf("%s: refused with %+v", p, err)
		} else if !strings.Contains(e.Message, "tongue") || !strings.Contains(e.Message, p.String()) {
			t.Errorf("%s: %s", p, e.Message)
		}
	}
}

func TestCheck_TellsNothingOfWhatIsNotThere(t *testing.T) {
	r := &hub.Request{Items: []hub.Item{
		{Role: hub.RoleSystem}, {Role: hub.RoleSystem}, {Role: hub.RoleUser, Parts: []hub.Part{{Text: hub.Text("a")}}},
		{Kind: hub.ItemReasoning}, {Kind: hub.ItemCall}, {Kind: hub.ItemResult, Parts: []hub.Part{{Text: hub.Text("b")}}},
	}}
	r.Choice.Mode, r.Parallel = hub.ChoiceRequired, hub.No // among no tools
	r.Set(hub.Temperature, "temperature", []byte("null"))
	if dropped, err := r.Check("s", all(hub.Refused)); err != nil || dropped != nil {
		t.Errorf("%q %v", dropped, err)
	}
}

func TestCheck_NamesWhatNobodyKnows(t *testing.T) {
	r := &hub.Request{}
	r.AddUnknown("odd", []byte("1"))
	r.Set(hub.TopK, "generationConfig.topK", []byte("1"))
	dropped, err := r.Check("s", all(hub.Ignored))
	if want := []string{"generationConfig.topK", "odd"}; err != nil || !slices.Equal(dropped, want) {
		t.Errorf("%q %v", dropped, err)
	}
}

func TestBad_NamesTheMember(t *testing.T) {
	e := hub.Bad("messages[2].content", "must be a string")
	if e.Status != 400 || e.Code != wire.CodeTranslateRequest || e.Param != "messages[2].content" || e.Message != "messages[2].content must be a string." {
		t.Errorf("%+v", e)
	}
}
