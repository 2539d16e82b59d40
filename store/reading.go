package store

import "strings"

// reading is one way to understand the model part of a reference.
type reading struct {
	parts ModelRefParts
	words string
}

func ambiguous(readings []reading) string {
	words := make([]string, len(readings))
	for i, r := range readings {
		words[i] = r.words
	}
	return "can be read in more than one way: write " + strings.Join(words, " or ")
}

// readModel returns the readings of a name, in the order in which requests are
// read too: a model's name, an alias, provider/model, and the name of a provider
// alone, which is ambiguous when a host has that name as well.
func (c *Catalog) readModel(text string) []reading {
	if m := c.Models.ByName(text); m != nil {
		return []reading{c.modelReading(m)}
	}
	if aliased := c.modelsByAlias(text, ""); len(aliased) > 0 {
		return aliased
	}
	if providerName, rest, found := strings.Cut(text, "/"); found {
		return c.readQualified(providerName, rest)
	}
	return c.readProvider(text)
}

func (c *Catalog) modelReading(m *Model) reading {
	return reading{ModelRefParts{Model: m.Metadata.ID}, m.Metadata.Name}
}

func (c *Catalog) readQualified(providerName, rest string) []reading {
	provider := c.Providers.ByName(providerName)
	if provider == nil {
		return nil
	}
	if m := c.Models.ByName(rest); m != nil && m.Spec.ProviderID == provider.Metadata.ID {
		return []reading{c.modelReading(m)}
	}
	return c.modelsByAlias(rest, provider.Metadata.ID)
}

func (c *Catalog) readProvider(text string) []reading {
	provider := c.Providers.ByName(text)
	if provider == nil {
		return nil
	}
	readings := []reading{{
		ModelRefParts{Provider: provider.Metadata.ID},
		provider.Metadata.Name + "/ (models of the provider)",
	}}
	if host := c.Hosts.ByName(text); host != nil {
		readings = append(readings, reading{
			ModelRefParts{Host: host.Metadata.ID},
			"@" + host.Metadata.Name + " (everything at the host)",
		})
	}
	return readings
}

// modelsByAlias returns the models that an alias leads to: those that have the
// very text, else those whose pattern has the longest literal prefix of it. A
// providerID keeps the models of that provider only.
func (c *Catalog) modelsByAlias(text, providerID string) []reading {
	text = strings.ToLower(text)
	longest, found := -1, []reading(nil)
	for m := range c.Models.All() {
		if providerID != "" && m.Spec.ProviderID != providerID {
			continue
		}
		switch n := aliasMatch(m.Spec.Aliases, text); {
		case n < 0 || n < longest:
		case n == longest:
			found = append(found, c.modelReading(m))
		default:
			longest, found = n, []reading{c.modelReading(m)}
		}
	}
	return found
}

// aliasMatch returns how many characters of text the best alias matches
// literally, with one more for an alias that is the text, or -1.
func aliasMatch(aliases []string, text string) int {
	best := -1
	for _, alias := range aliases {
		alias = strings.ToLower(alias)
		prefix, wild := strings.CutSuffix(alias, "*")
		switch {
		case alias == text:
			return len(text) + 1
		case wild && strings.HasPrefix(text, prefix):
			best = max(best, len(prefix))
		}
	}
	return best
}
