package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ModelRefParts is a model reference taken apart. Empty parts are wildcards. In
// a stored reference Provider and Host are ids, and Model is an id, or the name
// of a model that the catalog does not know and Host forwards.
type ModelRefParts struct {
	Model    string // also "provider/model" while it is not resolved
	Provider string // of "provider/"
	Host     string
}

// ParseModelRef takes a reference apart. It fails on text that is no reference,
// whatever the catalog holds.
func ParseModelRef(ref ModelRef) (ModelRefParts, error) {
	left, host, pinned := strings.Cut(string(ref), "@")
	var parts ModelRefParts
	if pinned {
		if checkLabel(host) != "" {
			return parts, fmt.Errorf("must have the name of one host after @")
		}
		parts.Host = host
	}
	provider, whole := strings.CutSuffix(left, "/")
	switch {
	case strings.Contains(left, "*"):
		return parts, fmt.Errorf("must not hold *: leaving a part out is the wildcard, as in provider/ or @host")
	case left == "" && pinned:
	case whole:
		if checkLabel(provider) != "" {
			return parts, fmt.Errorf("must have the name of one provider before the slash")
		}
		parts.Provider = provider
	case checkModelName(left) != "":
		return parts, fmt.Errorf("must be model, provider/model, provider/, any of these with @host, or @host")
	default:
		parts.Model = left
	}
	return parts, nil
}

// Ref puts the parts together again.
func (p ModelRefParts) Ref() ModelRef {
	text := p.Model
	if p.Provider != "" {
		text = p.Provider + "/"
	}
	if p.Host != "" {
		text += "@" + p.Host
	}
	return ModelRef(text)
}

// resolveModelRef turns the names of a reference into ids. fault says why it
// cannot; malformed references come back unchanged, since Validate reports them.
func (c *Catalog) resolveModelRef(ref ModelRef) (resolved ModelRef, fault string) {
	parts, err := ParseModelRef(ref)
	if err != nil {
		return ref, ""
	}
	if parts.Host, fault = c.resolveName(KindHost, parts.Host); fault != "" {
		return ref, fault
	}
	if parts.Provider, fault = c.resolveName(KindProvider, parts.Provider); fault != "" {
		return ref, fault
	}
	if parts.Model == "" || IsID(parts.Model) {
		return parts.Ref(), ""
	}
	read := c.readModel(parts.Model)
	if parts.Host != "" {
		read = slices.DeleteFunc(read, func(r reading) bool { return r.parts.Host != "" })
	}
	switch {
	case len(read) == 1:
		read[0].parts.Host = cmp.Or(read[0].parts.Host, parts.Host)
		return read[0].parts.Ref(), ""
	case len(read) > 1:
		return ref, ambiguous(read)
	case c.forwards(parts.Host):
		return parts.Ref(), ""
	}
	return ref, c.unknownModel(parts.Model)
}

// forwards reports whether the host takes models that the catalog does not know.
func (c *Catalog) forwards(hostID string) bool {
	host := c.Hosts.Get(hostID)
	return host != nil && host.Spec.UnknownModels == "forward"
}

func (c *Catalog) unknownModel(text string) string {
	fault := "no model, alias or provider has this name"
	if c.Hosts.ByName(text) != nil {
		return fault + ": for everything at the host of that name write @" + text
	}
	names := make([]string, 0, c.Models.Len())
	for m := range c.Models.All() {
		names = append(names, m.Metadata.Name)
	}
	if near := Nearest(text, names); near != "" {
		return fault + ": did you mean " + near + "?"
	}
	return fault + ": make the model first, or write NAME@HOST for a host that forwards unknown models"
}

// nameModelRef turns the ids of a stored reference into names. Ids of records
// that do not exist stay.
func (c *Catalog) nameModelRef(ref ModelRef) ModelRef {
	parts, err := ParseModelRef(ref)
	if err != nil {
		return ref
	}
	parts.Model = c.nameOf(KindModel, parts.Model)
	parts.Provider = c.nameOf(KindProvider, parts.Provider)
	parts.Host = c.nameOf(KindHost, parts.Host)
	return parts.Ref()
}
