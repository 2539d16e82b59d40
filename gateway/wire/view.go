package wire

import (
	"unsafe"

	"github.com/tidwall/gjson"
)

// View reads JSON where it stands, without copying. Neither the result nor any
// text cut from it may outlive the bytes or their next change.
func View(b []byte) gjson.Result { return gjson.Parse(unsafe.String(unsafe.SliceData(b), len(b))) }
