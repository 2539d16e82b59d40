package ollama

import (
	"relay/gateway/wire"
	"relay/gateway/wire/hub"
)

// appendCalls writes the calls of a message, if it holds any.
func appendCalls(dst []byte, items []hub.Item) (_ []byte, err error) {
	n := 0
	for i := range items {
		if items[i].Kind != hub.ItemCall {
			continue
		}
		before := `,"tool_calls":[{`
		if n > 0 {
			before = ",{"
		}
		dst = appendCallHead(append(dst, before...), items[i].Call, n)
		if dst, err = items[i].AppendArguments(dst); err != nil {
			return dst, err
		}
		dst = append(dst, "}}"...)
		n++
	}
	if n > 0 {
		dst = append(dst, ']')
	}
	return dst, nil
}

// appendCallHead writes a call up to its arguments, without the brace that it
// begins with.
func appendCallHead(dst []byte, c hub.Call, index int) []byte {
	dst = c.ID.AppendAfter(dst, `"id":`)
	dst = wire.AppendNumber(dst, `,"function":{"index":`, int64(index))
	dst = c.NameOfFlat().AppendAfter(dst, `,"name":`)
	return append(dst, `,"arguments":`...)
}

// called names the calls that results belong to.
type called struct {
	items []hub.Item
	index *hub.CallIndex // made once a result does not tell the name itself
}

// append names the call of the result at an item. Templates know calls by the name
// of their tool.
func (k *called) append(dst []byte, c hub.Call, at int) []byte {
	if len(c.Name) == 0 {
		if k.index == nil {
			k.index = hub.IndexCalls(k.items)
		}
		if call := k.index.Before(at, c.ID); call != nil {
			c.Name, c.Namespace = call.Call.Name, call.Call.Namespace
		}
	}
	if len(c.Name) > 0 {
		dst = c.NameOfFlat().AppendAfter(dst, `,"tool_name":`)
	}
	return c.ID.AppendAfter(dst, `,"tool_call_id":`)
}
