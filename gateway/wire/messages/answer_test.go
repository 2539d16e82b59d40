package messages_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/messages"
)

func answer(text, usage string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","model":"acme-m","content":[{"type":"text","text":"` + text + `"}],` +
		`"stop_reason":"max_tokens","stop_sequence":null,"usage":` + usage + `}`
}

func TestReadAnswer_ReadsUsageAndReason(t *testing.T) {
	var tap wire.Tap
	kind := messages.Codec{}.ReadAnswer(&tap, []byte(answer("hi", startUsage)))
	want := allUsage
	want.Output, want.Reasoning = 1, 0
	if kind != wire.Content || tap.Usage != want || tap.Reason != "max_tokens" || !tap.Done || tap.NoChoices {
		t.Errorf("kind %d, tap %+v", kind, tap)
	}
}

func TestReadAnswer_TellsAnErrorFromAnAnswer(t *testing.T) {
	for body, want := range map[string]wire.Failure{
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}`: {Status: 529, Type: "overloaded_error", Message: "Overloaded"},
		`{"error":{"message":"quota","code":429}}`:                                                     {Status: 429, Message: "quota"},
		`{"object":"error","message":"m","code":400}`:                                                  {Status: 400, Message: "m"},
		`[{"error":{"code":503,"message":"m"}}]`:                                                       {Status: 503, Message: "m"},
		`{"content":[],"error":{"type":"billing_error"}}`:                                              {Status: 402, Type: "billing_error"},
	} {
		var tap wire.Tap
		if kind := (messages.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Failed || tap.Failure != want {
			t.Errorf("%s: kind %d, failure %+v", body, kind, tap.Failure)
		}
	}
}

func TestReadAnswer_RefusesWhatIsNoAnswer(t *testing.T) {
	for _, body := range []string{"", " \n", "<html>ok</html>", `{"content":[`, `"ok"`, `[]`, `null`, `{} {}`, stop} {
		var tap wire.Tap
		if kind := (messages.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Invalid {
			t.Errorf("%q: kind %d", body, kind)
		}
	}
}

func TestReadAnswer_FlagsAnAnswerWithoutContent(t *testing.T) {
	for body, flagged := range map[string]bool{
		`{}`: true, `{"type":"message","content":null}`: true, `{"input_tokens":7}`: true,
		`{"type":"message","content":[],"stop_reason":"end_turn"}`: false, `{"type":"message","content":[{"type":"text","text":"error"}],"error":null}`: false,
	} {
		var tap wire.Tap
		if kind := (messages.Codec{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || tap.NoChoices != flagged || tap.Usage.Present {
			t.Errorf("%s: kind %d, flagged %v", body, kind, tap.NoChoices)
		}
	}
}

func TestUsage_KeepsItsClassesApart(t *testing.T) {
	for name, c := range map[string]struct {
		usage string
		want  wire.Usage
	}{
		"cached beside input":      {`{"input_tokens":7,"cache_read_input_tokens":9000,"cache_creation_input_tokens":993,"output_tokens":20}`, wire.Usage{Input: 7, CacheRead: 9000, CacheCreation: 993, Output: 20}},
		"created once":             {`{"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":550,"cache_creation":{"ephemeral_5m_input_tokens":12304,"ephemeral_1h_input_tokens":0}}`, wire.Usage{Input: 3, CacheCreation: 12304, Output: 550}},
		"created for an hour":      {`{"input_tokens":3,"cache_creation_input_tokens":900,"cache_creation":{"ephemeral_5m_input_tokens":300,"ephemeral_1h_input_tokens":600},"output_tokens":5}`, wire.Usage{Input: 3, CacheCreation: 900, CacheCreation1h: 600, Output: 5}},
		"created by lifetime":      {`{"input_tokens":3,"cache_creation":{"ephemeral_5m_input_tokens":300,"ephemeral_1h_input_tokens":600},"output_tokens":5}`, wire.Usage{Input: 3, CacheCreation: 900, CacheCreation1h: 600, Output: 5}},
		"thinking":                 {`{"input_tokens":3,"output_tokens":50,"output_tokens_details":{"thinking_tokens":40}}`, wire.Usage{Input: 3, Output: 50, Reasoning: 40}},
		"more thinking":            {`{"input_tokens":3,"output_tokens":50,"output_tokens_details":{"thinking_tokens":60}}`, wire.Usage{Input: 3, Output: 50, Reasoning: 50, Flagged: true}},
		"calls of tools":           {`{"input_tokens":3,"output_tokens":5,"server_tool_use":{"web_search_requests":2,"web_fetch_requests":1}}`, wire.Usage{Input: 3, Output: 5}},
		"tokens of tools":          {`{"input_tokens":3,"output_tokens":5,"server_tool_use":{"input_tokens":11,"output_tokens":12}}`, wire.Usage{Input: 3, Output: 5, ServerToolUseInput: 11, ServerToolUseOutput: 12}},
		"turns of a tool loop":     {`{"input_tokens":8,"output_tokens":9,"iterations":[{"type":"message","input_tokens":3,"output_tokens":4},{"type":"message","input_tokens":5,"output_tokens":5}]}`, wire.Usage{Input: 8, Output: 9}},
		"a compaction":             {`{"input_tokens":8,"cache_creation_input_tokens":10,"output_tokens":9,"iterations":[{"type":"compaction","input_tokens":100,"cache_read_input_tokens":40,"cache_creation_input_tokens":5,"output_tokens":30},{"type":"message","input_tokens":8,"output_tokens":9}]}`, wire.Usage{Input: 108, CacheRead: 40, CacheCreation: 15, Output: 39}},
		"a compaction by lifetime": {`{"input_tokens":8,"cache_creation":{"ephemeral_5m_input_tokens":10},"output_tokens":9,"iterations":[{"type":"compaction","cache_creation":{"ephemeral_1h_input_tokens":5}}]}`, wire.Usage{Input: 8, CacheCreation: 15, CacheCreation1h: 5, Output: 9}},
		"an advisor":               {`{"input_tokens":412,"output_tokens":531,"iterations":[{"type":"advisor_message","model":"acme-l","input_tokens":823,"cache_read_input_tokens":7,"output_tokens":1612},{"type":"advisor_message","input_tokens":1,"output_tokens":1}]}`, wire.Usage{Input: 412, Output: 531, ServerToolUseInput: 831, ServerToolUseOutput: 1613}},
		"no iterations":            {`{"input_tokens":1,"output_tokens":2,"iterations":null}`, wire.Usage{Input: 1, Output: 2}},
		"absurd":                   {`{"input_tokens":-5,"output_tokens":1e308}`, wire.Usage{Output: wire.MaxCount, Flagged: true}},
		"absurd with iteration":    {`{"input_tokens":1000000000,"output_tokens":1,"iterations":[{"type":"compaction","input_tokens":1000000000}]}`, wire.Usage{Input: wire.MaxCount, Output: 1, Flagged: true}},
		"fraction":                 {`{"input_tokens":1.5,"output_tokens":2}`, wire.Usage{Input: 1, Output: 2, Flagged: true}},
		"beyond 63 bits":           {`{"input_tokens":9223372036854775808,"output_tokens":2}`, wire.Usage{Input: wire.MaxCount, Output: 2, Flagged: true}},
		"text and truth":           {`{"input_tokens":7,"output_tokens":"2","cache_read_input_tokens":true}`, wire.Usage{Input: 7, Flagged: true}},
		"details that are none":    {`{"input_tokens":7,"cache_creation":3,"server_tool_use":[{"input_tokens":1}],"iterations":{"type":"compaction"}}`, wire.Usage{Input: 7}},
		"an iteration in another":  {`{"input_tokens":7,"iterations":[{"type":"compaction","input_tokens":1,"iterations":[{"type":"compaction","input_tokens":9}]}]}`, wire.Usage{Input: 8}},
		"all absurd":               {`{"input_tokens":1e12,"output_tokens":1e12,"cache_creation":{"ephemeral_5m_input_tokens":1e12,"ephemeral_1h_input_tokens":1e12},"server_tool_use":{"input_tokens":1e12,"output_tokens":-1}}`, wire.Usage{Input: wire.MaxCount, CacheCreation: wire.MaxCount, CacheCreation1h: wire.MaxCount, Output: wire.MaxCount, ServerToolUseInput: wire.MaxCount, Flagged: true}},
	} {
		c.want.Present = true
		var whole wire.Tap
		messages.Codec{}.ReadAnswer(&whole, []byte(answer("hi", c.usage)))
		_, streamed := play(t, start(`{"input_tokens":0,"output_tokens":0}`)+finish(c.usage)+stop)
		if whole.Usage != c.want || streamed.Usage != c.want {
			t.Errorf("%s:\nwhole    %+v\nstreamed %+v\nwant     %+v", name, whole.Usage, streamed.Usage, c.want)
		}
	}
}

func TestUsage_WithoutNumbersIsMissing(t *testing.T) {
	for _, usage := range []string{`null`, `{}`, `[]`, `"7"`, `{"input_tokens":"7"}`, `{"input_tokens":null}`, `{"server_tool_use":{}}`} {
		var tap wire.Tap
		messages.Codec{}.ReadAnswer(&tap, []byte(answer("hi", usage)))
		if tap.Usage.Present || tap.Usage.Input != 0 || tap.Usage.Flagged != strings.Contains(usage, `:"7"`) {
			t.Errorf("%s: got %+v", usage, tap.Usage)
		}
	}
}

func TestTap_DoesNotHoldOnToTheBytesItWasReadFrom(t *testing.T) {
	body := []byte(strings.Replace(answer("hi", `{"input_tokens":1}`), "max_tokens", "odd_reason", 1))
	var tap wire.Tap
	messages.Codec{}.ReadAnswer(&tap, body)
	clear(body)
	if tap.Reason != "odd_reason" {
		t.Errorf("the reason became %q", tap.Reason)
	}
}

func TestUsage_ToldTwiceCountsOnceAndIsFlagged(t *testing.T) {
	for members, want := range map[string]wire.Usage{
		`"usage":{"input_tokens":9},"usage":{"input_tokens":5}`:      {Input: 5, Present: true, Flagged: true},
		`"usage":{"input_tokens":9},"\u0075sage":{"input_tokens":5}`: {Input: 5, Present: true, Flagged: true},
		`"usage":{"input_tokens":9},"usage":null`:                    {Input: 9, Present: true},
	} {
		var whole wire.Tap
		messages.Codec{}.ReadAnswer(&whole, []byte(`{"content":[],`+members+`}`))
		_, started := play(t, event(`{"type":"message_start","message":{`+members+`}}`))
		_, ended := play(t, event(`{"type":"message_delta",`+members+`}`))
		for _, got := range []wire.Usage{whole.Usage, started.Usage, ended.Usage} {
			if got != want {
				t.Errorf("%s: got %+v, want %+v", members, got, want)
			}
		}
	}
}
