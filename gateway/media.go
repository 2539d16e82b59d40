package gateway

import (
	"strconv"
	"unicode/utf8"

	"relay/gateway/wire"
)

// Media bounds what is sent to and asked of endpoints of audio and images. 0 is
// no bound.
type Media struct {
	MaxUploadBytes  int64 // of one file
	MaxAudioSeconds int64 // of a file that tells its length: WAV
	MaxSpeechChars  int64 // of text that is to be spoken
}

// refuseFiles refuses a form whose files are too much.
func (m Media) refuseFiles(body []byte, form *wire.Form) error {
	if m.MaxUploadBytes > 0 && int64(form.LargestFile) > m.MaxUploadBytes {
		e := mediaTooLarge("A file of the request is over "+formatSize(m.MaxUploadBytes), "media.max_upload_bytes")
		e.Status = 413
		return e
	}
	if m.MaxAudioSeconds > 0 {
		if seconds, ok := wire.WAVSeconds(form.File.Of(body)); ok && seconds > float64(m.MaxAudioSeconds) {
			return mediaTooLarge("The audio is longer than "+strconv.FormatInt(m.MaxAudioSeconds, 10)+" seconds", "media.max_audio_seconds")
		}
	}
	return nil
}

// refuseSpeech refuses to have a text spoken that is too long.
func (m Media) refuseSpeech(body []byte) error {
	if m.MaxSpeechChars <= 0 {
		return nil
	}
	if int64(utf8.RuneCount(spokenText(body))) > m.MaxSpeechChars {
		return mediaTooLarge("The text to be spoken has more than "+strconv.FormatInt(m.MaxSpeechChars, 10)+" characters", "media.max_speech_chars")
	}
	return nil
}

// spokenText is the text of a request that is to be spoken. It is part of the body, or
// made of it.
func spokenText(body []byte) []byte {
	at, _ := wire.Member(body, wire.Range{End: len(body)}, "input")
	text, _ := wire.Text(body, at, nil)
	return text
}

func mediaTooLarge(what, setting string) *wire.Error {
	return wire.NewError(wire.CodeMediaTooLarge, what+", the limit "+setting+" of this gateway. Send it in parts.")
}
