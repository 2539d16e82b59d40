package wire_test

import (
	"encoding/base64"
	"strings"
	"testing"
)

// inMessage is a chat body whose message holds the parts.
func inMessage(parts string) string {
	return `{"messages":[{"role":"user","content":[` + parts + `]}]}`
}

// images holds one image of DATA, base64, in every spelling.
func images() []string {
	return []string{
		inMessage(`{"type":"image_url","image_url":{"url":"data:image/png;base64,DATA","detail":"DETAIL"}}`),
		inMessage(`{"image_url":{"detail":"DETAIL","url":"data:image\/png;base64,DATA"},"type":"image_url"}`),
		inMessage(`{"type":"image_url","image_url":"data:image/webp;base64,DATA","detail":"DETAIL"}`),
		`{"input":[{"role":"user","content":[{"type":"input_image","detail":"DETAIL","image_url":"data:image/png;base64,DATA"}]}]}`,
		`{"input":[{"type":"computer_call_output","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,DATA","detail":"DETAIL"}}]}`,
		`{"input":[{"type":"image_generation_call","result":"DATA","detail":"DETAIL"}]}`,
		inMessage(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"DATA"},"detail":"DETAIL"}`),
		inMessage(`{"source":{"data":"DATA","media_type":"image/png","type":"base64"},"type":"image","detail":"DETAIL"}`),
		inMessage(`{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"base64","data":"DATA"},"detail":"DETAIL"}]}`),
		`{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"DATA"},"detail":"DETAIL"}]}]}`,
		`{"contents":[{"parts":[{"inline_data":{"data":"DATA","mime_type":"image/png"},"detail":"DETAIL"}]}]}`,
		`{"input":[{"type":"message","role":"user","content":[{"type":"image","data":"DATA","media_type":"image/png","detail":"DETAIL"}]}]}`,
		`{"input":[{"type":"image_url","image_url":{"url":"data:image/png;base64,DATA","detail":"DETAIL"}}],"model":"omni-moderation"}`,
	}
}

func TestEstimateTokens_CountsAnImageByItselfHoweverLongItIs(t *testing.T) {
	for _, body := range images() {
		for detail, want := range map[string]int64{"high": 1500, "auto": 1500, "low": 85} {
			body := strings.ReplaceAll(body, "DETAIL", detail)
			short := estimate(t, strings.ReplaceAll(body, "DATA", "iVBORw0K"))
			if short < want+7 || short > want+60 {
				t.Errorf("%s: %d tokens, want %d and some", body, short, want)
			}
			if long := estimate(t, strings.ReplaceAll(body, "DATA", strings.Repeat("iVBORw0K", 50_000))); long != short {
				t.Errorf("%s: %d tokens, %d with an image of 300 kB", body, short, long)
			}
		}
	}
}

func TestEstimateTokens_CountsEveryImage(t *testing.T) {
	const url, address = `{"type":"image_url","image_url":{"url":"data:image/png;base64,aaaa"}}`, `{"type":"image","source":{"type":"url","url":"https://a.example/b.png"}}`
	for body, want := range map[string]int64{
		inMessage(url + "," + url + "," + url):                                                                  4500,
		inMessage(url + "," + address):                                                                          3000,
		inMessage(`{"type":"image","source":{"type":"file","file_id":"f1"}}`):                                   1500,
		inMessage(`{"type":"input_image","file_id":"f1"}`):                                                      1500,
		inMessage(`{"type":"image","file_id":"f1","detail":"low"}`):                                             85,
		`{"contents":[{"parts":[{"fileData":{"mimeType":"image/png","fileUri":"g"}}]}]}`:                        1500,
		`{"messages":[{"role":"user","content":"a","images":["aaaa","bbbb"]}]}`:                                 3000,
		`{"prompt":"a","images":["aaaa","bbbb","cccc"]}`:                                                        4500,
		`{"prompt":"a","image":"data:image/png;base64,aaaa","mask":{"image_url":"data:image/png;base64,bbbb"}}`: 3000,
		`{"prompt":"a","image":"data:image/png;base64,aaaa"}`:                                                   1500,
	} {
		if got := estimate(t, body); got < want+7 || got > want+60 {
			t.Errorf("%s: %d tokens, want %d and some", body, got, want)
		}
	}
}

// TestEstimateTokens_CountsSeveralLongImagesOfOnePart is of lists, as local runners
// take them.
func TestEstimateTokens_CountsSeveralLongImagesOfOnePart(t *testing.T) {
	long, longer := strings.Repeat("iVBORw0K", 5_000), strings.Repeat("iVBORw0K", 6_000)
	for _, body := range []string{
		`{"messages":[{"role":"user","content":"a","images":["` + long + `","` + longer + `","` + long + `"]}]}`,
		`{"prompt":"a","images":["` + longer + `","` + long + `","` + long + `"]}`,
	} {
		if got := estimate(t, body); got < 4507 || got > 4560 {
			t.Errorf("%d tokens", got)
		}
	}
}

// TestEstimateTokens_CountsImagesThatTextsHoldAsTexts: a model reads them letter by
// letter there.
func TestEstimateTokens_CountsImagesThatTextsHoldAsTexts(t *testing.T) {
	data := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a picture, or not ", 500)))
	for _, body := range []string{
		inMessage(`{"type":"text","text":"data:image/png;base64,DATA"}`), `{"messages":[{"role":"user","content":"data:image/png;base64,DATA"}]}`,
		`{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"inlineData":{"mimeType":"image/png","data":"DATA"}}}}]}]}`,
	} {
		if got := estimate(t, strings.Replace(body, "DATA", data, 1)); got < int64(len(data)/2) || got > int64(len(data)) {
			t.Errorf("%s: %d tokens of %d bytes", body, got, len(data))
		}
	}
}

// TestEstimateTokens_BoundsOtherMediaByTheirSize is of 12,000 bytes of each.
func TestEstimateTokens_BoundsOtherMediaByTheirSize(t *testing.T) {
	data := base64.StdEncoding.EncodeToString(make([]byte, 12_000))
	second := wav(format(1, 1, 6_000, 12_000, 2, 16), chunk("data", 12_000, make([]byte, 12_000)))
	lie := wav(format(1, 0xffff, 1<<31, 1<<31, 0xffff, 0xffff))
	for name, c := range map[string]struct {
		part string
		want int64
	}{
		"speech":              {`{"type":"input_audio","input_audio":{"data":"` + data + `","format":"mp3"}}`, 13 * 32},
		"speech at an end":    {`{"type":"audio_url","audio_url":{"url":"data:audio/ogg;base64,` + data + `"}}`, 13 * 32},
		"a second of samples": {`{"type":"input_audio","input_audio":{"format":"wav","data":"` + base64.StdEncoding.EncodeToString(second) + `"}}`, 2 * 32},
		"one as an address":   {`{"inlineData":{"mimeType":"audio/wav","data":"` + base64.StdEncoding.EncodeToString(second) + `"}}`, 2 * 32},
		"one that lies":       {`{"inlineData":{"mimeType":"audio/wav","data":"` + base64.StdEncoding.EncodeToString(lie) + strings.Repeat("AAAA", 1_200_000) + `"}}`, 3 * 32},
		"a short document":    {`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + data + `"}}`, 3000},
		"one in parts":        {`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + strings.Repeat(data, 10) + `"}}`, 30_000},
		"one of many pages":   {`{"type":"input_file","file_data":"data:application/pdf;base64,` + strings.Repeat(data, 1000) + `"}`, 300_000},
		"a text":              {`{"inlineData":{"mimeType":"text/csv","data":"` + data + `"}}`, 9_000},
		"a film":              {`{"inlineData":{"mimeType":"video/mp4","data":"` + strings.Repeat(data, 50) + `"}}`, 48 * 300},
		"a film elsewhere":    {`{"type":"video","video":"https://a.example/b.mp4"}`, 30_000},
		"a file elsewhere":    {`{"type":"document","source":{"type":"url","url":"https://a.example/b.pdf"}}`, 30_000},
		"one that is kept":    {`{"type":"file","file":{"file_id":"file-1"}}`, 30_000},
		"one of Google's":     {`{"fileData":{"mimeType":"application/pdf","fileUri":"gs://a/b"}}`, 30_000},
		"a quotation of one":  {`{"type":"output_text","text":"a","annotations":[{"type":"file_citation","file_id":"file-1","index":3}]}`, 0},
		"texts of no medium":  {`{"type":"odd","data":"` + strings.Repeat("a b ", 100) + `","result":"` + strings.Repeat("c d ", 100) + `"}`, 550},
		"sealed thoughts":     {`{"type":"redacted_thinking","data":"` + data + `"}`, 4_000},
		"a signature":         {`{"type":"thinking","thinking":"a","signature":"` + data + `"}`, 4_000},
		"encrypted ones":      {`{"type":"reasoning","summary":[],"encrypted_content":"` + data + `"}`, 4_000},
		"ones of Relay's":     {`{"type":"reasoning","content":"a","opaque":"` + data + `"}`, 4_000},
		"details of them":     {`{"type":"reasoning.encrypted","data":"` + data + `"}`, 4_000},
		"a part of Gemini's":  {`{"text":"a","thoughtSignature":"` + data + `"}`, 4_000},
		"nothing":             {`{"type":"input_audio","input_audio":{"data":""}}`, 0},
		"null":                {`{"type":"image","source":null,"image_url":null,"mime_type":null}`, 0},
	} {
		if got := estimate(t, inMessage(c.part)); got < c.want+7 || got > c.want+60 {
			t.Errorf("%s: %d tokens, want %d and some", name, got, c.want)
		}
	}
}
