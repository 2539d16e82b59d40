package catalogdata

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"relay/store"
)

// Detail is what a change comes to: the members of the spec that differ, and of
// prices which, in words.
type Detail struct {
	Change
	Members []string
	Prices  []string
}

// Details tells of every change that is not ActionUnchanged what it comes to: how
// the row differs from the record that was there before.
func (d *Data) Details(before *store.Catalog, changes Changes) ([]Detail, error) {
	rows := map[need]store.AnyRecord{}
	for _, r := range d.rows() {
		rows[r.self()] = r.rec
	}
	var details []Detail
	for _, c := range changes {
		if c.Action == ActionUnchanged || c.Action == ActionForeign || c.Action == ActionAbsent {
			continue
		}
		detail := Detail{Change: c}
		row, stored := rows[needOf(c.Kind, c.Name)], before.Of(c.Kind).FindByName(c.Name)
		if row != nil && stored != nil {
			if err := detail.compare(before, stored, row); err != nil {
				return nil, err
			}
		}
		details = append(details, detail)
	}
	return details, nil
}

func (d *Detail) compare(c *store.Catalog, stored, row store.AnyRecord) error {
	was := c.Of(stored.Kind()).New()
	text, err := json.Marshal(stored.SpecValue())
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, was.SpecValue()); err != nil {
		return err
	}
	store.NameRefs(c, was)
	if d.Members, err = differing(was.SpecValue(), row.SpecValue()); err != nil {
		return err
	}
	if former, ok := was.(*store.Pricing); ok {
		d.Prices = differingRates(former.Spec.Rates, row.(*store.Pricing).Spec.Rates)
	}
	return nil
}

// differing names the members of two specs of a kind that differ.
func differing(a, b any) ([]string, error) {
	var members [2]map[string]json.RawMessage
	for i, spec := range []any{a, b} {
		text, err := json.Marshal(spec)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &members[i]); err != nil {
			return nil, err
		}
	}
	names := map[string]bool{}
	for i := range members {
		for name, value := range members[i] {
			if string(value) != string(members[1-i][name]) {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// differingRates lists what becomes of each rate, in the order of the rates.
func differingRates(was, is []store.Rate) (lines []string) {
	former, now := byPlace(was), byPlace(is)
	for _, r := range is {
		switch old, known := former[place(r)]; {
		case !known:
			lines = append(lines, fmt.Sprintf("%s: none -> %s", place(r), price(r)))
		case price(old) != price(r):
			lines = append(lines, fmt.Sprintf("%s: %s -> %s", place(r), price(old), price(r)))
		}
	}
	for _, r := range was {
		if _, stays := now[place(r)]; !stays {
			lines = append(lines, fmt.Sprintf("%s: %s -> none", place(r), price(r)))
		}
	}
	return lines
}

func byPlace(rates []store.Rate) map[string]store.Rate {
	m := map[string]store.Rate{}
	for _, r := range rates {
		m[place(r)] = r
	}
	return m
}

// place is what tells a rate from the others of its pricing.
func place(r store.Rate) string {
	text := strings.TrimPrefix(r.Meter, "tokens.")
	if r.AboveTokens > 0 {
		text += fmt.Sprintf(" above %d", r.AboveTokens)
	}
	if r.From != "" {
		text += " from " + r.From
	}
	return text
}

func price(r store.Rate) string {
	text := r.Amount
	if r.To != "" {
		text += " until " + r.To
	}
	return text
}
