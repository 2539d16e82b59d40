package wire

import "encoding/binary"

// WAVSeconds returns the play time of a RIFF/WAVE or RF64 file in seconds
// (https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html, EBU Tech
// 3306): the longest that a decoder can read out of its header. Data of unknown
// size, as encoders write it that stream, and data that is said to be longer than
// the file reach to the file's end. ok is false for another file, and for one that
// does not tell.
func WAVSeconds(file []byte) (seconds float64, ok bool) {
	if len(file) < 12 || string(file[:4]) != "RIFF" && string(file[:4]) != "RF64" || string(file[8:12]) != "WAVE" {
		return 0, false
	}
	var rate int64
	for rest := file[12:]; len(rest) >= 8; {
		size, content := int64(binary.LittleEndian.Uint32(rest[4:])), rest[8:]
		held := min(size+size%2, int64(len(content)))
		switch kind := string(rest[:4]); {
		case kind == "fmt " && held >= 16:
			rate = bytesPerSecond(content)
		case kind == "data" && size > 0 && size <= held:
			return float64(size) / float64(rate), rate > 0
		case kind == "data":
			return float64(len(content)) / float64(rate), rate > 0
		}
		rest = content[held:]
	}
	return 0, false
}

// bytesPerSecond returns the lowest rate of those that a format chunk tells: by
// itself, by its blocks, and, of plain samples, by their width. 0 is none.
func bytesPerSecond(format []byte) int64 {
	kind := binary.LittleEndian.Uint16(format)
	channels := int64(binary.LittleEndian.Uint16(format[2:]))
	samples := int64(binary.LittleEndian.Uint32(format[4:]))
	rate := int64(binary.LittleEndian.Uint32(format[8:]))
	if kind != formatPCM && kind != formatFloat && kind != formatExtensible {
		return rate
	}
	block := int64(binary.LittleEndian.Uint16(format[12:]))
	bits := int64(binary.LittleEndian.Uint16(format[14:]))
	for _, other := range [...]int64{samples * block, samples * channels * bits / 8} {
		if other > 0 && (rate == 0 || other < rate) {
			rate = other
		}
	}
	return rate
}

// Formats whose samples stand side by side.
const (
	formatPCM        = 1
	formatFloat      = 3
	formatExtensible = 0xfffe
)
