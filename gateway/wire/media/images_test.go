package media_test

import (
	"strings"
	"testing"

	"relay/gateway/wire"
	"relay/gateway/wire/media"
	"relay/gateway/wire/wiretest"
)

// named is an event that has its type as its name too.
func named(name, members string) string {
	return "event: " + name + "\n" + unnamed(name, members)
}

func unnamed(name, members string) string {
	return `data: {"type":"` + name + `"` + members + "}\n\n"
}

// dataOf is the data of an event of one line.
func dataOf(event string) string {
	_, data, _ := strings.Cut(strings.TrimSuffix(event, "\n\n"), "data: ")
	return data
}

const imageUsage = `,"usage":{"input_tokens":50,"output_tokens":1056,"total_tokens":1106,"input_tokens_details":{"text_tokens":40,"image_tokens":10}}`

func picture(kind, pixels, more string) string {
	return named(kind, `,"b64_json":"`+pixels+`","created_at":1764374400,"size":"1024x1024","output_format":"png"`+more)
}

var (
	partial = picture("image_generation.partial_image", "aGk=", `,"partial_image_index":0`)
	drawn   = picture("image_generation.completed", "aGk=", imageUsage)
	costs   = wire.Usage{Input: 50, Output: 1056, Images: 1, Present: true}
)

func play(t *testing.T, codec wire.Codec, tap *wire.Tap, stream string) *wiretest.Outcome {
	t.Helper()
	return wiretest.Play(t, codec, tap, stream)
}

func TestImages_StreamPassesEveryByte(t *testing.T) {
	p := wiretest.Pass{Codec: media.Images{}, Stream: partial + partial + drawn + "data: [DONE]\n\n", End: dataOf(drawn), Want: wire.Tap{Usage: costs, Done: true}}
	p.Check(t)
}

func TestImages_StreamPassesPicturesOfMegabytes(t *testing.T) {
	for kind, size := range map[string]int{"image_edit": 64<<10 + 1, "image_generation": 1 << 20} {
		pixels := strings.Repeat("aBc+", size/4)
		last := picture(kind+".completed", pixels, imageUsage)
		p := wiretest.Pass{Codec: media.Images{}, Stream: picture(kind+".partial_image", pixels, "") + last, End: dataOf(last), Want: wire.Tap{Usage: costs, Done: true}}
		p.CheckLong(t)
	}
}

func TestImages_LongPicturesAreKnownWhereverTheirTypeStands(t *testing.T) {
	pixels := strings.Repeat("aBc+", 50_000)
	for _, data := range []string{
		`{"b64_json":"` + pixels + `","type":"image_generation.completed"` + imageUsage + `}`,
		`{"type":"image_edit.completed"` + imageUsage + `,"b64_json":"` + pixels + `"}`,
		`{` + imageUsage[1:] + `,"x":{"type":"image_edit.partial_image","usage":{"input_tokens":7}},"b64_json":"` + pixels + `","type":"image_edit.completed"}`,
	} {
		p := wiretest.Pass{Codec: media.Images{}, Stream: partial + "data: " + data + "\n\n", End: data, Want: wire.Tap{Usage: costs, Done: true}}
		p.CheckLong(t)
	}
}

func TestImages_StreamEndsWithTheLastThatWasAskedFor(t *testing.T) {
	for _, c := range []struct {
		choices, come int
		done          bool
	}{{0, 1, true}, {1, 1, true}, {2, 2, true}, {3, 2, false}} {
		tap := wire.Tap{Choices: c.choices}
		stream := strings.Repeat(partial+drawn, c.come)
		if o := play(t, media.Images{}, &tap, stream); o.Broken || o.Sent() != stream || tap.Done != c.done || tap.Usage.Images != int64(c.come) {
			t.Errorf("%+v: broken %v, tap %+v", c, o.Broken, tap)
		}
	}
	var tap wire.Tap
	if o := play(t, media.Images{}, &tap, partial); !o.Broken || !strings.HasPrefix(o.After, `data: {"error":`) {
		t.Errorf("ended with %q", o.After)
	}
	if o := play(t, media.Images{}, &tap, partial+"data: [DONE]\n\n"); !o.Broken || o.Before != partial+"\n" {
		t.Errorf("sent %q and %q", o.Before, o.After)
	}
	tap = wire.Tap{Choices: 3}
	if o := play(t, media.Images{}, &tap, drawn+"data: [DONE]\n\n"); o.Broken || o.Sent() != drawn+"data: [DONE]\n\n" {
		t.Errorf("sent %q", o.Sent())
	}
}

