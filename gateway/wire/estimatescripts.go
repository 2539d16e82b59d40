package wire

// script is what each rune of a range costs, in hundredths of a token.
type script struct {
	first, last rune
	cost        uint16
}

// scripts holds what is not ASCII, by the script it belongs to. Of runes in the same
// sixteen the first range counts. Where words end, the costs of the blanks come on
// top. Runes that are not listed are spelled out by most tokenizers, a byte a token.
var scripts = [...]script{
	{0x00a0, 0x00bf, 105}, {0x00c0, 0x00ff, 110}, {0x0100, 0x017f, 165}, {0x0180, 0x024f, 240}, // Latin
	{0x0250, 0x02ff, 200}, {0x0300, 0x036f, 210}, // phonetic letters, combining marks
	{0x0370, 0x038f, 200}, {0x0390, 0x03cf, 115}, {0x03d0, 0x03ff, 200}, {0x1f00, 0x1fff, 220}, // Greek
	{0x0400, 0x040f, 200}, {0x0410, 0x044f, 66}, {0x0450, 0x052f, 200}, // Cyrillic: Russian in the middle
	{0x0590, 0x05ff, 130}, {0x0600, 0x066f, 100}, {0x0670, 0x06ff, 130}, // Hebrew, Arabic
	{0x0900, 0x097f, 120}, {0x0980, 0x09ff, 145}, {0x0b80, 0x0bff, 160}, {0x0e00, 0x0e7f, 105}, // Devanagari, Bengali, Tamil, Thai
	{0x0a00, 0x10ff, 222}, {0x1780, 0x17ff, 180}, // from Gurmukhi to Georgian, Khmer
	{0x1e00, 0x1eff, 130},                                               // Vietnamese
	{0x2000, 0x206f, 110}, {0x2500, 0x257f, 100}, {0x2070, 0x2bff, 230}, // punctuation, box drawing, symbols
	{0x3000, 0x303f, 120}, {0x3040, 0x30ff, 103}, {0xff00, 0xff5f, 170}, // CJK punctuation, Kana, wide forms
	{0xac00, 0xd7af, 155}, // Hangul
}

// What the rest costs.
const (
	costOfTwoBytes   = 210
	costOfThreeBytes = 300
	costOfFourBytes  = 420
	costOfEmoji      = 310

	costOfIdeograph = 165
	costOfRare      = 250 // where ideographs that every text has are far
	farIdeographs   = 8
)

// wideCosts holds what runes of two and three bytes cost, by their sixteens.
var wideCosts = costsOfRunes()

func costsOfRunes() (table [1 << 12]uint16) {
	for i := range table {
		table[i] = costOfRune(rune(i) << 4)
	}
	return table
}

func costOfRune(r rune) uint16 {
	for _, s := range scripts {
		if r >= s.first && r <= s.last {
			return s.cost
		}
	}
	if r < 0x800 {
		return costOfTwoBytes
	}
	return costOfThreeBytes
}

// isLatin reports whether a rune that is not ASCII is a letter within Latin words.
func isLatin(r rune) bool { return r >= 0xc0 && r <= 0x24f || r >= 0x1e00 && r <= 0x1eff }

func isEmoji(r rune) bool { return r >= 0x1f000 && r <= 0x1fbff }

// The ideographs of CJK, save rare ones.
const firstIdeograph, lastIdeograph = 0x4e00, 0x9fff

func isIdeograph(r rune) bool { return r >= firstIdeograph && r <= lastIdeograph }

// everyday holds, a bit each, ideographs that Chinese and Japanese texts of a few
// sentences hold many of, and lists of rare ones few.
var everyday = setOf("的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出會会也你可对對生能而子那得于於著着下自之年过過" +
	"发發后後作裡里用道行所然家種种事成方多經经去法學学如都同现現當当没沒动動面起看定天分还還进進好小部其些主樣样理心她本前" +
	"开開但因只从從想实實日见見")

func setOf(ideographs string) (set [(lastIdeograph - firstIdeograph + 64) / 64]uint64) {
	for _, r := range ideographs {
		set[(r-firstIdeograph)/64] |= 1 << ((r - firstIdeograph) % 64)
	}
	return set
}

func isEveryday(r rune) bool {
	return everyday[(r-firstIdeograph)/64]>>((r-firstIdeograph)%64)&1 == 1
}
