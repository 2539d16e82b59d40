package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"relay/admin"
	"relay/store"
	"relay/store/catalogdata"
)

// catalogue keeps the shipped records at the catalogue that they come from: the
// embedded one, or one that somebody has put in its place. It implements
// admin.Catalogue.
type catalogue struct {
	db  *store.DB
	now func() time.Time

	dated atomic.Pointer[datedCatalogue]
}

// datedCatalogue is the date of the catalogue at one generation of the catalog.
type datedCatalogue struct {
	generation uint64
	date       string
}

// sourceEmbedded is the source of the catalogue that the binary holds.
const sourceEmbedded = "embedded"

// catalogueAge is the age from which on a catalogue is warned of.
const catalogueAge = 60 * 24 * time.Hour

// boot writes the embedded catalogue where it is newer than the one that is in
// place, and completes that one where it is the same. One that was put in place
// since, or that a rollback has gone back to, stays.
func (c *catalogue) boot(e *store.Edit, embedded *catalogdata.Data) (catalogdata.Changes, error) {
	kept, err := c.db.Shipped()
	if err != nil {
		return nil, err
	}
	text, err := embedded.Text()
	if err != nil {
		return nil, err
	}
	if kept.Present != nil && bytes.Equal(kept.Present.Text, text) {
		return embedded.Apply(e)
	}
	if kept.Present != nil && !follows(embedded, kept) {
		return nil, nil
	}
	e.SetShipped(store.Shipped{Present: c.text(embedded, sourceEmbedded, text), Former: kept.Present})
	return embedded.Apply(e)
}

// follows reports whether the embedded catalogue takes the place of another one.
// Of one release that was embedded too it is the later build.
func follows(embedded *catalogdata.Data, kept store.Shipped) bool {
	if embedded.Release <= kept.Refused {
		return false
	}
	return embedded.Release > kept.Present.Release || embedded.Release == kept.Present.Release && kept.Present.Source == sourceEmbedded
}

func (c *catalogue) text(d *catalogdata.Data, source string, text []byte) *store.ShippedText {
	return &store.ShippedText{Release: d.Release, Date: d.Date, Source: source, Since: c.now().UTC().Truncate(time.Second), Text: text}
}

// Update puts the given catalogue in the place of the present one.
func (c *catalogue) Update(e *store.Edit, in admin.CatalogueUpdate) ([]admin.CatalogueChange, error) {
	data, err := catalogdata.ReadText([]byte(in.Text))
	if err != nil {
		return nil, &store.Error{Code: store.CodeInvalid, Message: "this is no catalogue: " + err.Error()}
	}
	kept, err := c.kept()
	if err != nil {
		return nil, err
	}
	text, err := data.Text()
	if err != nil {
		return nil, err
	}
	if same := bytes.Equal(text, kept.Present.Text); !same {
		if data.Release <= kept.Present.Release && !in.Force {
			return nil, &store.Error{Code: store.CodeConflict, Message: fmt.Sprintf(
				"this is release %d, and release %d is in place: relay catalog rollback goes back to the former one; --force takes this one all the same", data.Release, kept.Present.Release)}
		}
		e.SetShipped(store.Shipped{Present: c.text(data, in.Source, text), Former: kept.Present})
	}
	changes, err := data.Apply(e)
	if err != nil {
		return nil, err
	}
	return c.details(data, changes)
}

// Rollback goes back to the former catalogue. Rows that only the present one has
// go, where nobody has edited them and nobody needs them.
func (c *catalogue) Rollback(e *store.Edit) ([]admin.CatalogueChange, error) {
	kept, err := c.kept()
	if err != nil {
		return nil, err
	}
	if kept.Former == nil {
		return nil, &store.Error{Code: store.CodeConflict, Message: fmt.Sprintf("there is no catalogue before release %d to go back to", kept.Present.Release)}
	}
	present, err := catalogdata.ReadText(kept.Present.Text)
	if err != nil {
		return nil, unreadableCatalogue("present", err)
	}
	former, err := catalogdata.ReadText(kept.Former.Text)
	if err != nil {
		return nil, unreadableCatalogue("former", err)
	}
	next := store.Shipped{Present: kept.Former}
	if kept.Present.Source == sourceEmbedded {
		next.Refused = kept.Present.Release
	}
	e.SetShipped(next)
	back, err := former.Apply(e)
	if err != nil {
		return nil, err
	}
	gone, err := present.Withdraw(e, former)
	if err != nil {
		return nil, err
	}
	return c.details(former, append(back, gone...))
}

