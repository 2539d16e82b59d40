package media_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/media"
	"relay/gateway/wire/wiretest"
)

const wordUsage = `,"usage":{"type":"tokens","input_tokens":14,"input_token_details":{"text_tokens":4,"audio_tokens":10},"output_tokens":45,"total_tokens":59}`

var (
	heard     = named("transcript.text.delta", `,"delta":"hi \"usage\":{\"input_tokens\":9} 雨"`) + unnamed("transcript.text.segment", `,"id":"s","start":0,"end":3.4,"text":"hi"`)
	written   = named("transcript.text.done", `,"text":"hi"`+wordUsage)
	wordCosts = wire.Usage{Input: 14, AudioInput: 10, Output: 45, Present: true}
	spoken    = named("speech.audio.delta", `,"audio":"aGk="`)
	said      = named("speech.audio.done", `,"usage":{"input_tokens":14,"output_tokens":101,"total_tokens":115}`)
	saidCosts = wire.Usage{Input: 14, Output: 101, AudioOutput: 101, Present: true}
)

// speechEvents is speech that comes as events.
type speechEvents struct{ media.Speech }

func (speechEvents) StreamType() string { return wire.ContentTypeEvent }

func TestTranscriptions_StreamPassesEveryByte(t *testing.T) {
	p := wiretest.Pass{Codec: media.Transcriptions{}, Stream: heard + written + "data: [DONE]\n\n", End: dataOf(written), Want: wire.Tap{Usage: wordCosts, Done: true}}
	p.Check(t)
}

func TestSpeech_StreamOfEventsPassesEveryByte(t *testing.T) {
	p := wiretest.Pass{Codec: speechEvents{}, Stream: spoken + strings.ReplaceAll(spoken, "event: speech.audio.delta\n", "") + said, End: dataOf(said), Want: wire.Tap{Usage: saidCosts, Done: true}}
	p.Check(t)
}

func TestAudio_StreamsPassLongEvents(t *testing.T) {
	long := strings.Repeat(`word\n`, 60_000)
	last := strings.Replace(written, `"text":"hi"`, `"text":"`+long+`"`, 1)
	p := wiretest.Pass{Codec: media.Transcriptions{}, Stream: heard + last, End: dataOf(last), Want: wire.Tap{Usage: wordCosts, Done: true}}
	p.CheckLong(t)
	p = wiretest.Pass{Codec: speechEvents{}, Stream: strings.Replace(spoken, "aGk=", strings.Repeat("aGk=", 60_000), 1) + said, End: dataOf(said), Want: wire.Tap{Usage: saidCosts, Done: true}}
	p.CheckLong(t)
}

// TestTranscriptions_TakeTheStreamsOfVLLM: they are chunks of chat completions,
// which end with [DONE].
func TestTranscriptions_TakeTheStreamsOfVLLM(t *testing.T) {
	chunk := `data: {"object":"transcription.chunk","choices":[{"delta":{"content":"hi"}}]}` + "\n\n"
	report := `data: {"object":"transcription.chunk","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}` + "\n\n"
	for _, done := range []string{"data: [DONE]\n\n", "data: [DONE]"} {
		var tap wire.Tap
		o := play(t, media.Transcriptions{}, &tap, chunk+report+done)
		if o.Broken || !tap.Done || tap.Usage != (wire.Usage{Input: 7, Output: 3, Present: true}) || o.Sent() != chunk+report+strings.TrimSpace(done)+"\n\n" {
			t.Errorf("sent %q, tap %+v", o.Sent(), tap)
		}
	}
	var tap wire.Tap
	if o := play(t, media.Transcriptions{}, &tap, chunk+strings.TrimSuffix(report, "\n")+"data: [DONE]\n\n"); o.Broken || o.Sent() != chunk+report || tap.Usage.Input != 7 {
		t.Errorf("sent %q, tap %+v", o.Sent(), tap)
	}
}

func TestAudio_StreamsWithoutTheirEndAreBroken(t *testing.T) {
	for _, stream := range []string{heard, ": comment\n\n", written[:len(written)-9], "event: transcript.text.done\ndata: {\"text\":\n\n"} {
		var tap wire.Tap
		if o := play(t, media.Transcriptions{}, &tap, stream); !o.Broken || tap.Done || o.After == "" {
			t.Errorf("%q: tap %+v", stream, tap)
		}
	}
	var tap wire.Tap
	if o := play(t, speechEvents{}, &tap, spoken); !o.Broken || o.After != "" {
		t.Errorf("a broken stream of audio ends with %q", o.After)
	}
}

