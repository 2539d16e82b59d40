package wire_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"relay/gateway/wire"
)

// chunk is one chunk of a RIFF file that says it has so many bytes.
func chunk(kind string, says int, content []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(says))
	if b = append(b, content...); len(content)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

// format is a format chunk.
func format(kind, channels uint16, samples, bytes uint32, block, bits uint16) []byte {
	b := binary.LittleEndian.AppendUint16(nil, kind)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, samples)
	b = binary.LittleEndian.AppendUint32(b, bytes)
	b = binary.LittleEndian.AppendUint16(b, block)
	return chunk("fmt ", 16, binary.LittleEndian.AppendUint16(b, bits))
}

func wav(chunks ...[]byte) []byte {
	return slices.Concat(append([][]byte{[]byte("RIFF\x00\x00\x00\x00WAVE")}, chunks...)...)
}

func TestWAVSeconds_TellsThePlayTime(t *testing.T) {
	pcm, second := format(1, 1, 8_000, 16_000, 2, 16), make([]byte, 16_000)
	for name, c := range map[string]struct {
		file []byte
		want float64
	}{
		"plain":                    {wav(pcm, chunk("data", len(second), second)), 1},
		"other chunks":             {wav(chunk("LIST", 3, []byte("abc")), pcm, chunk("fact", 4, make([]byte, 4)), chunk("data", len(second), second), chunk("LIST", 4, make([]byte, 4))), 1},
		"size 0":                   {wav(pcm, chunk("data", 0, second)), 1},
		"size unknown":             {wav(pcm, chunk("data", math.MaxUint32, second)), 1},
		"cut":                      {wav(pcm, chunk("data", len(second), second[:8_000])), 0.5},
		"RF64":                     {append([]byte("RF64"), wav(pcm, chunk("data", math.MaxUint32, second))[4:]...), 1},
		"a rate that is a lie":     {wav(format(1, 1, 8_000, math.MaxUint32, 2, 16), chunk("data", len(second), second)), 1},
		"blocks that are a lie":    {wav(format(1, 1, 8_000, 16_000, 0xffff, 16), chunk("data", len(second), second)), 1},
		"float":                    {wav(format(3, 2, 1_000, 8_000, 8, 32), chunk("data", len(second), second)), 2},
		"packed":                   {wav(format(0x55, 1, 8_000, 4_000, 1, 0), chunk("data", len(second), second)), 4},
		"a rate by its width only": {wav(format(0xfffe, 1, 8_000, 0, 0, 8), chunk("data", len(second), second)), 2},
	} {
		if got, ok := wire.WAVSeconds(c.file); !ok || got != c.want {
			t.Errorf("%s: got %v, %v, want %v", name, got, ok, c.want)
		}
	}
}

func TestWAVSeconds_KnowsWhatItCannotTell(t *testing.T) {
	data, pcm := chunk("data", 4, make([]byte, 4)), format(1, 1, 8_000, 16_000, 2, 16)
	for name, file := range map[string][]byte{
		"empty": nil, "another": []byte("OggS\x00\x00\x00\x00WAVE"), "AVI": []byte("RIFF\x00\x00\x00\x00AVI "), "no chunks": wav(), "no data": wav(pcm),
		"no format": wav(data), "format behind": wav(data, pcm), "format cut": wav(pcm[:12]), "no rate": wav(format(0x55, 1, 8_000, 0, 1, 0), data), "a short format": wav(chunk("fmt ", 4, make([]byte, 4)), data),
	} {
		if got, ok := wire.WAVSeconds(file); ok {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func FuzzWAVSeconds(f *testing.F) {
	f.Add(wav(format(1, 1, 8_000, 16_000, 2, 16), chunk("data", 4, make([]byte, 4))))
	f.Add(wav(chunk("fmt ", math.MaxUint32, nil)))
	f.Fuzz(func(t *testing.T, file []byte) {
		if got, ok := wire.WAVSeconds(file); ok && (got < 0 || math.IsNaN(got) || math.IsInf(got, 0)) {
			t.Errorf("got %v", got)
		}
	})
}
