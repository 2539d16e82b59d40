package hub

import "relay/gateway/wire"

// A custom tool takes text. Shapes that know functions alone are given one with
// a single argument, input, in its place.
const customParameters = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`

// AsFunction returns the tool as shapes know it that have functions alone. What
// the text of a custom tool must be like stands in the description.
func (t *Tool) AsFunction() Tool {
	f := *t
	if t.Kind != ToolCustom {
		return f
	}
	f.Kind, f.Parameters, f.Format = ToolFunction, []byte(customParameters), nil
	if rule := customRule(t.Format); rule != nil {
		f.Description = append(Text{}, t.Description...)
		if len(f.Description) > 0 {
			f.Description = append(f.Description, `\n\n`...)
		}
		f.Description = append(append(f.Description, `The input must follow this grammar:\n`...), rule...)
	}
	return f
}

// customRule returns the grammar that a format holds, in whichever shape it came;
// nil: any text will do.
func customRule(format []byte) Text {
	if kind, _ := TextOf(MemberOf(format, "type")); IsNull(format) || kind.Is("text") {
		return nil
	}
	inner := format
	if nested := MemberOf(format, "grammar"); nested != nil {
		inner = nested
	}
	if rule, ok := TextOf(MemberOf(inner, "definition")); ok {
		return rule
	}
	return Quote(string(format))
}

// AppendArguments writes the arguments of a call as an object, as they were
// written; those of a custom call as the argument of the function in its place.
// The error is a refusal: the caller's history holds what is no object.
func (i *Item) AppendArguments(dst []byte) ([]byte, error) {
	if i.Call.Custom {
		return append(i.Arguments.AppendAfter(dst, `{"input":`), '}'), nil
	}
	plain := i.Arguments.Plain()
	if len(plain) == 0 {
		return append(dst, "{}"...), nil
	}
	if w := wire.Walk(plain); w.First() != '{' || !w.End() {
		return dst, Bad("the arguments of the call "+told(i.Call.ID.String())+" of "+told(i.Call.Name.String()), "must be a JSON object")
	}
	return append(dst, plain...), nil
}

// CustomText returns the text of a custom call from the arguments, as JSON, of the
// function in its place.
func CustomText(arguments []byte) Text {
	if text, ok := TextOf(MemberOf(arguments, "input")); ok {
		return text
	}
	return Quote(string(arguments))
}
