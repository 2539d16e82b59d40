package store

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Decimals of a dollar in the two integer units that prices and budgets use.
const (
	picoDecimals = 12
	nanoDecimals = 9
)

// ParsePicoDollars reads the decimal price of per units (1, 1,000 or 1,000,000)
// in dollars, such as "2.50", and returns the price of one unit in pico-dollars.
// The decimal has no sign and no exponent, and the result is exact: a price that
// is no whole number of pico-dollars for each unit fails.
func ParsePicoDollars(decimal string, per int64) (int64, error) {
	zeros := len(strconv.FormatInt(per, 10)) - 1
	return parseDecimal(decimal, picoDecimals-zeros)
}

// ParseNanoDollars reads a decimal amount of dollars such as "20.00", exactly.
// It has no sign and no exponent, at most 9 decimals, and is below 9.2 billion
// dollars.
func ParseNanoDollars(decimal string) (int64, error) {
	return parseDecimal(decimal, nanoDecimals)
}

// FormatNanoDollars writes nano-dollars as decimal dollars, exactly, with at
// least two decimals: "20.00", "0.0005", "-1.25".
func FormatNanoDollars(nanos int64) string {
	sign, amount := "", uint64(nanos)
	if nanos < 0 {
		sign, amount = "-", -amount
	}
	whole, rest := amount/1e9, fmt.Sprintf("%09d", amount%1e9)
	return fmt.Sprintf("%s%d.%s%s", sign, whole, rest[:2], strings.TrimRight(rest[2:], "0"))
}

// parseDecimal returns the decimal times 10 to the power of decimals.
func parseDecimal(text string, decimals int) (int64, error) {
	whole, fraction, dotted := strings.Cut(text, ".")
	if !isDigits(whole) || dotted && !isDigits(fraction) {
		return 0, fmt.Errorf("must be a decimal amount of dollars in quotes, without sign or exponent, such as \"2.50\"")
	}
	if len(fraction) > decimals {
		return 0, fmt.Errorf("must have at most %d decimals", decimals)
	}
	value := uint64(0)
	for _, digit := range whole + fraction + strings.Repeat("0", decimals-len(fraction)) {
		high, low := bits.Mul64(value, 10)
		value = low + uint64(digit-'0')
		if high > 0 || value > math.MaxInt64 {
			return 0, fmt.Errorf("is too large an amount of dollars")
		}
	}
	return int64(value), nil
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