func TestTranscriptions_AnswerTellsTokensOrSeconds(t *testing.T) {
	for body, want := range map[string]wire.Usage{
		`{"text":"hi"` + wordUsage + `}`:                                         wordCosts,
		`{"text":"hi","usage":{"type":"duration","seconds":9}}`:                  {Seconds: 9, Present: true},
		`{"text":"hi","usage":{"type":"duration","seconds":8.01}}`:               {Seconds: 9, Present: true},
		`{"task":"transcribe","duration":8.470000267028809,"text":"hi"}`:         {Seconds: 9, Present: true},
		`{"duration":"8.47","text":"hi"}`:                                        {Seconds: 9, Present: true},
		`{"duration":12.3,"usage":{"type":"duration","seconds":13},"text":"hi"}`: {Seconds: 13, Present: true},
		`{"duration":12.3,"text":"hi"` + wordUsage + `}`:                         {Input: 14, AudioInput: 10, Output: 45, Seconds: 13, Present: true},
		`{"text":"hi"}`:                       {},
		`{"text":"hi","duration":null}`:       {},
		`{"text":"hi","duration":-3}`:         {Present: true, Flagged: true},
		`{"text":"hi","duration":1e300}`:      {Seconds: wire.MaxCount, Present: true, Flagged: true},
		`{"text":"hi","duration":1e999}`:      {Seconds: wire.MaxCount, Present: true, Flagged: true},
		`{"text":"hi","duration":"Infinity"}`: {Flagged: true},
		`{"text":"hi","duration":[8]}`:        {Flagged: true},
		`{"segments":[{"duration":9,"usage":{"seconds":9}}],"text":"\"duration\":9"}`:     {},
		`{"text":"","usage":{"input_tokens":1,"input_token_details":{"audio_tokens":5}}}`: {Input: 1, AudioInput: 1, Present: true, Flagged: true},
	} {
		var tap wire.Tap
		if kind := (media.Transcriptions{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || tap.Usage != want || !tap.Done {
			t.Errorf("%s: kind %d, usage %+v", body, kind, tap.Usage)
		}
	}
}

func TestTranscriptions_PassTextAndSubtitles(t *testing.T) {
	for _, body := range []string{"hi\n", "1\n00:00:00,000 --> 00:00:03,000\nhi\n", "WEBVTT\n\n", "\n", "\xef\xbb\xbfhi", "[music]", `"hi"`, "null"} {
		var tap wire.Tap
		if kind := (media.Transcriptions{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || tap != (wire.Tap{Done: true}) {
			t.Errorf("%q: kind %d, tap %+v", body, kind, tap)
		}
	}
}

func TestSpeech_FramesAllButEventsAndJSONAsBytes(t *testing.T) {
	for contentType, want := range map[string]wire.Framing{
		"audio/mpeg": wire.FramingBytes, "": wire.FramingBytes, "application/octet-stream": wire.FramingBytes, "text/html; charset=utf-8": wire.FramingBytes, "application/x-ndjson": wire.FramingBytes,
		"text/event-stream; charset=utf-8": wire.FramingEvents, "application/json": wire.FramingNone, "Application/JSON; charset=utf-8": wire.FramingNone,
	} {
		if got := (media.Speech{}).Framing(contentType); got != want {
			t.Errorf("%q: framing %d, want %d", contentType, got, want)
		}
	}
}

func TestSpeech_PassesAudioWhateverItsBytesAre(t *testing.T) {
	for _, audio := range []string{"ID3\x04", ": no comment\n\n", "\n\n\n", "data: {\"error\":\"x\"}\n\n", "data: [DONE]\n\n", "{\"error\":{\"message\":\"m\"}}", "event: error\ndata: x\n\n", "\r"} {
		var s wire.Splitter
		tap := wire.Tap{Choices: 5}
		got := ""
		s.Frame(wire.FramingBytes)
		for _, piece := range append(wiretest.Bytewise(audio), audio) {
			s.Filled(copy(s.Space(), piece))
			for e := (wire.Event{}); s.Next(&e); got += string(e.Raw) {
				if kind := (media.Speech{}).ReadEvent(&tap, &e); kind != wire.Content || e.Missing != "" {
					t.Errorf("%q: kind %d", audio, kind)
				}
			}
		}
		s.End()
		if got != audio+audio || tap.Done || !(media.Speech{}).Complete(&tap) || tap.Usage != (wire.Usage{}) || s.Next(&wire.Event{}) {
			t.Errorf("%q became %q, tap %+v", audio, got, tap)
		}
	}
	if (media.Speech{}).Complete(&wire.Tap{}) {
		t.Error("an answer without a byte is complete")
	}
}

func TestCodecs_SayNothingOfTheirOwnThatTheirClientsCannotRead(t *testing.T) {
	e := wire.NewError(wire.CodeUpstreamUnavailable, "m")
	speech := media.Speech{}
	if speech.KeepAlive() != "" || speech.StreamType() != "" || string(speech.AppendErrorEvent([]byte("audio"), e)) != "audio" {
		t.Error("speech writes within audio")
	}
	for _, codec := range []wire.Codec{media.Images{}, media.Transcriptions{}, speech} {
		if _, asks := codec.AskUsage(nil, nil); asks || !codec.WantsUsage(nil, nil) || codec.Shape() != "openai" || codec.Terminal() != "" {
			t.Errorf("%T: asks %v, terminal %q", codec, asks, codec.Terminal())
		}
	}
	var tap wire.Tap
	if o := play(t, media.Images{}, &tap, media.Images{}.KeepAlive()+partial+string(media.Images{}.AppendErrorEvent(nil, e))); tap.Failure.Code != e.Code || o.Before != ": keep-alive\n\n"+partial {
		t.Errorf("sent %q, failure %+v", o.Before, tap.Failure)
	}
}

func TestReadEvent_DoesNotAllocate(t *testing.T) {
	for _, stream := range []string{partial, drawn, spoken, said, written} {
		name := strings.TrimPrefix(stream[:strings.IndexByte(stream, '\n')], "event: ")
		for _, typ := range []string{name, ""} {
			e := wire.Event{HasData: true, Type: []byte(typ), Data: []byte(dataOf(stream)), Raw: []byte(stream)}
			if n := testing.AllocsPerRun(100, func() {
				var tap wire.Tap
				media.Speech{}.ReadEvent(&tap, &e)
			}); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	}
}

func BenchmarkReadEvent(b *testing.B) {
	audio := []byte(strings.Repeat("\xff\xfb\x90", 1_365))
	for name, e := range map[string]wire.Event{
		"audio":        {HasData: true, Data: audio, Raw: audio},
		"audio event":  {HasData: true, Type: []byte("speech.audio.delta"), Data: []byte(dataOf(spoken)), Raw: []byte(spoken)},
		"unnamed text": {HasData: true, Data: []byte(dataOf(heard[:strings.Index(heard, "\n\n")])), Raw: []byte(heard)},
		"last":         {HasData: true, Type: []byte("transcript.text.done"), Data: []byte(dataOf(written)), Raw: []byte(written)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var tap wire.Tap
				media.Speech{}.ReadEvent(&tap, &e)
			}
		})
	}
}

func FuzzReadEvent(f *testing.F) {
	for _, seed := range []string{heard + written, spoken + said, partial + drawn + drawn, heard + "data: [DONE]\n\n", strings.TrimSuffix(written, "\n\n") + "[DONE]", unnamed("error", `,"message":"m"`)} {
		for _, stream := range wiretest.Spellings(seed) {
			f.Add(stream)
		}
	}
	f.Fuzz(func(t *testing.T, stream string) {
		for _, codec := range []wire.Codec{media.Images{}, speechEvents{}, media.Transcriptions{}} {
			wiretest.Compare(t, codec, stream)
		}
	})
}

func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte(`{"text":"hi","duration":8.47` + wordUsage + `}`))
	f.Add([]byte(`{"data":[{}]` + imageUsage + `}`))
	f.Add([]byte(`{"error":{"message":"m"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, codec := range []wire.Codec{media.Images{}, media.Speech{}, media.Transcriptions{}} {
			var tap wire.Tap
			kind := codec.ReadAnswer(&tap, body)
			if wiretest.CheckUsage(t, tap.Usage); tap.Usage.Seconds < 0 || tap.Usage.Seconds > wire.MaxCount || kind == wire.Failed && tap.Failure.Status == 0 {
				t.Errorf("%T: kind %d, tap %+v", codec, kind, tap)
			}
		}
	})
}
