package media

import "relay/gateway/wire"

// Images is the codec of image generations and edits. It implements wire.Codec.
type Images struct{ base }

var _ wire.Codec = Images{}

// ReadEvent reads one event into the tap. The stream ends with the last of the
// images that Tap.Choices says were asked for.
func (Images) ReadEvent(t *wire.Tap, e *wire.Event) wire.Kind {
	if t.Usage.Images == 0 && e.DropDone() {
		return wire.Silent
	}
	return readEvent(t, e)
}

// Complete reports whether an image has come whole. Where there are fewer than
// were asked for, the rest has been refused.
func (Images) Complete(t *wire.Tap) bool { return t.Done || t.Usage.Images > 0 }

// ReadAnswer reads a whole answer in one pass: the images may be megabytes. Older
// models report no tokens; their images are what they have used. An answer
// without images is still content.
func (Images) ReadAnswer(t *wire.Tap, body []byte) wire.Kind {
	var r report
	if kind := r.readAnswer(t, body); kind != wire.Content {
		return kind
	}
	t.Usage.Images += r.images
	t.Usage.Present = t.Usage.Present || r.images > 0
	t.NoChoices = r.images == 0
	return wire.Content
}
