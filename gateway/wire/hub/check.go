package hub

import "relay/gateway/wire"

// Check holds a request against what a shape can express. It returns the names of
// what is left out, as the caller wrote them, or the refusal, whose Param is the
// member that stands in the way.
func (r *Request) Check(shape string, fates *Fates) (dropped []string, err error) {
	for p := range NumMembers {
		m := &r.Params[p]
		switch {
		case m.Value == nil:
		case fates[p] == Refused:
			return nil, unsupported(m.Name, shape)
		case fates[p] == Ignored:
			dropped = append(dropped, m.Name)
		}
	}
	held := r.constructs()
	for p := NumMembers + 1; p < NumParams; p++ {
		switch {
		case !held[p]:
		case fates[p] == Refused && p == ServerTools:
			return nil, unsupported(r.serverTool(), shape)
		case fates[p] == Refused:
			return nil, unsupported(p.String(), shape)
		case fates[p] == Ignored:
			dropped = append(dropped, p.String())
		}
	}
	for _, m := range r.Unknown {
		dropped = append(dropped, m.Name)
	}
	return dropped, nil
}

// serverTool names a tool that the provider runs.
func (r *Request) serverTool() string {
	for i := range r.Tools {
		if r.Tools[i].Kind == ToolServer && len(r.Tools[i].Name) > 0 {
			return "the tool " + r.Tools[i].Name.String() + ", which the provider runs"
		}
	}
	return ServerTools.String()
}

func unsupported(member, shape string) *wire.Error {
	e := wire.Errorf(wire.CodeUnsupportedParam, "The model's host speaks the shape %s, which cannot express %s. Leave it out, or use a model whose host can.", shape, member)
	e.Param = member
	return e
}

// constructs finds what the request holds besides simple members.
func (r *Request) constructs() (held [NumParams]bool) {
	first := true
	for i := range r.Items {
		item := &r.Items[i]
		first = first && item.Side() == SideSystem
		held[LaterSystem] = held[LaterSystem] || !first && item.Side() == SideSystem
		held[CacheMarks] = held[CacheMarks] || item.Mark != nil
		item.constructs(&held)
	}
	if n := len(r.Items); n > 0 {
		last := &r.Items[n-1]
		held[PrefilledAnswer] = last.Kind == ItemMessage && last.Role == RoleAssistant
	}
	r.toolConstructs(&held)
	held[JSONObject] = r.Format.Kind == FormatJSON
	held[JSONSchema] = r.Format.Kind == FormatSchema
	held[ReasoningEffort] = r.Reasoning.Effort != ""
	held[ReasoningBudget] = r.Reasoning.Budget != 0
	held[ReasoningSummary] = r.Reasoning.Summary != ""
	return held
}

func (i *Item) constructs(held *[NumParams]bool) {
	for p := range i.Parts {
		part := &i.Parts[p]
		held[CacheMarks] = held[CacheMarks] || part.Mark != nil
		media := part.construct()
		if media == 0 {
			continue
		}
		held[media] = true
		held[ResultMedia] = held[ResultMedia] || i.Kind == ItemResult
		held[AssistantMedia] = held[AssistantMedia] || i.Side() == SideAssistant
	}
}

// construct tells in which way the part holds media; 0: it is none.
func (p *Part) construct() Param {
	byID, byURL := len(p.FileID) > 0, len(p.URL) > 0
	switch p.Kind {
	case PartImage:
		return held(byID, byURL, ImageFile, ImageURL, ImageData)
	case PartFile:
		return held(byID, byURL, FileFile, FileURL, FileData)
	case PartAudio:
		return AudioData
	}
	return 0
}

func held(byID, byURL bool, id, url, data Param) Param {
	switch {
	case byID:
		return id
	case byURL:
		return url
	}
	return data
}

func (r *Request) toolConstructs(held *[NumParams]bool) {
	for i := range r.Tools {
		t := &r.Tools[i]
		held[CacheMarks] = held[CacheMarks] || t.Mark != nil
		held[CustomTools] = held[CustomTools] || t.Kind == ToolCustom
		held[ServerTools] = held[ServerTools] || t.Kind == ToolServer
	}
	if len(r.Tools) == 0 {
		return // a choice among nothing says nothing
	}
	held[ChoiceForced] = r.Choice.Mode == ChoiceRequired
	held[ChoiceByName] = r.Choice.Mode == ChoiceNamed
	held[ParallelOff] = r.Parallel == No
}
