package catalogdata

import (
	"embed"
	"fmt"

	"relay/store"
)

// Data is a catalogue as it is shipped. It must not be changed.
type Data struct {
	Release   int    // counts the releases that changed the catalogue, from 1
	Date      string // of the release
	Sources   []Source
	Providers []Provider
	Hosts     []Host // in the order in which discovery looks for their keys
	Models    []Model
	Offers    []Offer
}

// Source is where facts come from.
type Source struct {
	ID      string `yaml:"id"`
	Title   string `yaml:"title"`
	URL     string `yaml:"url"`
	License string `yaml:"license"`
	Date    string `yaml:"date"` // of what was read
}

// Provider makes models.
type Provider struct {
	Name     string `yaml:"name"`
	Title    string `yaml:"title"`
	Homepage string `yaml:"homepage"`
	Docs     string `yaml:"docs"`
	Source   string `yaml:"source"`
	Since    int    `yaml:"since"`
}

// Host is an upstream endpoint: a URL with one way to authenticate and the
// shapes that are spoken there.
type Host struct {
	Name       string            `yaml:"name"`
	Title      string            `yaml:"title"`
	URL        string            `yaml:"url"` // may hold {resource}, {region}, {project}, {location}
	Shapes     []store.Shape     `yaml:"shapes"`
	Auth       string            `yaml:"auth"`
	Headers    map[string]string `yaml:"headers"`
	Keys       []string          `yaml:"keys"`    // variables that hold the key, best first
	Ambient    []string          `yaml:"ambient"` // variables that hold it among other rights, and that platforms set by themselves
	Values     map[string]string `yaml:"values"`  // variables that hold what the placeholders of URL stand for
	Pricing    string            `yaml:"pricing"` // page on which the vendor lists prices
	Note       string            `yaml:"note"`
	Source     string            `yaml:"source"`
	Unverified bool              `yaml:"unverified"` // the source is all there is
	Since      int               `yaml:"since"`
}

// Model is a model, wherever it runs.
type Model struct {
	Name        string       `yaml:"name"`
	Title       string       `yaml:"title"`
	Provider    string       `yaml:"provider"`
	Released    string       `yaml:"released"`
	Context     int64        `yaml:"context"` // tokens, at every host that offers it
	Output      int64        `yaml:"output"`  // tokens, likewise
	Can         []string     `yaml:"can"`     // capabilities; the others are not known
	Deprecation *Deprecation `yaml:"deprecation"`
	Source      string       `yaml:"source"`
	Since       int          `yaml:"since"`
}

// Deprecation tells that the vendor takes a model back.
type Deprecation struct {
	Status      string `yaml:"status"` // deprecated or sunset
	Sunset      string `yaml:"sunset"` // the first day without the model
	Replacement string `yaml:"replacement"`
	Source      string `yaml:"source"`
}

// Offer is a model at a host.
type Offer struct {
	Model   string        `yaml:"model"`
	Host    string        `yaml:"host"`
	As      string        `yaml:"as"`      // the host's own name for the model, when it is another
	Context int64         `yaml:"context"` // tokens, when they are more than the model's
	Output  int64         `yaml:"output"`  // tokens, likewise
	Shapes  []store.Shape `yaml:"shapes"`  // when they are not the host's
	Prices  []Price       `yaml:"prices"`  // one after the other in time; none: unpriced
	Since   int           `yaml:"since"`
}

// Price holds from a day on until that of the next one.
type Price struct {
	From     string            `yaml:"from"`     // empty: always
	USD      map[string]string `yaml:"usd"`      // dollars per million tokens by meter, without the prefix "tokens."
	Requests string            `yaml:"requests"` // dollars per thousand requests, on top of tokens
	Above    []Tier            `yaml:"above"`    // smallest first
	Source   string            `yaml:"source"`
	Checked  string            `yaml:"checked"` // day on which the source compared it with the vendor's
	Agree    []string          `yaml:"agree"`   // sources that say the same
	Differs  map[string]string `yaml:"differs"` // what others say: input/cache_read/cache_creation/output
	Note     string            `yaml:"note"`
}

// Tier is the price of a request whose input is above a number of tokens.
type Tier struct {
	Tokens int64             `yaml:"tokens"`
	USD    map[string]string `yaml:"usd"`
	Source string            `yaml:"source"`
}

//go:embed *.yaml
var files embed.FS

// Load returns the catalogue that this binary ships.
func Load() (*Data, error) {
	data, err := Read(files)
	if err != nil {
		return nil, fmt.Errorf("load the embedded catalogue: %w", err)
	}
	return data, nil
}

// Host returns the host of the name.
func (d *Data) Host(name string) (Host, bool) {
	for _, h := range d.Hosts {
		if h.Name == name {
			return h, true
		}
	}
	return Host{}, false
}