func TestImages_AnswerCountsImagesAndTokens(t *testing.T) {
	pixels := strings.Repeat("aBc+", 300_000)
	for body, want := range map[string]wire.Usage{
		`{"created":1,"data":[{"b64_json":"` + pixels + `"}]` + imageUsage + `}`:                                                costs,
		`{"created":1,"data":[{"url":"https://x"},{"url":"https://y","revised_prompt":"\"data\":[1,2]"}]}`:                      {Images: 2, Present: true},
		`{"data":[],"usage":{"input_tokens":5}}`:                                                                                {Input: 5, Present: true},
		`{"data":null}`:                                                                                                         {},
		`{"data":[{}],"usage":{"input_tokens":-1,"output_tokens":1e99}}`:                                                        {Output: wire.MaxCount, Images: 1, Present: true, Flagged: true},
		`{"data":[{}],"usage":{"input_tokens":9,"output_tokens":7,"output_tokens_details":{"image_tokens":7,"text_tokens":0}}}`: {Input: 9, Output: 7, Images: 1, Present: true},
		`{"data":[{}],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4}}}`:                                   {Input: 5, CacheRead: 4, Images: 1, Present: true},
		`{"data":[{"usage":{"input_tokens":9}}],"usage":null}`:                                                                  {Images: 1, Present: true},
	} {
		var tap wire.Tap
		if kind := (media.Images{}).ReadAnswer(&tap, []byte(body)); kind != wire.Content || tap.Usage != want || !tap.Done || tap.NoChoices != (want.Images == 0) {
			t.Errorf("%.200s: kind %d, tap %+v", body, kind, tap)
		}
	}
}

func TestAnswers_TellErrorsAndWhatIsNoAnswerApart(t *testing.T) {
	for _, codec := range []wire.Codec{media.Images{}, media.Speech{}, media.Transcriptions{}} {
		for body, want := range map[string]wire.Kind{
			`{"error":{"message":"m","code":429}}`: wire.Failed, ` {"error":"m"}`: wire.Failed, `{"object":"error","message":"m"}`: wire.Failed,
			`{"type":"error","error":{"code":1}}`: wire.Failed, "": wire.Invalid, `{"data":[`: wire.Invalid, `{} {}`: wire.Invalid, `{"error":null,"data":[]}`: wire.Content,
		} {
			var tap wire.Tap
			if kind := codec.ReadAnswer(&tap, []byte(body)); kind != want {
				t.Errorf("%T %s: kind %d, want %d", codec, body, kind, want)
			}
		}
	}
	for _, body := range []string{"<html>", "[]", "null", `"x"`, " "} {
		var tap wire.Tap
		if kind := (media.Images{}).ReadAnswer(&tap, []byte(body)); kind != wire.Invalid {
			t.Errorf("%s: kind %d", body, kind)
		}
	}
}

func TestStreams_RecogniseErrors(t *testing.T) {
	for _, codec := range []wire.Codec{media.Images{}, speechEvents{}, media.Transcriptions{}} {
		for _, failing := range []string{
			"event: error\ndata: {\"type\":\"error\",\"error\":{\"code\":429,\"message\":\"m\"}}\n\n", unnamed("error", `,"code":429,"message":"m"`), "data: {\"error\":{\"code\":429,\"message\":\"m\"}}\n\n",
			"data: {\"x\":\"" + strings.Repeat("long ", 40_000) + "\",\"error\":{\"code\":429,\"message\":\"m\"}}\n\n",
		} {
			var tap wire.Tap
			if o := play(t, codec, &tap, partial+failing); !o.Broken || o.Sent() != partial+failing || tap.Failure != (wire.Failure{Status: 429, Message: "m"}) {
				t.Errorf("%T %.100s: kinds %v, failure %+v", codec, failing, o.Kinds, tap.Failure)
			}
		}
	}
}
