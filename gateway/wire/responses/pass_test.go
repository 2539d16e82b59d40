package responses_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/responses"
	"relay/gateway/wire/wiretest"
)

// named is an event that has its type as its name too.
func named(name, members string) string {
	return "event: " + name + "\n" + unnamed(name, members)
}

func unnamed(name, members string) string {
	return `data: {"type":"` + name + `","sequence_number":1` + members + "}\n\n"
}

// ended is the response that the last event repeats.
func ended(status, members string) string {
	return `,"response":{"id":"resp_1","object":"response","status":"` + status + `","error":null,"incomplete_details":null,` +
		`"output":[{"type":"message","content":[{"type":"output_text","text":"hi 雨"}]}],"tools":[],` + members + `"user":null,"metadata":{"usage":"none"}}`
}

const (
	report = `"usage":{"input_tokens":75,"input_tokens_details":{"cached_tokens":32},"output_tokens":125,"output_tokens_details":{"reasoning_tokens":64},"total_tokens":200},`
	begun  = `,"response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"output":[],"usage":null}`
)

var (
	body = named("response.created", begun) + named("response.in_progress", begun) +
		named("response.output_item.added", `,"output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","content":[]}`) +
		named("response.output_text.delta", `,"delta":"hi \"usage\":{\"input_tokens\":9} 雨🙂 \u96e8"`) + named("response.output_text.done", `,"text":"hi"`)
	last  = named("response.completed", ended("completed", report))
	all   = body + last
	usage = wire.Usage{Input: 43, CacheRead: 32, Output: 125, Reasoning: 64, Present: true}
)

func passed(u wire.Usage, reason string) wire.Tap {
	want := wire.Tap{Usage: u, Done: true}
	want.Finish(0, reason)
	return want
}

// dataOf is the data of an event of one line.
func dataOf(event string) string {
	_, data, _ := strings.Cut(strings.TrimSuffix(event, "\n\n"), "data: ")
	return data
}

func TestStream_PassesEveryByte(t *testing.T) {
	p := wiretest.Pass{Codec: responses.Codec{}, Stream: all + "data: [DONE]\n\n", End: dataOf(last), Want: passed(usage, "completed")}
	p.Check(t)
}

func TestStream_WithoutNamesPassesEveryByte(t *testing.T) {
	p := wiretest.Pass{Codec: responses.Codec{}, Stream: dataOnly(all), End: dataOf(last), Want: passed(usage, "completed")}
	p.Check(t)
}

func dataOnly(stream string) string {
	lines := strings.SplitAfter(stream, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "event:") {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "")
}

func TestStream_PassesLongEvents(t *testing.T) {
	for _, size := range []int{64<<10 + 1, 512 << 10} {
		text := strings.Repeat(`a\"`, size/3)
		long := named("response.output_text.done", `,"text":"`+text+`"`) + named("response.created", begun+`,"x":"`+text+`"`)
		p := wiretest.Pass{Codec: responses.Codec{}, Stream: long + all, End: dataOf(last), Want: passed(usage, "completed")}
		p.CheckLong(t)
	}
}

// TestStream_ReadsALongLastEventWhereverItsUsageStands: what the caller has sent
// is repeated behind the usage, and may be longer than the end of the event that
// is held.
func TestStream_ReadsALongLastEventWhereverItsUsageStands(t *testing.T) {
	long := strings.Repeat(`long \"usage\":{\"input_tokens\":1} \\`, 4_000)
	output := `"output":[{"type":"message","usage":{"input_tokens":1},"content":[{"text":"` + long + `"}]}],`
	pad := `"metadata":{"a":"` + strings.Repeat("b", 9_000) + `","usage":{"input_tokens":2}},"user":"` + strings.Repeat("雨", 30_000) + `"`
	plain := strings.TrimSuffix(report, ",")
	for name, response := range map[string]string{
		"at the end":           `{"status":"completed",` + output + plain + `}`,
		"before what follows":  `{"status":"completed",` + output + report + pad + `}`,
		"in the middle":        `{"status":"completed",` + output + report + output[:len(output)-1] + `}`,
		"at the beginning":     `{` + report + `"status":"completed",` + output + pad + `}`,
		"the status last":      `{` + output + report + pad + `,"status":"completed"}`,
		"tools that speak":     `{"tools":[{"name":"usage","parameters":{"usage":{"input_tokens":9}}}],` + output + report + `"status":"completed","x":[{"usage":{}}]}`,
		"spaces between":       `{ "status" : "completed" , ` + output + strings.ReplaceAll(report, ":", " : ") + pad + ` } `,
		"null before the last": `{"usage":null,"status":"in_progress",` + output + report + `"status":"completed"}`,
	} {
		spellings := []string{named("response.completed", `,"response":`+response)}
		if name == "before what follows" {
			spellings = append(spellings,
				dataOnly(named("response.completed", `,"response":`+response)),
				`data: {"response":`+response+`,"type":"response.completed"}`+"\n\n",
				"data: {\"response\":"+response+"}\nevent: response.completed\n\n")
		}
		for _, end := range spellings {
			p := wiretest.Pass{Codec: responses.Codec{}, Stream: body + end + "data: [DONE]\n\n", End: strings.TrimSuffix(dataOf(end), "\nevent: response.completed"), Want: passed(usage, "completed")}
			t.Run(name, func(t *testing.T) { p.CheckLong(t) })
		}
	}
}

func TestStream_TakesALongEventForNoEndThatIsNone(t *testing.T) {
	text := strings.Repeat("long ", 40_000)
	for name, event := range map[string]string{
		"created":            named("response.created", `,"response":{"instructions":"`+text+`","status":"in_progress",`+report+`"x":1}`),
		"created, unnamed":   unnamed("response.created", `,"response":{"instructions":"`+text+`",`+report+`"x":1}`),
		"no JSON":            "event: response.completed\ndata: {\"response\":{\"output\":\"" + text + "\"," + report + "\"x\":1}\n\n",
		"no JSON either":     "event: response.completed\ndata: {\"response\":{\"output\":\"" + text + "\"," + report + "\"x\":1}}}\n\n",
		"a type deeper down": `data: {"item":{"type":"response.completed","x":"` + text + `","response":{` + report + `"x":1}}}` + "\n\n",
	} {
		var tap wire.Tap
		o := wiretest.Play(t, responses.Codec{}, &tap, body+event)
		if tap != (wire.Tap{}) || !o.Broken || o.Before != body+event {
			t.Errorf("%s: kinds %v, tap %+v", name, o.Kinds, tap)
		}
	}
}
