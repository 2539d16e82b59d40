package wire

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// AppendText appends JSON that ends before a value, and the text as that value.
func AppendText(dst []byte, before, text string) []byte {
	return gjson.AppendJSONString(append(dst, before...), text)
}

// AppendNumber appends JSON that ends before a value, and the number as that
// value.
func AppendNumber(dst []byte, before string, n int64) []byte {
	return strconv.AppendInt(append(dst, before...), n, 10)
}

// AppendTextOrNull is AppendText with null for an empty text.
func AppendTextOrNull(dst []byte, before, text string) []byte {
	if text == "" {
		return append(append(dst, before...), "null"...)
	}
	return AppendText(dst, before, text)
}

// AppendNumberOrNull is AppendNumber with null for 0.
func AppendNumberOrNull(dst []byte, before string, n int64) []byte {
	if n == 0 {
		return append(append(dst, before...), "null"...)
	}
	return AppendNumber(dst, before, n)
}