// Compare applies the present catalogue once more.
func (c *catalogue) Compare(e *store.Edit) ([]admin.CatalogueChange, error) {
	kept, err := c.kept()
	if err != nil {
		return nil, err
	}
	data, err := catalogdata.ReadText(kept.Present.Text)
	if err != nil {
		return nil, unreadableCatalogue("present", err)
	}
	changes, err := data.Apply(e)
	if err != nil {
		return nil, err
	}
	return c.details(data, changes)
}

func unreadableCatalogue(which string, err error) error {
	return fmt.Errorf("read the %s catalogue from the database: %w", which, err)
}

// kept returns the texts that are kept, of which one is present.
func (c *catalogue) kept() (store.Shipped, error) {
	kept, err := c.db.Shipped()
	if err == nil && kept.Present == nil {
		err = errors.New("no catalogue has been written yet: restart Relay, which writes its own")
	}
	return kept, err
}

// details tells what changes come to, as the catalog was before the edit.
func (c *catalogue) details(d *catalogdata.Data, changes catalogdata.Changes) ([]admin.CatalogueChange, error) {
	details, err := d.Details(c.db.Catalog(), changes)
	if err != nil {
		return nil, err
	}
	told := make([]admin.CatalogueChange, len(details))
	for i, d := range details {
		told[i] = admin.CatalogueChange{Kind: d.Kind, Name: d.Name, Action: d.Action, Members: d.Members, Prices: d.Prices}
	}
	return told, nil
}

// State tells which catalogue the records come from.
func (c *catalogue) State() (admin.CatalogueState, error) {
	kept, err := c.kept()
	if err != nil {
		return admin.CatalogueState{}, err
	}
	data, err := catalogdata.ReadText(kept.Present.Text)
	if err != nil {
		return admin.CatalogueState{}, unreadableCatalogue("present", err)
	}
	state := admin.CatalogueState{CatalogueText: *told(kept.Present), Former: told(kept.Former), Hosts: []admin.CatalogueHost{}}
	state.AgeDays, state.Warning = c.age(kept.Present.Date)
	for _, h := range data.Hosts {
		state.Hosts = append(state.Hosts, admin.CatalogueHost{
			Name: h.Name, Env: append(h.Keys[:len(h.Keys):len(h.Keys)], h.Ambient...), Values: h.Values, Pricing: h.Pricing, Unverified: h.Unverified,
		})
	}
	return state, nil
}

func told(t *store.ShippedText) *admin.CatalogueText {
	if t == nil {
		return nil
	}
	return &admin.CatalogueText{Release: t.Release, Date: t.Date, Source: t.Source, Since: t.Since}
}

// age returns the days since the date, and what is to be said of them.
func (c *catalogue) age(date string) (days int, warning string) {
	of, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0, ""
	}
	old := c.now().Sub(of)
	days = int(old / (24 * time.Hour))
	if old > catalogueAge {
		warning = fmt.Sprintf("the catalogue of models and prices is of %s, %d days old: prices may have changed; a newer Relay has a newer one, and relay catalog update FILE takes one", date, days)
	}
	return days, warning
}

// warnings tells of a catalogue that is old.
func (c *catalogue) warnings() []store.Problem {
	if _, warning := c.age(c.date()); warning != "" {
		return []store.Problem{{Message: warning}}
	}
	return nil
}

// date is that of the present catalogue; empty where it cannot be told. It is
// asked for often, and changes with the catalog only.
func (c *catalogue) date() string {
	generation := c.db.Catalog().Generation
	if d := c.dated.Load(); d != nil && d.generation == generation {
		return d.date
	}
	kept, err := c.db.Shipped()
	if err != nil || kept.Present == nil {
		return ""
	}
	c.dated.Store(&datedCatalogue{generation, kept.Present.Date})
	return kept.Present.Date
}
