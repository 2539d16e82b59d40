package hub

// Tool is what the model may call.
type Tool struct {
	Kind        ToolKind
	Name        Text
	Namespace   Text   // under which its shape groups it; most have none
	Description Text   // nil: none
	Parameters  []byte // JSON Schema as the caller wrote it; nil: none
	Strict      []byte // true, false or nil
	Format      []byte // of a ToolCustom: what its text must be like, as it was written; nil: any
	Mark        []byte // see Part.Mark
	Raw         []byte // the whole definition, of a ToolServer
}

// ToolKind says who runs a tool and what it takes.
type ToolKind uint8

const (
	ToolFunction ToolKind = iota // run by the caller, takes JSON
	ToolCustom                   // run by the caller, takes text
	ToolServer                   // run by the provider: of one shape alone
)

// Choice says whether tools must be called.
type Choice struct {
	Mode ChoiceMode
	Name Text // of ChoiceNamed
}

// ChoiceMode is the kind of a Choice.
type ChoiceMode uint8

const (
	ChoiceUnset ChoiceMode = iota
	ChoiceAuto
	ChoiceNone
	ChoiceRequired
	ChoiceNamed
)

// Switch is a yes or no that may be left open.
type Switch uint8

const (
	Unset Switch = iota
	Yes
	No
)

// SwitchOf reads true and false; anything else is Unset.
func SwitchOf(value []byte) Switch {
	switch string(value) {
	case "true":
		return Yes
	case "false":
		return No
	}
	return Unset
}

// ToolNamed returns the tool of a call; nil when the request has none.
func (r *Request) ToolNamed(c Call) *Tool {
	for i := range r.Tools {
		t := &r.Tools[i]
		if t.Kind != ToolServer && t.Name.Is(c.Name.String()) && t.Namespace.Is(c.Namespace.String()) {
			return t
		}
	}
	return nil
}

// NameOfFlat is how the name of a tool is written where a shape has no
// namespaces: NAMESPACE__NAME.
func (c Call) NameOfFlat() Text {
	if len(c.Namespace) == 0 {
		return c.Name
	}
	return append(append(append(Text{}, c.Namespace...), "__"...), c.Name...)
}

// Unflat returns the call of a tool by the name that NameOfFlat gave it: that of
// the request's tool where there is one, else the name as it is. It goes through all
// tools: who asks for more than one call takes ToolNames.
func (r *Request) Unflat(id, name Text) Call {
	names := r.ToolNames(Call.NameOfFlat)
	return names.Call(id, name)
}
