package catalogdata

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"
)

// file is what one file of a catalogue may hold.
type file struct {
	Release   int        `yaml:"release"`
	Date      string     `yaml:"date"`
	Sources   []Source   `yaml:"sources"`
	Providers []Provider `yaml:"providers"`
	Hosts     []Host     `yaml:"hosts"`
	Models    []Model    `yaml:"models"`
	Offers    []Offer    `yaml:"offers"`
}

// Read reads the catalogue in the .yaml files at the top of fsys. Members that
// do not exist, repeated ones, references that lead nowhere, facts without a
// source and rows that no record could be made of are refused, all at once.
func Read(fsys fs.FS) (*Data, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, err
	}
	d := &Data{}
	var faults []error
	for _, name := range names {
		if err := d.add(fsys, name); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) == 0 {
		faults = d.check()
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return d, nil
}

func (d *Data) add(fsys fs.FS, name string) error {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	return d.addText(name, text)
}

func (d *Data) addText(name string, text []byte) error {
	var f file
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&file{}); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: must be one document", name)
	}
	if f.Release > 0 && d.Release > 0 {
		return fmt.Errorf("%s: release is given by another file already", name)
	}
	if f.Release > 0 {
		d.Release, d.Date = f.Release, f.Date
	}
	d.Sources = append(d.Sources, f.Sources...)
	d.Providers = append(d.Providers, f.Providers...)
	d.Hosts = append(d.Hosts, f.Hosts...)
	d.Models = append(d.Models, f.Models...)
	d.Offers = append(d.Offers, f.Offers...)
	return nil
}
