package store_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// damage is a way to spoil the file of a database.
type damage struct {
	copies  int
	spoil   func(random *rand.Rand, content []byte) []byte
	refused bool // it is always found at start
}

const (
	pageSize  = 4096
	metaBegin = 16 // within its page; what follows its end is not used
	metaSize  = 64
)

// damages are a hundred copies in all.
func damages() map[string]damage {
	return map[string]damage{
		"one meta page":          {20, func(r *rand.Rand, b []byte) []byte { return flipMeta(r, b, r.IntN(2)) }, false},
		"both meta pages":        {12, func(r *rand.Rand, b []byte) []byte { return flipMeta(r, flipMeta(r, b, 0), 1) }, true},
		"cut short":              {24, func(r *rand.Rand, b []byte) []byte { return b[:1+r.IntN(len(b)-pageSize)] }, true},
		"cut to its first page":  {1, func(_ *rand.Rand, b []byte) []byte { return b[:pageSize] }, true},
		"no byte left":           {1, func(*rand.Rand, []byte) []byte { return nil }, true},
		"a text":                 {1, func(*rand.Rand, []byte) []byte { return []byte(strings.Repeat("gone\n", 5000)) }, true},
		"nothing but zeros":      {1, func(_ *rand.Rand, b []byte) []byte { return make([]byte, len(b)) }, true},
		"nothing but noise":      {1, func(r *rand.Rand, b []byte) []byte { return noise(r, b, 0, len(b)) }, true},
		"a sector of zeros":      {13, func(r *rand.Rand, b []byte) []byte { return spoilSector(r, b, zeros) }, false},
		"a sector of noise":      {13, func(r *rand.Rand, b []byte) []byte { return spoilSector(r, b, noise) }, false},
		"two pages changed over": {13, swapPages, false},
	}
}

// flipMeta changes a byte that the checksum of a meta page covers.
func flipMeta(random *rand.Rand, content []byte, page int) []byte {
	content[page*pageSize+metaBegin+random.IntN(metaSize)] ^= byte(1 + random.IntN(255))
	return content
}

func spoilSector(random *rand.Rand, content []byte, with func(*rand.Rand, []byte, int, int) []byte) []byte {
	const sector = 512
	from := sector * random.IntN(len(content)/sector)
	return with(random, content, from, from+sector)
}

func zeros(_ *rand.Rand, content []byte, from, to int) []byte {
	clear(content[from:to])
	return content
}

func noise(random *rand.Rand, content []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		content[i] = byte(random.Uint32())
	}
	return content
}

func swapPages(random *rand.Rand, content []byte) []byte {
	a, b := random.IntN(len(content)/pageSize), random.IntN(len(content)/pageSize)
	former := slices.Clone(content[a*pageSize:][:pageSize])
	copy(content[a*pageSize:][:pageSize], content[b*pageSize:][:pageSize])
	copy(content[b*pageSize:][:pageSize], former)
	return content
}

// Whatever has happened to the file: it is refused, or what is served is what
// was written, or the damage is named when somebody looks.
func TestOpen_RefusesEveryKindOfDamageOrServesWhatWasWritten(t *testing.T) {
	c := newDamagedCopy(t)
	for name, d := range damages() {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, 8))
			found, served := 0, 0
			for i := range d.copies {
				noticed, same := c.try(t, d.spoil(random, slices.Clone(c.whole)))
				switch {
				case !noticed && !same:
					t.Errorf("copy %d passes in silence", i)
				case d.refused && same:
					t.Errorf("copy %d is served", i)
				case same:
					served++
				default:
					found++
				}
			}
			t.Logf("%d found, %d served as written", found, served)
		})
	}
}
