package generate

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// item is an item as it is written, member by member.
type item struct {
	at                      string // its path
	role                    string
	content, summary        []byte
	callID, name, arguments hub.Text
	custom, failed          hub.Switch
	opaque                  hub.Text
}

// read takes a member. What an answer says of itself means nothing in a request.
func (i *item) read(name string, value []byte) (err error) {
	path := i.at + "." + name
	switch name {
	case "role":
		i.role, err = word(path, value, "system", "developer", "user", "assistant")
	case "content":
		i.content = value
	case "summary":
		i.summary = value
	case "call_id":
		return into(&i.callID, path, value)
	case "name":
		return into(&i.name, path, value)
	case "arguments":
		return into(&i.arguments, path, value)
	case "opaque":
		return into(&i.opaque, path, value)
	case "custom":
		i.custom, err = boolean(path, value)
	case "is_error":
		i.failed, err = boolean(path, value)
	}
	return err
}

func (i *item) message() (hub.Item, error) {
	read := hub.Item{Kind: hub.ItemMessage}
	switch i.role {
	case "":
		return read, hub.Bad(i.at+".role", "must be said")
	case "user":
		read.Role = hub.RoleUser
	case "assistant":
		read.Role = hub.RoleAssistant
	}
	var err error
	read.Parts, err = readContent(i.at+".content", i.content)
	if n := len(read.Parts); n > 0 {
		read.Parts[n-1].Opaque = i.unsealed()
	}
	return read, err
}

// call reads a call. Arguments must be an object unless the tool takes any text.
func (i *item) call(tools *hub.ToolNames) (hub.Item, error) {
	read := hub.Item{Kind: hub.ItemCall, Call: tools.Call(i.callID, i.name), Arguments: i.arguments, Opaque: i.unsealed()}
	read.Call.Custom = read.Call.Custom || i.custom == hub.Yes
	switch w := wire.Walk(i.arguments.Plain()); {
	case len(i.callID) == 0:
		return read, hub.Bad(i.at+".call_id", "must be said")
	case len(i.name) == 0:
		return read, hub.Bad(i.at+".name", "must be said")
	case !read.Call.Custom && len(i.arguments) > 0 && (w.First() != '{' || !w.End()):
		return read, hub.Bad(i.at+".arguments", "must be a JSON object, written as a text")
	}
	return read, nil
}

func (i *item) result(tools *hub.ToolNames) (hub.Item, error) {
	read := hub.Item{Kind: hub.ItemResult, Call: hub.Call{ID: i.callID}, Failed: i.failed == hub.Yes}
	if len(i.name) > 0 {
		read.Call = tools.Call(i.callID, i.name)
	}
	if len(i.callID) == 0 {
		return read, hub.Bad(i.at+".call_id", "must be said")
	}
	var err error
	read.Parts, err = readContent(i.at+".content", i.content)
	return read, err
}

// reasoning reads what was thought: the thoughts, or else their summary.
func (i *item) reasoning() (hub.Item, error) {
	read := hub.Item{Kind: hub.ItemReasoning, Opaque: i.unsealed()}
	if err := into(&read.Text, i.at+".content", i.content); err != nil || len(read.Text) > 0 {
		return read, err
	}
	summary, err := readContent(i.at+".summary", i.summary)
	for n := range summary {
		if n > 0 {
			read.Text = append(read.Text, `\n\n`...)
		}
		read.Text = append(read.Text, summary[n].Text...)
	}
	return read, err
}

// unsealed returns what an answer has sealed. Nothing else means anything here.
func (i *item) unsealed() hub.Opaque {
	o := hub.Unseal(i.opaque, hub.Opaque{})
	if !o.Present() {
		return hub.Opaque{}
	}
	return o
}
