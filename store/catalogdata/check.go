package catalogdata

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"relay/store"
)

// check returns what is wrong with the rows, by themselves and together.
func (d *Data) check() []error {
	c := &check{data: d, sources: map[string]bool{}}
	if d.Release < 1 {
		c.fault("release", "must be given and at least 1")
	}
	c.date("release", d.Date)
	for _, s := range d.Sources {
		c.date("source "+s.ID, s.Date)
		if c.sources[s.ID] || s.ID == "" || s.Title == "" {
			c.fault("source "+s.ID, "must have an id of its own and a title")
		}
		c.sources[s.ID] = true
	}
	c.hosts()
	c.deprecations()
	for _, o := range d.Offers {
		c.offer(o)
	}
	c.rows()
	return c.faults
}

type check struct {
	data    *Data
	sources map[string]bool
	faults  []error
}

func (c *check) fault(place, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...)))
}

func (c *check) source(place, id string) {
	if !c.sources[id] {
		c.fault(place, "must name a source, and %q is none", id)
	}
}

func (c *check) date(place, text string) {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		c.fault(place, "must have a date such as 2026-01-31, not %q", text)
	}
}

var variable = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// hosts checks that a variable tells one host.
func (c *check) hosts() {
	owner := map[string]string{}
	for _, h := range c.data.Hosts {
		place := "host " + h.Name
		c.host(place, h)
		for _, env := range slices.Concat(h.Keys, h.Ambient, slices.Collect(maps.Values(h.Values))) {
			if other := owner[env]; other != "" {
				c.fault(place, "names the variable %s, as host %s does", env, other)
			}
			if !variable.MatchString(env) {
				c.fault(place, "must name environment variables, not %q", env)
			}
			owner[env] = h.Name
		}
	}
}

// host checks that what fills in a URL has a place there, and every place can
// be filled in.
func (c *check) host(place string, h Host) {
	if h.Auth == "none" && len(h.Keys)+len(h.Ambient) > 0 {
		c.fault(place, "takes no key and names variables that hold one")
	}
	for name := range h.Values {
		if !slices.Contains(Placeholders(h.URL), name) {
			c.fault(place, "has a value for {%s}, which its url does not hold", name)
		}
	}
	if strings.Contains(fill(h.URL, func(string) string { return "x" }), "{") {
		c.fault(place, "has a placeholder in its url that is none of {resource}, {region}, {project}, {location}")
	}
}

func (c *check) deprecations() {
	for _, m := range c.data.Models {
		if d := m.Deprecation; d != nil {
			c.source("model "+m.Name, d.Source)
			c.date("model "+m.Name, d.Sunset)
		}
	}
}

func (c *check) offer(o Offer) {
	place := "offer of " + o.Model + " at " + o.Host
	c.wider(place, o)
	for i, p := range o.Prices {
		c.price(place, p)
		if i > 0 && p.From <= o.Prices[i-1].From {
			c.fault(place, "must have its prices in the order of their days")
		}
	}
}

// wider checks that what an offer says of its own is more than what its model has
// at every host.
func (c *check) wider(place string, o Offer) {
	for _, m := range c.data.Models {
		if strings.EqualFold(m.Name, o.Model) && (o.Context != 0 && o.Context <= m.Context || o.Output != 0 && o.Output <= m.Output) {
			c.fault(place, "must leave out a context or output that is not above its model's")
		}
	}
}

func (c *check) price(place string, p Price) {
	c.source(place, p.Source)
	c.date(place, p.Checked)
	if p.From != "" {
		c.date(place, p.From)
	}
	for _, id := range append(slices.Collect(maps.Keys(p.Differs)), p.Agree...) {
		c.source(place, id)
	}
	c.meters(place, p.USD)
	var above int64
	for _, t := range p.Above {
		c.source(place, t.Source)
		c.meters(place, t.USD)
		if t.Tokens <= above {
			c.fault(place, "must have tiers above more and more tokens")
		}
		above = t.Tokens
	}
}

// meters checks that a request can be priced: by what it reads and what it
// writes.
func (c *check) meters(place string, usd map[string]string) {
	for meter := range usd {
		if !slices.Contains(meters(), meter) {
			c.fault(place, "prices %q, which is none of %s", meter, strings.Join(meters(), ", "))
		}
	}
	if usd["input"] == "" || usd["output"] == "" {
		c.fault(place, "must price input and output")
	}
}

// rows checks the records that the rows become.
func (c *check) rows() {
	known := map[need]bool{}
	for _, r := range c.data.rows() {
		self := r.self()
		place := string(self.kind) + " " + self.name
		if known[self] {
			c.fault(place, "is there twice")
		}
		known[self] = true
		c.row(place, r, known)
	}
}

func (c *check) row(place string, r row, known map[need]bool) {
	if r.since > c.data.Release {
		c.fault(place, "is there since a release that is yet to come")
	}
	if kind := r.rec.Kind(); kind != store.KindPricing && kind != store.KindHostBinding {
		c.source(place, r.cites)
	}
	for _, n := range r.needs {
		if !known[n] {
			c.fault(place, "needs %s %s, which is not there", n.kind, n.name)
		}
	}
	for _, p := range store.Validate(r.rec) {
		c.fault(place, "%s %s", p.Field, p.Message)
	}
}
