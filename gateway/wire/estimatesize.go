package wire

import (
	"bytes"
	"encoding/base64"
)

// What media count. Sources: the spec of limits for images; Anthropic's page on PDF
// support, 1,500 to 3,000 tokens a page and 100 pages a request; Google's page on
// tokens, 32 a second of audio and 263 a second of video.
const (
	tokensPerImage    = 1_500
	tokensPerLowImage = 85
	tokensPerPage     = 3_000
	mostPages         = 100
	tokensOfUnsent    = 10 * tokensPerPage // a file that is elsewhere, of whatever length

	audioTokensPerSecond = 32
	mostAudioRate        = 192_000 * 2 * 4 // bytes per second; files that say more lie
	videoTokensPerSecond = 300             // with its sound
	leastVideoRate       = 100_000 / 8     // bytes per second
	bytesPerPDFToken     = 4               // a page of text takes 12 kB and more
	mostPDFTokens        = mostPages * tokensPerPage
	bytesPerSealedToken  = 4 // of base64: a token of 3 bytes and more
)

// medium reads base64, an address, or the name of a file.
func (e *estimate) medium(p *mediaPart) {
	isElsewhere := isReference(e.name.bytes())
	content := inside(e.w.Raw())
	if len(content) == 0 {
		return
	}
	if kind, isData := bytes.CutPrefix(content, []byte("data:")); isData {
		isElsewhere = false
		p.is(mediumOf(kind), byMediaType)
	}
	if p.count++; isElsewhere || bytes.HasPrefix(content, []byte("http")) {
		p.unsent++
	} else {
		p.size += int64(len(content))
	}
	p.total += int64(len(content))
	if len(content) > len(p.most) {
		p.most = content
	}
}

// isReference reports whether a member by this folded name says where a file is.
func isReference(name []byte) bool {
	switch string(name) {
	case "url", "imageurl", "audiourl", "videourl", "fileurl", "fileuri", "fileid":
		return true
	}
	return false
}

// media counts the media of a part when all of it has been read. Where nothing says that
// what looked like media is, it is text; all but the longest counts a token a byte.
func (e *estimate) media(p *mediaPart) {
	switch isText := p.medium == mediumFile || p.medium == mediumText; {
	case p.count == 0:
	case p.medium == mediumNone, isText && p.plain:
		e.cost += costOfText(p.most) + (p.total-int64(len(p.most)))*hundred
	case p.medium == mediumImage && p.low:
		e.flat += p.count * tokensPerLowImage
	case p.medium == mediumImage:
		e.flat += p.count * tokensPerImage
	case p.medium == mediumSealed:
		e.flat += tokensOfSealed(p.size)
	default:
		e.flat += p.unsent * tokensOfUnsent
		if p.count > p.unsent {
			e.flat += p.tokens(p.size / 4 * 3)
		}
	}
}

// tokens bounds what files, audio or video count that are so many bytes long.
func (p *mediaPart) tokens(size int64) int64 {
	switch p.medium {
	case mediumAudio:
		return size/audioRate(p.most)*audioTokensPerSecond + audioTokensPerSecond
	case mediumVideo:
		return max(size/leastVideoRate*videoTokensPerSecond, tokensPerImage)
	case mediumText:
		return size/4*3 + 3
	}
	return min(max(size/bytesPerPDFToken, tokensPerPage), mostPDFTokens)
}

// tokensOfSealed bounds what thoughts count that are sealed in so many bytes of
// base64.
func tokensOfSealed(size int64) int64 { return size/bytesPerSealedToken + 1 }

// audioRate returns how many bytes a second of audio takes at least: what a WAV file
// says of itself, else the rate of poor speech. Audio is base64, or a data address.
func audioRate(audio []byte) int64 {
	if _, data, isAddress := bytes.Cut(audio[:min(len(audio), 64)], []byte(",")); isAddress {
		audio = audio[min(len(audio), 64)-len(data):]
	}
	var head [48]byte
	n, _ := base64.StdEncoding.Decode(head[:], audio[:min(len(audio), 64)/4*4])
	if n >= 36 && string(head[:4]) == "RIFF" && string(head[8:16]) == "WAVEfmt " {
		if rate := bytesPerSecond(head[20:36]); rate > 0 {
			return min(max(rate, leastAudioRate), mostAudioRate)
		}
	}
	return leastAudioRate
}
