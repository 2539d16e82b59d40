package cmd

import (
	"fmt"
	"strconv"
	"strings"
)

const nanosPerDollar = 1_000_000_000

// dollars writes nano-dollars for people: cents, or as many decimals as a
// smaller amount needs, at most six.
func dollars(nanos int64) string {
	sign := ""
	if nanos < 0 {
		sign, nanos = "-", -nanos
	}
	const micro, cent = nanosPerDollar / 1_000_000, nanosPerDollar / 100
	if nanos == 0 || nanos >= cent {
		cents := (nanos + cent/2) / cent
		return fmt.Sprintf("%s$%s.%02d", sign, grouped(cents/100), cents%100)
	}
	micros := (nanos + micro/2) / micro
	if micros == 0 {
		return sign + "<$0.000001"
	}
	return fmt.Sprintf("%s$%s", sign, strings.TrimRight(fmt.Sprintf("0.%06d", micros), "0"))
}

// grouped writes a whole number with commas between thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
