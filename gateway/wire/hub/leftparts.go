package hub

// AddReasoning takes something said of reasoning, by its name; of a caller who has
// said it in a local runner's words, that is think.
func (l *Left) AddReasoning(r *Request, name string) {
	if r.Reasoning.Think != "" {
		name = "think"
	}
	l.Add(name)
}

// AddStrict takes strict, where a tool has it and the host has no word for it.
func (l *Left) AddStrict(tools []Tool) {
	for i := range tools {
		if l != nil && SwitchOf(tools[i].Strict) == Yes {
			l.Add(LeftStrict)
			return
		}
	}
}

// AddFailed takes that results of tools tell errors, where the host cannot be told.
func (l *Left) AddFailed(items []Item) {
	for i := range items {
		if l != nil && items[i].Kind == ItemResult && items[i].Failed {
			l.Add(LeftFailed)
			return
		}
	}
}

// AddParts takes what each part of the items loses, as lost tells; an empty name is
// none.
func (l *Left) AddParts(items []Item, lost func(*Part) (name string)) {
	if l == nil {
		return
	}
	for i := range items {
		for p := range items[i].Parts {
			if name := lost(&items[i].Parts[p]); name != "" {
				l.Add(name)
			}
		}
	}
}

// Twice reports whether an effort to think is said and a number of tokens as well,
// of which most hosts can be told one.
func (r Reasoning) Twice() bool { return r.Effort != "" && !r.Off() && r.Budget > 0 }

// LosesDetail reports whether the part is an image that is to be looked at in
// another way than hosts do without being told.
func (p *Part) LosesDetail() bool {
	return p.Kind == PartImage && len(p.Detail) > 0 && !p.Detail.Is("auto")
}
