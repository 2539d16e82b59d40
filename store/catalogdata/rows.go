package catalogdata

import (
	"strconv"
	"strings"

	"relay/store"
)

// row is a record that the catalogue has, with names in its references.
type row struct {
	rec   store.AnyRecord
	since int
	cites string // the source of its facts; a pricing has one a price
	needs []need // what it refers to, or is of no use without
}

// need names a record.
type need struct {
	kind store.Kind
	name string // in lower case, as names are compared
}

func needOf(kind store.Kind, name string) need { return need{kind, strings.ToLower(name)} }

func (r *row) self() need { return needOf(r.rec.Kind(), r.rec.Meta().Name) }

// Records returns every row as a new record without id, in an order in which
// each refers to earlier ones only. References hold names.
func (d *Data) Records() []store.AnyRecord {
	rows := d.rows()
	records := make([]store.AnyRecord, len(rows))
	for i, r := range rows {
		r.rec.Meta().Origin = originOf(r.rec)
		records[i] = r.rec
	}
	return records
}

func (d *Data) rows() []row {
	rows := make([]row, 0, len(d.Providers)+len(d.Models)+len(d.Hosts)+2*len(d.Offers))
	for _, p := range d.Providers {
		rows = append(rows, p.row())
	}
	for _, m := range d.Models {
		rows = append(rows, m.row())
	}
	for _, h := range d.Hosts {
		rows = append(rows, h.row())
	}
	for _, o := range d.Offers {
		if len(o.Prices) > 0 {
			rows = append(rows, o.pricingRow())
		}
		rows = append(rows, o.bindingRow())
	}
	for i := range rows {
		rows[i].since = max(1, rows[i].since)
		rows[i].rec.Meta().Owner = &store.Ref{Kind: "system"}
	}
	return rows
}

func (p *Provider) row() row {
	rec := &store.Provider{
		Metadata: store.Metadata{Name: p.Name, DisplayName: p.Title, Annotations: annotate(noted{"source": p.Source})},
		Spec:     store.ProviderSpec{HomepageURL: p.Homepage, DocsURL: p.Docs},
	}
	return row{rec: rec, since: p.Since, cites: p.Source}
}

func (m *Model) row() row {
	rec := &store.Model{
		Metadata: store.Metadata{Name: m.Name, DisplayName: m.Title, Annotations: annotate(noted{"source": m.Source})},
		Spec: store.ModelSpec{
			ProviderID: m.Provider, ContextWindow: m.Context, MaxOutputTokens: m.Output, ReleaseDate: m.Released,
		},
	}
	if d := m.Deprecation; d != nil {
		rec.Spec.Deprecation = &store.Deprecation{Status: d.Status, SunsetDate: d.Sunset, Replacement: d.Replacement}
		rec.Metadata.Annotations[AnnotationPrefix+"deprecation-source"] = d.Source
	}
	for _, name := range m.Can {
		if rec.Spec.Capabilities == nil {
			rec.Spec.Capabilities = store.Capabilities{}
		}
		rec.Spec.Capabilities[name] = true
	}
	return row{rec: rec, since: m.Since, cites: m.Source, needs: []need{needOf(store.KindProvider, m.Provider)}}
}

// row makes the host one that forwards unknown models, as every shipped host
// does: what a vendor serves changes faster than the catalogue.
func (h *Host) row() row {
	about := noted{"source": h.Source, "pricing-page": h.Pricing}
	if h.Unverified {
		about["verified"] = "false"
	}
	rec := &store.Host{
		Metadata: store.Metadata{Name: h.Name, DisplayName: h.Title, Description: h.Note, Annotations: annotate(about)},
		Spec: store.HostSpec{
			BaseURL: h.URL, Auth: h.Auth, Shapes: h.Shapes, Headers: h.Headers, UnknownModels: "forward",
		},
	}
	return row{rec: rec, since: h.Since, cites: h.Source}
}

func (o *Offer) bindingRow() row {
	rec := &store.HostBinding{
		Metadata: store.Metadata{Name: o.name(), Annotations: annotate(noted{"context": tokens(o.Context), "output": tokens(o.Output)})},
		Spec: store.HostBindingSpec{
			ModelID: o.Model, HostID: o.Host, Shapes: o.Shapes, UpstreamName: o.As,
		},
	}
	needs := []need{needOf(store.KindModel, o.Model), needOf(store.KindHost, o.Host)}
	if len(o.Prices) > 0 {
		rec.Spec.PricingID = o.name()
		needs = append(needs, needOf(store.KindPricing, o.name()))
	}
	return row{rec: rec, since: o.Since, needs: needs}
}

// name is that of the pricing and of the binding.
func (o *Offer) name() string {
	return store.NameFrom(o.Model+" "+o.Host, func(string) bool { return false })
}

func tokens(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// noted are facts about a row that no member of its record holds.
type noted map[string]string

// AnnotationPrefix begins the annotations that belong to the catalogue.
const AnnotationPrefix = "catalog/"

func annotate(facts noted) map[string]string {
	annotations := map[string]string{}
	for key, value := range facts {
		if value != "" {
			annotations[AnnotationPrefix+key] = value
		}
	}
	if len(annotations) == 0 {
		return nil
	}
	return annotations
}
