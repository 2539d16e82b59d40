package catalogdata

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// MaxText is how many bytes a catalogue in one text may have.
const MaxText = 1 << 20

// Text is the catalogue in one text, which ReadText reads. Equal catalogues have
// equal texts.
func (d *Data) Text() ([]byte, error) {
	text, err := yaml.Marshal(file{
		Release: d.Release, Date: d.Date, Sources: d.Sources, Providers: d.Providers, Hosts: d.Hosts, Models: d.Models, Offers: d.Offers,
	})
	if err != nil {
		return nil, fmt.Errorf("write the catalogue as text: %w", err)
	}
	return text, nil
}

// ReadText reads a catalogue in one text, as strictly as Read.
func ReadText(text []byte) (*Data, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("a catalogue has at most %d bytes, and this one has %d", MaxText, len(text))
	}
	d := &Data{}
	if err := d.addText("catalogue", text); err != nil {
		return nil, err
	}
	return d, errors.Join(d.check()...)
}

// Same reports whether two catalogues say the same.
func (d *Data) Same(o *Data) bool {
	a, errA := d.Text()
	b, errB := o.Text()
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
