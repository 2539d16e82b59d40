// Package generate holds the codec of Relay's own shape, that of /v1/generate. It
// has callers and no hosts: every call is translated. Since the shape is Relay's
// own, a member that it does not have is refused by its name.
//
// A request has the members model, input, instructions, sampling, reasoning,
// output, tools, cache, stream, user, metadata and extensions, see Hub.Decode.
// input is a text, which is what the user says, or a list of items:
//
//	{"type":"message","role":"user","content":[PART, …]}    content may be a text
//	{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"}
//	{"type":"function_call_output","call_id":"c1","content":[PART, …],"is_error":false}
//	{"type":"reasoning","summary":[{"type":"text","text":"…"}],"content":"…","opaque":"…"}
//
// The role is system, developer, user or assistant. A call of a tool that takes any
// text has custom: true, and that text as its arguments. A part is one of
//
//	{"type":"text","text":"…"}
//	{"type":"image","data":"BASE64","media_type":"image/png"}    also with detail
//	{"type":"file","data":"BASE64","media_type":"application/pdf","name":"…"}
//	{"type":"audio","data":"BASE64","media_type":"audio/wav"}
//	{"type":"refusal","text":"…"}    of the assistant alone
//
// where images and files may have a url or a file_id in place of data. A data
// address is read as data.
//
// An answer is one object, whose output holds items as input takes them, each
// message with one part:
//
//	{"id":"gen_…","object":"generation","created_at":1,"model":"m","status":"completed",
//	 "finish_reason":"stop","output":[ITEM, …],"usage":{…},"error":null}
//
// opaque, on any item, is what only the model that wrote it can read: sent back
// with the item it goes up again to where it came from. The status of an item is
// incomplete where its arguments broke off. The counts of usage are disjoint, save
// that reasoning is part of output; total is the sum of the others.
//
// A stream is events with a type, which is also the SSE event field, and, save the
// error, a sequence_number from 0:
//
//	generation.created    generation: id, object, created_at, model and status in_progress
//	item.started          item_index, from 0, and item as it begins
//	item.delta            item_index, kind text, arguments or reasoning, and delta
//	item.completed        item_index and item: its names, status and opaque
//	generation.completed  generation: as in a whole answer, without output
//	error                 error, in place of what would have followed
//
// One item is open at a time. What an item says is the sum of its deltas and is not
// said twice, so that Relay need not keep answers.
package generate
